package deck

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// A tape that cannot be written is no reason to fail a client's payment, but the operator must be
// told, at once and by the error of Close.
func TestClientsAreServedWhenTheTapeFails(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	failed := 0
	d, err := Start(t.Context(), Options{
		Mode: Record, Cassettes: []string{"tape"}, Dir: t.TempDir(), Upstreams: []string{Builtin},
		Observe: func(e proxy.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e.Kind == proxy.Failed && e.Note == proxy.NoteTapeFailed {
				failed++
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.recorder.Close(); err != nil { // from now on Append fails
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.PostForm(d.URL+"/payment/rest/register.do", url.Values{
		"userName": {"sandbox-api"}, "password": {"sandbox-" + "password"},
		"orderNumber": {"A-1"}, "amount": {"12500"}, "returnUrl": {"https://shop.example/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close() // only its status matters
	if res.StatusCode != http.StatusOK {
		t.Errorf("the client got status %d", res.StatusCode)
	}
	if err := d.Close(); err == nil || !strings.Contains(err.Error(), "recording: ") {
		t.Errorf("the error of the tape is not told: %v", err)
	}
	if failed != 1 {
		t.Errorf("the observer was told %d times", failed)
	}
}

func TestUpstreamSpecs(t *testing.T) {
	t.Parallel()
	const at = "http://127.0.0.1:9"
	for _, test := range []struct {
		name       string
		give, want []string
		wanted     bool
	}{
		{"the word alone", []string{"sandbox"}, []string{at}, true},
		{"the word for one API", []string{"https://a.example", "gateway=sandbox"},
			[]string{"https://a.example", "gateway=" + at}, true},
		{"a host of that name", []string{"https://sandbox"}, []string{"https://sandbox"}, false},
		{"none", nil, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, wanted := upstreamSpecs(test.give, at)
			if !slices.Equal(got, test.want) || wanted != test.wanted {
				t.Errorf("got %q, %t, want %q, %t", got, wanted, test.want, test.wanted)
			}
		})
	}
}

func TestTheClockOfAReplay(t *testing.T) {
	t.Parallel()
	began := time.Date(2025, 2, 28, 23, 59, 0, 0, time.FixedZone("", 3*60*60))
	started := time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)
	x := &leaf.Exchange{}
	x.Meta.At = began
	dated, undated := match.Cassette{Exchanges: []*leaf.Exchange{x}}, match.Cassette{}
	for _, test := range []struct {
		name     string
		recorded bool
		start    time.Time // zero for the clock of this machine
		cassette match.Cassette
		want     time.Time // zero for when the clock is asked
		warning  string
	}{
		{name: "now", cassette: dated},
		{name: "as recorded", recorded: true, cassette: dated, want: began},
		{name: "as recorded, without a time", recorded: true, cassette: undated,
			warning: "the tape does not say when it was recorded: " +
				"the clock is that of this machine"},
		{name: "a time", start: started, cassette: dated, want: started},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				said := ""
				o := Options{
					Play: Play{RecordedClock: test.recorded},
					Tell: func(n Notice) { said += n.Text },
				}
				if !test.start.IsZero() {
					o.Play.Now = ClockFrom(test.start)
				}
				now := o.clock([]match.Cassette{test.cassette})
				if test.want.IsZero() {
					test.want = time.Now()
				}
				checkClock(t, now, test.want)
				if said != test.warning {
					t.Errorf("said: %s", said)
				}
			})
		})
	}
}

// checkClock wants a clock to show a time in its zone, and to run on.
func checkClock(t *testing.T, now func() time.Time, want time.Time) {
	t.Helper()
	at := now()
	if shown := at.Format(time.RFC3339Nano); shown != want.Format(time.RFC3339Nano) {
		t.Errorf("the clock shows %s, want %s", shown, want)
	}
	<-time.After(90 * time.Second) // simulated
	if moved := now().Sub(at); moved != 90*time.Second {
		t.Errorf("in 90 s the clock moves on by %v", moved)
	}
}

func TestKept(t *testing.T) {
	t.Parallel()
	for keep, want := range map[int]int64{
		0: 16 << 20, 1: 16 << 20, 1000: 16 << 20, 10_000: 40_960_000, 100_000: 256 << 20,
		math.MaxInt: 256 << 20,
	} {
		if got := (&Options{Keep: keep}).kept(); got != want {
			t.Errorf("%d exchanges may have %d bytes, want %d", keep, got, want)
		}
	}
}
