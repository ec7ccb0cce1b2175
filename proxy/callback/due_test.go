package callback_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/callback"
)

// TestDue has callbacks come by themselves, when the player says so.
func TestDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		shop := &shop{statuses: []int{200}, begun: begun}
		due := []time.Duration{5 * time.Minute, 20 * time.Minute} // that the player knows of
		var asked []time.Duration
		s, _ := newSender(t, shop, callback.SenderOptions{
			Advance: func(now time.Time) (come []match.Callback, next time.Time) {
				asked = append(asked, now.Sub(begun))
				for len(due) > 0 && now.Sub(begun) >= due[0] {
					come, due = append(come, told(t, 1, "declinedByTimeout", 200)), due[1:]
				}
				if len(due) > 0 {
					next = begun.Add(due[0])
				}
				return come, next
			},
		})
		s.Deliver(&match.Answer{Due: begun.Add(20 * time.Minute)})
		synctest.Wait()
		s.Deliver(&match.Answer{Due: begun.Add(5 * time.Minute)}) // sooner than what was waited for
		time.Sleep(time.Hour)
		want := []time.Duration{5 * time.Minute, 20 * time.Minute}
		if got := shop.times(); !slices.Equal(got, want) || !slices.Equal(asked, want) {
			t.Errorf("called at %v, asked at %v", got, asked)
		}
		s.Deliver(&match.Answer{Due: time.Now().Add(time.Minute)})
		s.Reset() // forgets the order
		time.Sleep(time.Hour)
		s.Deliver(&match.Answer{Due: time.Now().Add(time.Minute)})
		s.Close()
		s.Deliver(&match.Answer{Due: time.Now().Add(time.Minute)})
		if len(asked) != 2 {
			t.Errorf("asked at %v", asked)
		}
	})
}

// TestStillClock has a clock that stands still asked now and then.
func TestStillClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		still, asked := time.Now(), 0
		s, _ := newSender(t, &shop{statuses: []int{200}}, callback.SenderOptions{
			Now: func() time.Time { asked++; return still },
			Advance: func(time.Time) ([]match.Callback, time.Time) {
				t.Error("nothing is due")
				return nil, time.Time{}
			},
		})
		s.Deliver(&match.Answer{Due: still.Add(1)})
		time.Sleep(time.Second)
		s.Close()
		if asked > 300 {
			t.Errorf("asked %d times", asked)
		}
	})
}
