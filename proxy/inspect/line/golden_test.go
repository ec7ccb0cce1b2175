package line_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect/line"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

var update = flag.Bool("update", false, "write the golden texts anew")

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is another text (-want +got):\n%s", file, diff)
	}
}

var cleaner = redact.New(redact.Options{})

func safe(text string) redact.Safe { return cleaner.Text(text) }

// at returns a time of the day of the run.
func at(clock string) time.Time {
	t, err := time.Parse("2006-01-02 15:04:05.000", "2026-11-22 "+clock)
	if err != nil {
		panic(err)
	}
	return t
}

// order is what a row is about: an order, and the last digits of its card if it was paid.
func order(label, card string) view.Who {
	w := view.Who{Kind: "order", Label: safe(label)}
	if card != "" {
		w.Card = safe(card)
	}
	return w
}

func said(words string, tone view.Tone, codes string) view.Outcome {
	return view.Outcome{Words: safe(words), Tone: tone, Codes: safe(codes)}
}

func sum(text string) *view.Amount { return &view.Amount{Text: safe(text)} }

// Cards of the run, as lists show them.
const (
	frictionless = "400000******1118"
	challenged   = "500000******1115"
	poor         = "400000******9995"
	foreign      = "424242******4242"
)

// run is the traffic of a run that has everything: the rows of /work's pictures of a terminal, in
// values that a deck would have.
func run() []view.Row {
	const tape, ms = "tape", 200 * time.Microsecond
	row := func(id uint64, clock, short string, w view.Who, sign view.Sign, o view.Outcome,
		more func(*view.Row)) view.Row {
		r := view.Row{
			ID: id, At: at(clock), Short: short, Operation: short + ".do", Who: w, Sign: sign,
			Outcome: o, Code: 200, Served: tape, Took: ms,
		}
		if more != nil {
			more(&r)
		}
		return r
	}
	from := func(n int) func(*view.Row) {
		return func(r *view.Row) { r.Cassette, r.Number = "checkout", n }
	}
	paid := func(n int, amount string) func(*view.Row) {
		return func(r *view.Row) { from(n)(r); r.Amount = sum(amount) }
	}
	call := func(n, attempt int, tells, outcome string, code int) func(*view.Row) {
		return func(r *view.Row) {
			r.Callback, r.Attempt, r.Attempts, r.Code = n, attempt, 3, code
			r.Operation, r.CallbackOutcome, r.Method, r.Took = tells, outcome, "GET", 14*time.Millisecond
			if attempt == 0 {
				r.Took = 0
			}
		}
	}
	b1044, b1045, b1046 := order("B-1044", ""), order("B-1045", challenged), order("B-1046", poor)
	b1047, b1048, b1049 := order("B-1047", foreign), order("B-1048", frictionless),
		order("B-1049", frictionless)
	const atACS = "at the ACS"
	return []view.Row{
		row(8, "11:24:02.411", "block", view.Who{Kind: "card", Card: safe("427600******0053")},
			view.SignHit, said("blocked", "", "responseCode 00"), func(r *view.Row) {
				r.Cassette, r.Number = "cards", 14
			}),
		row(21, "11:24:31.640", "transfer", view.Who{Kind: "card", Card: safe("427600******0129")},
			view.SignHit, said("approved", view.Good, ""), func(r *view.Row) {
				r.Cassette, r.Number, r.Amount = "transfers", 8, sum("30.00 EUR")
			}),
		row(24, "11:24:50.008", "", view.Who{}, view.SignMiss, view.Outcome{}, func(r *view.Row) {
			r.Operation, r.Method, r.Target = "", "POST", safe("registr.do")
			r.Code, r.Served, r.Reason = 501, "nothing", "no-operation"
			r.Hint = safe("did you mean register.do?")
		}),
		row(25, "11:25:02.101", "register", b1044, view.SignHit, said("registered", "", ""),
			paid(1, "125.00 EUR")),
		row(26, "11:25:02.130", "status", view.Who{}, view.SignMiss, view.Outcome{}, func(r *view.Row) {
			r.Code, r.Served, r.Reason = 501, "nothing", "unknown-id"
			r.Fields = []redact.Safe{safe("orderId")}
			r.Sentence = safe("the orderId is the tape's own; this run has issued another in #25")
		}),
		row(28, "11:25:21.020", "pay", b1045, view.SignHit, said("3-D Secure asked", "", ""), from(10)),
		row(29, "11:25:21.031", "3ds-start", b1045, view.SignHit, said("page", "", ""), from(11)),
		row(30, "11:25:21.042", "pay", b1045, view.SignHit, said("challenge at the ACS", "", ""), from(12)),
		row(31, "11:25:21.053", "status", b1045, view.SignWaits, said(atACS, view.Waits, ""),
			paid(13, "49.00 EUR")),
		row(36, "11:25:28.064", "3ds-end", b1045, view.SignHit, said("back to shop", "", ""), from(17)),
		row(136, "11:25:28.101", "", b1045, view.SignCallback, view.Outcome{},
			call(1, 1, "deposited", proxy.OutcomeRefused, 500)),
		row(138, "11:25:30.110", "", b1045, view.SignCallback, view.Outcome{},
			call(1, 2, "deposited", proxy.OutcomeAccepted, 200)),
		row(37, "11:25:30.150", "status", b1045, view.SignHit, said("paid", view.Good, "2/0"),
			paid(18, "49.00 EUR")),
		row(39, "11:25:44.051", "pay", b1046, view.SignRule, said("back to shop", "", ""),
			func(r *view.Row) {
				from(7)(r)
				r.Rules = []view.Fired{{Name: "poor-card"}}
				r.Sentence = safe("poor-card took this branch")
			}),
		row(40, "11:25:44.083", "status", b1046, view.SignDeclined,
			said("declined: insufficient funds", view.Bad, "6/116"), paid(8, "999.00 EUR")),
		row(42, "11:25:58.117", "pay", b1047, view.SignMarked, said("back to shop", "", ""),
			func(r *view.Row) {
				from(2)(r)
				r.Mark, r.MarkWords = "assumed=card", "assumed: card not on tape"
			}),
		row(148, "11:26:03.200", "", b1047, view.SignCallback, view.Outcome{},
			call(3, 3, "refunded", proxy.OutcomeGivenUp, 500)),
		row(149, "11:26:22.140", "", b1049, view.SignCallback, view.Outcome{},
			call(5, 0, "deposited", proxy.OutcomeHeld, 0)),
		row(52, "11:26:17.430", "refund", b1048, view.SignMiss, view.Outcome{}, func(r *view.Row) {
			r.Code, r.Served, r.Reason, r.Nearest = 501, "nothing", "field", "checkout#4"
			r.Fields, r.State = []redact.Safe{safe("amount")}, "registered, paid"
			r.Sentence, r.Took = safe("sent 5000, on tape 2500"), 300*time.Microsecond
		}),
		row(55, "11:26:22.160", "status", b1049, view.SignRule, said("unavailable", "", ""),
			func(r *view.Row) {
				r.Code, r.Served, r.Took = 503, "rule", 301*time.Millisecond
				r.Rules = []view.Fired{{Name: "status-flaky", Count: "1/2"}}
			}),
		row(57, "11:26:22.790", "status", b1049, view.SignHit, said("paid", view.Good, "2/0"),
			paid(3, "125.00 EUR")),
		row(60, "11:26:24.000", "status", order("B-1050", ""), view.SignFailed, view.Outcome{},
			func(r *view.Row) {
				r.Kind, r.Code, r.Problem, r.Served = string(proxy.Failed), 502, "upstream", "deck"
				r.Sentence = safe("the sandbox gave no answer: connection refused")
			}),
		row(61, "11:26:25.000", "", view.Who{}, view.SignNote, view.Outcome{}, func(r *view.Row) {
			r.Kind, r.Code, r.Served, r.Took = string(proxy.Warning), 0, "", 0
			r.Sentence = safe(string(proxy.NoteRulesBroken))
			r.Hint = safe("rules.yaml:7: unknown key \"wen\"")
		}),
		row(12345, "11:31:07.000", "3ds-start", order("ORDER-2026-000017", challenged),
			view.SignHit, said("page", "", ""), func(r *view.Row) {
				r.Cassette, r.Number = "a-cassette-of-a-long-name", 123
			}),
	}
}

// rows writes rows below each other.
func rows(all []view.Row, o line.Options) string {
	var b strings.Builder
	for i := range all {
		for _, text := range line.Row(&all[i], o) {
			b.WriteString(text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

const base = "http://127.0.0.1:7070/"

func TestRows(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]line.Options{
		"rows40": {Columns: 40}, "rows60": {Columns: 60}, "rows80": {Columns: 80, Base: base},
		"rows120": {Columns: 120, Base: base}, "rows160": {Columns: 160, Base: base},
		"rows80color": {Columns: 80, Base: base, Color: true},
	} {
		golden(t, name, rows(run(), o))
	}
}

func TestRowOfEqualReads(t *testing.T) {
	t.Parallel()
	r := run()[8]
	got := strings.Join(line.Row(&r, line.Options{Columns: 80, Times: 2}), "\n")
	const want = "11:25:21   31 status    B-1045 ..1115 . at the ACS, asked 2 times   checkout#13"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
