package cassettes_test

import (
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

var _ cassettes.Cleaner = (*redact.Redactor)(nil)

// exchangeOptions compare exchanges by what a tape keeps of them: YAML does not tell an empty
// map from none, and go-vcr has a field of its own that is never written.
func exchangeOptions() cmp.Options {
	return cmp.Options{
		cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(cassette.Response{}),
	}
}

// cleaned makes a Clean without a redactor, by the door that sealed files come through.
func cleaned(tb testing.TB, x *leaf.Exchange) redact.Clean {
	tb.Helper()
	seal, err := redact.CheckSeal(nil, redact.Sum(nil))
	if err != nil {
		tb.Fatal(err)
	}
	return seal.Reopen(x)
}

// fakeCleaner notes what it was given. What it cleans gets "again" into its redactions.
type fakeCleaner struct {
	tb testing.TB

	mu      sync.Mutex // guards both
	resumed int
	cleaned int
}

func (f *fakeCleaner) Resume(tape iter.Seq[redact.Clean]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range tape {
		f.resumed++
	}
}

func (f *fakeCleaner) Note(*leaf.Exchange) {}

func (f *fakeCleaner) Stale(x *leaf.Exchange) bool {
	return strings.Contains(x.Request.Body+x.Response.Body, "stale")
}

func (f *fakeCleaner) Past() *redact.Past { return redact.New(redact.Options{}).Past() }

func (f *fakeCleaner) Reclean(x *leaf.Exchange) redact.Clean {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cleaned++
	y := *x
	y.Meta.Redactions = []string{"again"}
	return cleaned(f.tb, &y)
}

// sample is a small exchange whose parts all differ by its number.
func sample(number int) *leaf.Exchange {
	body := fmt.Sprintf("orderNumber=n%d&amount=100", number)
	return &leaf.Exchange{
		Interaction: cassette.Interaction{
			Request: cassette.Request{
				Method:  http.MethodPost,
				URL:     "https://sandbox.example/payment/rest/register.do",
				Headers: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
				Form:    url.Values{"orderNumber": {fmt.Sprintf("n%d", number)}, "amount": {"100"}},
				Body:    body,
			},
			Response: cassette.Response{
				Status:   "200 OK",
				Code:     http.StatusOK,
				Headers:  http.Header{"Content-Type": {"application/json"}},
				Body:     fmt.Sprintf(`{"orderId":"o-%d","errorCode":0}`, number),
				Duration: 12500 * time.Microsecond,
			},
		},
		Meta: leaf.Meta{
			Number:    number,
			At:        time.Date(2026, 3, 1, 10, 0, number, 5, time.FixedZone("", 3*60*60)),
			Profile:   "gateway",
			Operation: "register.do",
		},
	}
}

func library(tb testing.TB) (*cassettes.Library, string) {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "cassettes")
	l, err := cassettes.Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() })
	return l, dir
}

func record(tb testing.TB, l *cassettes.Library, name string) *cassettes.Recorder {
	tb.Helper()
	c, err := l.Record(name, &fakeCleaner{tb: tb})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _, _ = c.Close() })
	return c
}

// add appends the next n samples.
func add(tb testing.TB, c *cassettes.Recorder, n int) {
	tb.Helper()
	for range n {
		if err := c.Append(cleaned(tb, sample(c.Next()))); err != nil {
			tb.Fatal(err)
		}
	}
}

func finish(tb testing.TB, c *cassettes.Recorder) cassettes.Summary {
	tb.Helper()
	s, err := c.Close()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func load(tb testing.TB, l *cassettes.Library, name string) *cassettes.Tape {
	tb.Helper()
	t, err := l.Load(name, &fakeCleaner{tb: tb})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func numbers(t *cassettes.Tape) []int {
	var out []int
	for _, x := range t.Exchanges {
		out = append(out, x.Exchange().Meta.Number)
	}
	return out
}

func readFile(tb testing.TB, elements ...string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func writeFile(tb testing.TB, data []byte, elements ...string) {
	tb.Helper()
	if err := os.WriteFile(filepath.Join(elements...), data, 0o600); err != nil {
		tb.Fatal(err)
	}
}

// files lists a folder.
func files(tb testing.TB, dir string) []string {
	tb.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}
