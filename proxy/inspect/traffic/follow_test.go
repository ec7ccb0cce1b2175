package traffic_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/traffic"
)

// TestFollow hands out rows as they come, under a filter, each once and read.
func TestFollow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRun(t, traffic.Options{}, hub.Options{})
		var got []string
		done := make(chan struct{})
		go func() {
			defer close(done)
			for v, lost := range r.Follow(context.Background(), 0, "-op:pay") {
				got = append(got, fmt.Sprintf("%d %s %t %d", v.ID, v.Outcome.Words, v.Read, lost))
			}
		}()
		r.order("B-1", first, card("1118"), 0)
		synctest.Wait()
		r.order("B-2", second, card("9995"), 116)
		time.Sleep(time.Second)
		r.hub.Close()
		<-done
		want := "1 registered 125.00 EUR true 0, 3 paid 125.00 EUR true 0, " +
			"4 registered 125.00 EUR true 0, 6 declined: insufficient funds true 0"
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("followed %s", text)
		}
		r.Close()
	})
}

// TestFollowTellsWhatIsLost comes after the hub and the rows have forgotten.
func TestFollowTellsWhatIsLost(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{Keep: 10}, hub.Options{Events: 30})
	publish := func(n int) {
		for range n {
			r.hub.Publish(proxy.Event{Kind: proxy.Served, Code: 200})
		}
	}
	publish(50)
	w, err := r.Window(traffic.Query{N: 3}) // the first look: 20 events are lost, and 20 rows
	if err != nil || w.Total != 10 || w.Lost != 40 || w.Last != 50 {
		t.Errorf("%+v, %v", w, err)
	}
	publish(5)
	r.hub.Close()
	for _, tc := range []struct {
		after uint64
		text  string
		want  string
	}{
		{0, "", "46+45 47 48 49 50 51 52 53 54 55"}, {52, "", "53 54 55"}, {30, "id:>50", "51+15 52 53 54 55"},
		{30, "id:55", "55+15"}, {55, "", ""}, {99, "", ""}, {0, "oder:1", ""},
	} {
		var got []string
		for v, lost := range r.Follow(t.Context(), tc.after, tc.text) {
			text := fmt.Sprint(v.ID)
			if lost > 0 {
				text += fmt.Sprintf("+%d", lost)
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != tc.want {
			t.Errorf("after %d, %q: %s, want %s", tc.after, tc.text, text, tc.want)
		}
	}
}

// TestFollowEnds ends with its context, and with the Traffic.
func TestFollowEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRun(t, traffic.Options{Eager: true}, hub.Options{})
		ctx, cancel := context.WithCancel(context.Background())
		var ended sync.WaitGroup
		for _, c := range []context.Context{ctx, context.Background()} {
			ended.Go(func() {
				for range r.Follow(c, 0, "") {
					t.Error("there is a row")
				}
			})
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		r.Close()
		ended.Wait()
		if w, err := r.Window(traffic.Query{N: 1}); err != nil || w.Total != 0 {
			t.Errorf("a window of what is closed: %+v %v", w, err)
		}
	})
}

// TestEager holds rows of events that the hub has forgotten before somebody looks.
func TestEager(t *testing.T) {
	t.Parallel()
	for _, eager := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r := newRun(t, traffic.Options{Eager: eager}, hub.Options{Events: 2})
			for range 10 {
				r.hub.Publish(proxy.Event{Kind: proxy.Served, Code: 200})
				synctest.Wait()
			}
			w, _ := r.Window(traffic.Query{N: 20})
			if want := map[bool]int{true: 10, false: 2}[eager]; w.Total != want {
				t.Errorf("eager %t: %d rows", eager, w.Total)
			}
			r.Close()
		})
	}
}

// TestEverybodyAtOnce publishes, looks, follows, filters and compares at the same time.
func TestEverybodyAtOnce(t *testing.T) {
	t.Parallel()
	r := newRun(t, traffic.Options{Keep: 50}, hub.Options{Events: 100})
	var publishing, looking sync.WaitGroup
	for n := range 2 {
		publishing.Go(func() {
			for i := range 20 {
				id := fmt.Sprintf("%08d-2d90-7e6b-9c35-%012d", i, n)
				(&run{Traffic: r.Traffic, hub: r.hub, kind: proxy.Served}).
					order(fmt.Sprintf("B-%d-%d", n, i), id, card("1118"), i%2*116)
			}
		})
	}
	stop := make(chan struct{})
	for _, text := range []string{"", "outcome:bad", "body:orderId", "since:1m"} {
		looking.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				w, err := r.Window(traffic.Query{Filter: text, Grouped: true, All: true, N: 40})
				if err != nil {
					t.Error(err)
					return
				}
				for _, line := range w.Lines {
					if line.Row != nil {
						r.Row(line.Row.ID)
					} else {
						_, _ = r.Compare(line.Group.ID, "B-0-1")
						break
					}
				}
				r.Complete("order:", 6)
			}
		})
		looking.Go(func() {
			last := uint64(0)
			for v := range r.Follow(context.Background(), 0, text) {
				if v.ID <= last {
					t.Errorf("row %d comes after row %d", v.ID, last)
				}
				last = v.ID
			}
		})
	}
	publishing.Wait()
	r.hub.Close()
	close(stop)
	looking.Wait()
}
