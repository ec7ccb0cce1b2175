package gateway

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shop is a round tripper that answers callbacks without a network.
type shop struct {
	// answer decides on the n-th call, from 1; nil answers 200.
	answer func(n int, r *http.Request) (int, error)
	body   io.ReadCloser // of its answers; nil is none

	mu    sync.Mutex // guards calls
	calls []string   // operation and orderNumber of each, in order
	times []time.Time
}

func (s *shop) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	query := r.URL.Query()
	s.calls = append(s.calls, strings.TrimSpace(query.Get("operation")+" "+query.Get("orderNumber")))
	s.times = append(s.times, time.Now())
	n := len(s.calls)
	s.mu.Unlock()
	status := http.StatusOK
	if s.answer != nil {
		var err error
		if status, err = s.answer(n, r); err != nil {
			return nil, err
		}
	}
	header := http.Header{"Location": {"http://127.0.0.1/elsewhere"}}
	body := s.body
	if body == nil {
		body = http.NoBody
	}
	return &http.Response{StatusCode: status, Header: header, Body: body, Request: r}, nil
}

func (s *shop) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *shop) wants(t *testing.T, calls ...string) {
	t.Helper()
	if diff := cmp.Diff(calls, s.seen()); diff != "" {
		t.Errorf("the shop was called otherwise (-want +got):\n%s", diff)
	}
}

// always answers every call alike.
func always(status int, err error) func(int, *http.Request) (int, error) {
	return func(int, *http.Request) (int, error) { return status, err }
}

// notice is a callback of the n-th order.
func notice(operation string, n int) callback {
	id := fmt.Sprint(n)
	return callback{address: "http://shop.example/", orderID: id, operation: operation,
		parameters: nameValues("operation", operation, "orderNumber", id)}
}

func wantCounts(t *testing.T, c *courier, want callbackCounts) {
	t.Helper()
	if diff := cmp.Diff(want, c.state().Counts); diff != "" {
		t.Errorf("the counts differ (-want +got):\n%s", diff)
	}
}

// Anything but 200 is a failure, which is repeated after 30 s; after three there is an end
// (domain facts, Callbacks).
func TestAttempts(t *testing.T) {
	t.Parallel()
	second := func(n int, _ *http.Request) (int, error) { return 199 + n, nil }
	for name, row := range map[string]struct {
		answer func(int, *http.Request) (int, error)
		state  callbackState
		last   time.Duration // after the event
	}{
		"delivered at once": {nil,
			callbackState{State: stateDelivered, Attempts: 1}, 0},
		"201 is a failure": {always(201, nil),
			callbackState{State: stateFailed, Attempts: 3, Reason: "answered 201"}, time.Minute},
		"a redirect is a failure": {always(302, nil),
			callbackState{State: stateFailed, Attempts: 3, Reason: "answered 302"}, time.Minute},
		"no answer is a failure": {always(0, errors.New("http://shop.example/?token=1")),
			callbackState{State: stateFailed, Attempts: 3, Reason: "gave no answer"}, time.Minute},
		"what is not allowed is not tried again": {always(0, fmt.Errorf("dialling: %w", errForeign)),
			callbackState{State: stateFailed, Attempts: 1, Reason: errForeign.Error()}, 0},
		"the third delivers": {func(n int, r *http.Request) (int, error) {
			return map[int]int{1: 500, 2: 404, 3: 200}[n], nil
		}, callbackState{State: stateDelivered, Attempts: 3}, time.Minute},
		"the first 200 is the end": {second, callbackState{State: stateDelivered, Attempts: 1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &shop{answer: row.answer}
				c := newCourier(Callbacks{}, s)
				defer c.close()
				begun := time.Now()
				c.send(notice(eventDeposited, 1))
				time.Sleep(time.Hour)
				row.state.OrderID, row.state.Operation = "1", eventDeposited
				if diff := cmp.Diff([]callbackState{row.state}, c.state().Latest); diff != "" {
					t.Errorf("the state differs (-want +got):\n%s", diff)
				}
				if len(s.times) != row.state.Attempts {
					t.Fatalf("the shop was called %d times", len(s.times))
				}
				if got := s.times[len(s.times)-1].Sub(begun); got != row.last {
					t.Errorf("the last call came after %v, want %v", got, row.last)
				}
			})
		})
	}
}

// What is between, such as a deck that records, is to see a whole answer.
func TestAnswerIsRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answer := strings.NewReader("taken")
		s := &shop{body: io.NopCloser(answer)}
		c := newCourier(Callbacks{}, s)
		defer c.close()
		c.send(notice(eventDeposited, 1))
		synctest.Wait()
		wantCounts(t, c, callbackCounts{Delivered: 1})
		if answer.Len() != 0 {
			t.Errorf("%d bytes of the answer were not read", answer.Len())
		}
	})
}

