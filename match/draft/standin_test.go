package draft_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/workload"
	"github.com/paytape/paytape/match/draft"
	"github.com/paytape/paytape/match/tape"
	"github.com/paytape/paytape/proxy/deck"
)

// elsewhere is where the stand-ins lie in these tests: no profile knows their paths there.
const elsewhere = "/elsewhere"

// listener is a transport that writes down what a client is told, without what differs from run to run.
type listener struct {
	next  http.RoundTripper
	lines []string
	marks int // answers that are not certain
	names map[string]int
}

var ofTheRun = regexp.MustCompile(`rc_\w{16}|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9A-Za-z_.:-]*[0-9]{3}[0-9A-Za-z_.:-]*`)

var moment = regexp.MustCompile(`^:?1[78][0-9]{11}$|^20[0-9]{2}-[0-9]{2}-[0-9]{2}T|^20[0-9]{12}$`)

func (l *listener) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	for _, mark := range []string{"ambiguous", "assumed=", "composed"} {
		if strings.Contains(res.Header.Get("Paytape-Served"), "; "+mark) {
			l.marks++
		}
	}
	line := fmt.Sprintf("%s %d %s", r.Method, res.StatusCode, res.Header.Get("Paytape-Miss"))
	if res.Header.Get("Paytape-Miss") == "" {
		line += " " + ofTheRun.ReplaceAllStringFunc(string(body), func(text string) string {
			if moment.MatchString(text) {
				return "<date>" // two calls may be answered in one millisecond
			}
			if l.names[text] == 0 {
				l.names[text] = len(l.names) + 1
			}
			return fmt.Sprintf("<%d>", l.names[text])
		})
	}
	l.lines = append(l.lines, line)
	return res, nil
}

// flows plays flows at a base address, and returns what the client was told in each, and how many answers
// were not certain.
func flows(base, run string, kinds []string, variants int) (all [][]string, marks int) {
	for _, name := range kinds {
		kind, _ := workload.KindOf(name)
		for variant := range variants {
			l := &listener{next: http.DefaultTransport, names: map[string]int{}}
			c := &workload.Client{Base: base + elsewhere, HTTP: l, Run: run}
			_ = c.Play(kind, variant) // a miss ends the flow
			all, marks = append(all, l.lines), marks+l.marks
		}
	}
	return all, marks
}

// started starts a deck for a test.
func started(t *testing.T, o deck.Options) *deck.Deck {
	t.Helper()
	d, err := deck.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The tapes of the stand-ins, where no profile knows their paths, replay with their drafts as well as
// without.
func TestDraftsOfTheStandIns(t *testing.T) {
	t.Parallel()
	for _, kinds := range [][]string{
		{"alike", "distinct"}, {"secure"}, {"cards"}, {"issued"}, {"foreign"},
	} {
		t.Run(strings.Join(kinds, " "), func(t *testing.T) {
			t.Parallel()
			const variants = 6
			dir := t.TempDir()
			server := httptest.NewServer(http.StripPrefix(elsewhere, workload.NewServer(1, nil)))
			defer server.Close()
			d := started(t, deck.Options{
				Mode: deck.Record, Cassettes: []string{"tape"}, Dir: dir, Upstreams: []string{server.URL},
			})
			flows(d.URL, "tape7730115", kinds, variants)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "draft.txt")
			if err := os.WriteFile(file, draftOf(t, dir), 0o600); err != nil {
				t.Fatal(err)
			}
			told, marks := map[string][][]string{}, map[string]int{}
			for how, profiles := range map[string][]string{"none": nil, "draft": {file}} {
				k, err := deck.NewKnowledge(deck.KnowledgeOptions{Profiles: profiles})
				if err != nil {
					t.Fatal(err)
				}
				d := started(t, deck.Options{Cassettes: []string{"tape"}, Dir: dir, Knowledge: k})
				told[how], marks[how] = flows(d.URL, "live4408126", kinds, variants)
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
			}
			answered := 0
			for i := range told["none"] {
				none, with := told["none"][i], told["draft"][i]
				answered += len(with)
				if n := len(none); strings.Contains(none[n-1], " 501 ") && len(with) >= n {
					none, with = none[:n-1], with[:n-1] // an answer in place of a miss is welcome
				}
				if diff := cmp.Diff(none, with); diff != "" {
					t.Errorf("flow %d differs (-none +draft):\n%s", i, diff)
				}
			}
			if answered < len(told["none"]) {
				t.Errorf("only %d answers in %d flows", answered, len(told["none"]))
			}
			if marks["draft"] > marks["none"] {
				t.Errorf("%d answers are not certain with the draft, and %d without", marks["draft"], marks["none"])
			}
		})
	}
}

// draftOf returns the draft of the cassette "tape" in a folder.
func draftOf(t *testing.T, dir string) []byte {
	t.Helper()
	k, err := deck.NewKnowledge(deck.KnowledgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	library, err := cassettes.OpenExisting(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	read, err := library.Load("tape", k.Redactor(nil))
	if err != nil {
		t.Fatal(err)
	}
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var all []*leaf.Exchange
	for _, x := range read.Exchanges {
		all = append(all, x.Exchange())
	}
	text, err := draft.Write(set, tape.Cassette{Name: "tape", Exchanges: all})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
