package scan

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// A memo finds out about a text at most three times, as long as no other text takes its place.
func TestMemoRemembers(t *testing.T) {
	m, asked := NewMemo(), 0
	for i := range 10 {
		for _, want := range []bool{true, false} {
			text := fmt.Sprint("text ", want)
			got := m.Answer(text, func() bool {
				asked++
				return want
			})
			if got != want {
				t.Fatalf("round %d: %v for %q", i, got, text)
			}
		}
	}
	if asked > 6 {
		t.Errorf("it was asked %d times about two texts", asked)
	}
}

// A memo has no room for long texts, and mistakes no text for another, whoever else uses it.
func TestMemoMistakesNothing(t *testing.T) {
	m := NewMemo()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 20 * memoPlaces {
				n := (i*7 + w) % (2 * memoPlaces)
				text := strings.Repeat("x", n%3*LongestNoted/2) + fmt.Sprint(n)
				if got := m.Answer(text, func() bool { return n%2 == 0 }); got != (n%2 == 0) {
					t.Errorf("%v for %d", got, n)
					return
				}
			}
		})
	}
	wg.Wait()
	for i := range m.places {
		if n := m.places[i].noted.Load(); n != nil && len(n.text) > LongestNoted {
			t.Fatalf("a text of %d bytes is remembered", len(n.text))
		}
	}
}