// A shop that does not answer is left alone after the time limit.
func TestAttemptTakesTooLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{answer: func(_ int, r *http.Request) (int, error) {
			<-r.Context().Done()
			return 0, r.Context().Err()
		}}
		c := newCourier(Callbacks{}, s)
		defer c.close()
		begun := time.Now()
		c.send(notice(eventDeposited, 1))
		time.Sleep(time.Hour)
		if got := c.state().Latest[0]; got.State != stateFailed || got.Reason != "took too long" {
			t.Errorf("it is %s and %s", got.State, got.Reason)
		}
		if want := 2 * (attemptTime + attemptPause); s.times[2].Sub(begun) != want {
			t.Errorf("the last attempt began after %v, want %v", s.times[2].Sub(begun), want)
		}
	})
}

// Callbacks of one order wait for each other, those of different orders do not.
func TestOrderOfCallbacks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{answer: func(n int, r *http.Request) (int, error) {
			if r.URL.Query().Get("orderNumber") == "1" && n == 1 {
				return 500, nil
			}
			return 200, nil
		}}
		c := newCourier(Callbacks{}, s)
		defer c.close()
		c.send(notice(eventApproved, 1))
		synctest.Wait()
		c.send(notice(eventDeposited, 1))
		synctest.Wait()
		c.send(notice(eventDeposited, 2))
		synctest.Wait()
		s.wants(t, "approved 1", "deposited 2")
		wantCounts(t, c, callbackCounts{Delivered: 1, Pending: 2})
		time.Sleep(attemptPause)
		synctest.Wait()
		s.wants(t, "approved 1", "deposited 2", "approved 1", "deposited 1")
		c.send(notice(eventRefunded, 1)) // a lane that had come to its end
		synctest.Wait()
		wantCounts(t, c, callbackCounts{Delivered: 4})
	})
}

// What waits behind a failure goes out as it came.
func TestQueueOfAnOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{answer: always(500, nil)}
		c := newCourier(Callbacks{}, s)
		defer c.close()
		for _, operation := range []string{eventApproved, eventDeposited, eventRefunded} {
			c.send(notice(operation, 1))
		}
		time.Sleep(time.Hour)
		wantCounts(t, c, callbackCounts{Failed: 3})
		calls := slices.Compact(s.seen()) // three attempts each
		if diff := cmp.Diff([]string{"approved 1", "deposited 1", "refunded 1"}, calls); diff != "" {
			t.Errorf("the order is another (-want +got):\n%s", diff)
		}
	})
}

// At most so many attempts run at once, at most so many callbacks wait, and the state shows
// at most so many.
func TestBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &shop{answer: func(int, *http.Request) (int, error) {
			<-release
			return 200, nil
		}}
		c := newCourier(Callbacks{}, s)
		defer c.close()
		for n := range maxPending + 1 {
			c.send(notice(eventDeposited, n))
		}
		synctest.Wait()
		if got := len(s.seen()); got != maxSending {
			t.Errorf("%d attempts run at once, want %d", got, maxSending)
		}
		wantCounts(t, c, callbackCounts{Pending: maxPending, Failed: 1})
		latest := c.state().Latest
		if len(latest) != maxShown || latest[maxShown-1].Reason != errCrowded.Error() {
			t.Errorf("the state shows %d, the last because of %q", len(latest),
				latest[len(latest)-1].Reason)
		}
		close(release)
		synctest.Wait()
		wantCounts(t, c, callbackCounts{Delivered: maxPending, Failed: 1})
	})
}

// Closing cuts attempts and pauses short and leaves nothing running: synctest fails a test
// whose goroutines outlive it.
func TestClose(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(int, *http.Request) (int, error){
		"in an attempt": func(_ int, r *http.Request) (int, error) {
			<-r.Context().Done()
			return 0, r.Context().Err()
		},
		"in a pause": always(500, nil),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &shop{answer: answer}
				c := newCourier(Callbacks{}, s)
				for n := range 2 * maxSending {
					c.send(notice(eventApproved, n))
					c.send(notice(eventDeposited, n))
				}
				synctest.Wait()
				begun, called := time.Now(), len(s.seen())
				c.close()
				c.close() // a second time does no harm
				c.send(notice(eventRefunded, 1))
				synctest.Wait()
				if time.Since(begun) != 0 || len(s.seen()) != called {
					t.Errorf("closing took %v and %d calls", time.Since(begun), len(s.seen())-called)
				}
				wantCounts(t, c, callbackCounts{Pending: 4 * maxSending})
			})
		})
	}
}
