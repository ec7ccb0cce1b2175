package live_test

import (
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/internal/lines"
	"github.com/paytape/paytape/proxy/inspect/line"
	"github.com/paytape/paytape/proxy/inspect/live"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

var cleaner = redact.New(redact.Options{})

// terminal shows what a terminal would after all that was written to it.
type terminal struct {
	rows   []string // the last one is that of the cursor
	writes int
}

func (t *terminal) Write(p []byte) (int, error) {
	t.writes++
	if len(t.rows) == 0 {
		t.rows = []string{""}
	}
	column := len(t.rows[len(t.rows)-1])
	for rest := string(p); rest != ""; {
		at := &t.rows[len(t.rows)-1]
		switch {
		case strings.HasPrefix(rest, "\r"):
			column, rest = 0, rest[1:]
		case strings.HasPrefix(rest, "\x1b[K"):
			*at, rest = (*at)[:column], rest[3:]
		case strings.HasPrefix(rest, "\x1b[A"):
			if len(t.rows) > 1 {
				t.rows = t.rows[:len(t.rows)-1] // what is below is written anew
			}
			rest = rest[3:]
		case strings.HasPrefix(rest, "\n"):
			t.rows, column, rest = append(t.rows, ""), 0, rest[1:]
		default:
			*at = (*at)[:column] + rest[:1]
			column, rest = column+1, rest[1:]
		}
	}
	return len(p), nil
}

func (t *terminal) String() string { return strings.Join(t.rows, "\n") }

// run has Follow show rows, which feed hands out, and returns what a terminal shows then.
func run(feed func(show func(view.Row)), edit ...func(*live.Options)) *terminal {
	t := &terminal{}
	to := lines.New(live.NewScreen(t))
	o := live.Options{
		Rows: rows(feed), To: to.Delayed(), Line: line.Options{Columns: 80},
		Reads: func(r *view.Row) bool { return r.Operation == "status" },
	}
	for _, f := range edit {
		f(&o)
	}
	live.Follow(o)
	_ = to.Close()
	return t
}

func rows(feed func(show func(view.Row))) iter.Seq2[view.Row, uint64] {
	return func(yield func(view.Row, uint64) bool) {
		feed(func(r view.Row) { yield(r, 0) })
	}
}

func row(id uint64, operation, words string) view.Row {
	return view.Row{
		ID: id, At: time.Now().UTC(), Sign: view.SignHit, Group: "g1", Operation: operation,
		Short: operation, Code: 200, Read: true, Outcome: view.Outcome{Words: cleaner.Text(words)},
		Who: view.Who{Kind: "order", Label: cleaner.Text("B-1")}, Served: "tape",
	}
}

func TestEqualReadsAreOneLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := run(func(show func(view.Row)) {
			show(row(1, "register", "registered"))
			for id := range uint64(3) {
				show(row(2+id, "status", "at the ACS"))
			}
			show(row(5, "status", "paid"))
			show(row(6, "status", "paid"))
			show(row(7, "refund", "refunded"))
			show(row(8, "refund", "refunded"))
			show(row(9, "status", "paid"))
		})
		want := `00:00:00    1 register  B-1             registered                  tape
00:00:00    4 status    B-1             at the ACS, asked 3 times   tape
00:00:00    6 status    B-1             paid, asked 2 times         tape
00:00:00    7 refund    B-1             refunded                    tape
00:00:00    8 refund    B-1             refunded                    tape
00:00:00    9 status    B-1             paid                        tape
`
		if got.String() != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// TestEqualMarkedReadsAreOneLine polls an order that is marked: its mark is told once.
func TestEqualMarkedReadsAreOneLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := run(func(show func(view.Row)) {
			for id := range uint64(4) {
				r := row(1+id, "status", "paid")
				r.Sign, r.Mark, r.MarkWords = view.SignMarked, "assumed=card", "the card is another"
				show(r)
			}
		}).String()
		if strings.Count(got, "\n") != 2 || strings.Count(got, "the card is another") != 1 ||
			!strings.Contains(got, "   4 status    B-1           ~ paid, asked 3 times") {
			t.Errorf("got\n%s", got)
		}
	})
}

