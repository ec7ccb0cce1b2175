package proxy

import (
	"testing"
	"testing/synctest"
	"time"
)

// This file is of the package itself: who waits for whom cannot be seen from outside.

func TestBudgetIsNeverOverdrawn(t *testing.T) {
	t.Parallel()
	b := newBudget(3000)
	s, other := spool{limit: 9000, budget: b}, spool{limit: 9000, budget: b}
	s.add(make([]byte, 1000))
	other.add(make([]byte, 2000))
	if s.starved || other.starved || b.left != 0 {
		t.Fatalf("%d bytes are left of a budget that is used up", b.left)
	}
	s.add([]byte("x"))
	if !s.starved || s.over() || s.n != 1001 || b.left != 1000 {
		t.Errorf("without room: starved %t, %d seen, %d left", s.starved, s.n, b.left)
	}
	s.add(make([]byte, 10))
	other.free()
	other.free()
	if b.left != 3000 || s.n != 1011 {
		t.Errorf("%d bytes are left of 3000 when nothing is kept, %d seen", b.left, s.n)
	}
}

// Large exchanges are cleaned one after another; small ones do not wait for them.
func TestCleaningIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, done := newBudget(0), make(chan int64, 8)
		clean := func(n int64) {
			go b.cleaning(n, func() {
				<-time.After(time.Second) // simulated
				done <- n
			})
			synctest.Wait()
		}
		since := time.Now()
		clean(2 * cleanedAtOnce)
		clean(cleanedAtOnce / 2)
		clean(cleanedAtOnce / 2)
		clean(cleanedAtOnce)
		clean(smallExchange)
		for _, want := range []struct {
			n     int64
			after time.Duration
		}{
			{0, 1}, {0, 1}, // the first and the small one, in any order
			{cleanedAtOnce / 2, 2}, {cleanedAtOnce / 2, 2}, {cleanedAtOnce, 3},
		} {
			n := <-done
			if took := time.Since(since); took != want.after*time.Second || want.n != 0 && n != want.n {
				t.Errorf("%d bytes were cleaned after %v, want %+v", n, took, want)
			}
		}
	})
}