// TestLineOfAnotherIsNotReplaced has a line of somebody else come between two equal reads.
func TestLineOfAnotherIsNotReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shown := &terminal{}
		to := lines.New(live.NewScreen(shown))
		live.Follow(live.Options{
			Rows: rows(func(show func(view.Row)) {
				show(row(1, "status", "paid"))
				time.Sleep(time.Second / 2)
				fmt.Fprintln(to, "paytape: warning: a tape is old")
				show(row(2, "status", "paid"))
			}),
			To: to.Delayed(), Line: line.Options{Columns: 80},
			Reads: func(*view.Row) bool { return true },
		})
		_ = to.Close()
		if n := len(shown.rows); n != 4 || shown.rows[1] != "paytape: warning: a tape is old" {
			t.Errorf("got\n%s", shown)
		}
	})
}

func TestStatusStaysAtTheBottom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, during := time.Now(), ""
		shown := &terminal{}
		to := lines.New(live.NewScreen(shown))
		var requests atomic.Int64
		live.Follow(live.Options{
			Rows: rows(func(show func(view.Row)) {
				for id := range uint64(3) {
					requests.Add(1)
					show(row(1+id, "register", "registered"))
					time.Sleep(1500 * time.Millisecond)
				}
				synctest.Wait() // all is written
				during = shown.String()
			}),
			Status: func() view.Status {
				return view.Status{Mode: "replay", Requests: requests.Load(), Since: began}
			},
			To: to.Delayed(), Line: line.Options{Columns: 42},
		})
		_ = to.Close()
		// Two columns are left for the ^C of a terminal: a line that it breaks cannot be cleared.
		if want := "\nreplay  3 requests                 00:04"; !strings.HasSuffix(during, want) ||
			strings.Count(during, "replay") != 1 {
			t.Errorf("got\n%s", during)
		}
		if got := shown.String(); strings.Contains(got, "replay") || strings.Count(got, "\n") != 3 {
			t.Errorf("in the end\n%s", got)
		}
	})
}

func TestHitsUnderLoadAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := run(func(show func(view.Row)) {
			for id := range uint64(3000) {
				r := row(1+id, "register", "registered")
				switch id % 1000 {
				case 500:
					r.Sign, r.Reason = view.SignMiss, "field"
				case 600:
					r.Sign, r.Kind = view.SignNote, "warning"
					r.Sentence = cleaner.Text("something the operator should know")
				}
				show(r)
				time.Sleep(time.Second / 1000)
			}
		}).String()
		for text, want := range map[string]int{
			"miss: field": 3, "something the operator": 3, " hits a second, 1 miss; last B-1 registered": 3,
			" register  B-1             reg": 150,
		} {
			if n := strings.Count(got, text); n != want {
				t.Errorf("%q stands there %d times, want %d", text, n, want)
			}
		}
		if t.Failed() {
			t.Log(got)
		}
	})
}

// TestBlockedTerminalHoldsUpNobody follows a flood of rows to a terminal that takes nothing.
func TestBlockedTerminalHoldsUpNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		to := lines.New(live.NewScreen(blocked(release)))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			live.Follow(live.Options{
				Rows: rows(func(show func(view.Row)) {
					for id := range uint64(20_000) {
						r := row(1+id, "register", "registered")
						r.Sign = view.SignMiss
						show(r)
					}
				}),
				To: to.Delayed(), Line: line.Options{Columns: 80},
			})
		}()
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("Follow waits for a terminal")
		}
		close(release)
		<-ended
		_ = to.Close()
	})
}

type blocked chan struct{}

func (b blocked) Write(p []byte) (int, error) { <-b; return len(p), nil }

func TestLostRowsAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := run(nil, func(o *live.Options) {
			o.Rows = func(yield func(view.Row, uint64) bool) {
				yield(row(1, "status", "paid"), 0)
				yield(row(9, "status", "paid"), 7)
			}
		})
		if n := len(got.rows); n != 4 ||
			got.rows[1] != "7 exchanges went by unseen here: traffic was faster than its reader" {
			t.Errorf("got\n%s", got)
		}
	})
}

func TestMarkIsSaidOnceAFlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := run(func(show func(view.Row)) {
			for id := range uint64(3) {
				r := row(1+id, "pay", "back to shop")
				r.Sign, r.Mark, r.MarkWords = view.SignMarked, "assumed=card", "this card is not on tape"
				r.Group = fmt.Sprintf("g%d", id/2)
				show(r)
			}
		}).String()
		if said, signs := strings.Count(got, "this card is not"), strings.Count(got, " ~ "); said != 2 ||
			signs != 3 {
			t.Errorf("got\n%s", got)
		}
	})
}
