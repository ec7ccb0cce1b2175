package line_test

import (
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/inspect/line"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// rowWith returns the row of the run that has an ID.
func rowWith(t testing.TB, id uint64) view.Row {
	for _, r := range run() {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("there is no row %d", id)
	return view.Row{}
}

func missed(t testing.TB) *view.Why {
	return &view.Why{
		Row: rowWith(t, 52), Title: safe("miss: field amount"),
		Sentence: safe("The client asked to refund 50.00 EUR. The tape has a refund of an order in this " +
			"state, but of 25.00 EUR, and amount must be equal."),
		Rungs: []view.Rung{
			{Name: "operation", Verdict: view.Yes,
				Text: safe("refund.do is known (gateway.yaml:744), it writes")},
			{Name: "order", Verdict: view.Yes, Text: safe("c8b1f7aa..00c4a1e5 was minted in #48 in this run")},
			{Name: "state", Verdict: view.Yes,
				Text: safe("registered, paid with 400000******1118: 1 recording")},
			{Name: "fields", Verdict: view.No,
				Text: safe("amount   sent 5000   on tape 2500   exact (gateway.yaml:753)")},
			{Name: "likeness", Verdict: view.NotTried, Text: safe("not tried")},
			{Name: "rules", Verdict: view.NotTried, Text: safe("none armed for refund.do")},
		},
		Compared: []view.Compared{
			{Place: "form", Path: "orderId", Sent: safe("c8b1f7aa..00c4a1e5"), Role: "names the order",
				Row: "gateway.yaml:138"},
			{Place: "form", Path: "amount", Sent: safe("5000"), Role: "must be equal",
				Row: "exact (gateway.yaml:753)", Differs: true},
		},
		Candidates: []view.Candidate{
			{Exchange: "checkout#4", State: "registered, paid", Equal: true, Differs: []view.Differ{
				{Path: safe("amount"), Tape: safe("2500"), Sent: safe("5000")}}},
			{Exchange: "checkout#24", State: "registered, paid, refunded in part",
				Differs: []view.Differ{{Path: safe("amount"), Tape: safe("0"), Sent: safe("5000")}}},
		},
		Mends: []view.Mend{
			{Text: safe("send amount=2500"), Kind: "client"},
			{Text: safe("record what is missing"), Kind: "command",
				Code: safe("paytape record --upstream https://pay.example checkout")},
			{Text: safe("rows for a rules file (answers #5 and #41 repeat the amount):"), Kind: "rules",
				Code: safe("rewrite:\n  refund.do: {request: {amount: client shared}}\n" +
					"  getOrderStatusExtended.do: {response: {refundedAmount: client shared}}\n")},
		},
		Same: 2,
	}
}

func served(t testing.TB) *view.Why {
	w := &view.Why{
		Row: rowWith(t, 37), Title: safe("from tape: checkout#18"),
		Sentence: safe("The order is paid, and one recording shows its status then."),
		Candidates: []view.Candidate{{Exchange: "checkout#18", State: "registered, paid", Equal: true,
			Answers: "200, errorCode 0", Served: true}},
		Before: "registered, paid", After: "registered, paid",
	}
	return w
}

func flow() *view.Flow {
	all := run()
	return &view.Flow{
		Group: view.Group{
			ID: "g12", Who: order("B-1045", challenged), At: at("11:25:21.000"),
			Took: 9150 * time.Millisecond, Outcome: said("paid", view.Good, "2/0"), Amount: sum("49.00 EUR"),
			Rows: 10,
		},
		States: []view.Stage{
			{Words: safe("registered"), Code: safe("0"), ID: 27},
			{Words: safe("at the ACS"), Code: safe("5"), Tone: view.Waits, After: 53 * time.Millisecond, ID: 31},
			{Words: safe("paid"), Code: safe("2"), Tone: view.Good, After: 9150 * time.Millisecond, ID: 37},
		},
		Rows: all[5:13], More: 2,
	}
}

func paidStatus(t testing.TB) *view.Exchange {
	return &view.Exchange{
		Row: rowWith(t, 37), Before: "registered, paid", After: "registered, paid",
		RequestFields: []view.Field{
			{Path: "orderId", Live: safe("c8b1f7aa-5e77"), HasLive: true, Tape: safe("3f6c91d2-0b15"),
				HasTape: true, Kind: view.Fresh, Noun: "order"},
			{Path: "language", HasTape: true, Tape: safe("en"), Kind: view.Constant},
		},
		ResponseFields: []view.Field{
			{Path: "amount", Live: safe("4900"), HasLive: true, Tape: safe("12500"), HasTape: true,
				Kind: view.Echo, Human: safe("49.00 EUR")},
			{Path: "orderStatus", Live: safe("2"), HasLive: true, Tape: safe("2"), HasTape: true,
				Kind: view.Constant, Human: safe("paid")},
			{Path: "cardAuthInfo.maskedPan", Live: safe(challenged), HasLive: true, Tape: safe(foreign),
				HasTape: true, Kind: view.Mask},
		},
		Request: view.Message{
			Line:   safe("POST /payment/rest/getOrderStatusExtended.do"),
			Header: []view.HeaderField{{Name: safe("Content-Type"), Value: safe("application/x-www-form-urlencoded")}},
			Body:   safe("orderId=c8b1f7aa-5e77&userName=REDACTED"),
		},
		Response: view.Message{
			Line: safe("200 OK"), Header: []view.HeaderField{{Name: safe("Content-Type"), Value: safe("application/json")}},
			Body:   safe(`{"orderStatus":2,"amount":4900}`),
			Pretty: derivedText("{\n  \"orderStatus\": 2,\n  \"amount\": 4900\n}"),
		},
	}
}

func status() *view.Status {
	return &view.Status{
		Mode: "replay", Cassettes: []string{"checkout", "cards", "transfers"}, Exchanges: 96, Rules: 6,
		URL: "http://127.0.0.1:8080", Since: at("11:21:35.000"), Requests: 72, Hits: 67, Misses: 3, Marked: 6,
		Ruled:     2,
		Callbacks: view.CallbackCounts{Accepted: 3, Refused: 1, Held: 1},
	}
}

func window(t testing.TB) *view.Window {
	f := flow()
	miss := rowWith(t, 52)
	return &view.Window{
		Total: 14, At: 0, Last: 72, Lost: 2, Lines: []view.Line{
			{Level: 1, Group: &f.Group},
			{Level: 2, Row: &f.Rows[0]}, {Level: 2, Row: &f.Rows[7]},
			{Level: 1, Folded: true, Group: &view.Group{ID: "g14", Who: order("B-1046", poor),
				At: at("11:25:44.000"), Took: 70 * time.Millisecond, Rows: 3,
				Outcome: said("declined: insufficient funds", view.Bad, "6/116")}},
			{Level: 1, Group: &view.Group{ID: "g15", Who: miss.Who, At: miss.At, Rows: 5, Misses: 1,
				Outcome: said("paid", view.Good, ""), Amount: sum("125.00 EUR")}},
			{Level: 2, Row: &miss},
		},
		Counts: view.Counts{All: 72, Groups: 9, Declined: 2, Misses: 3, Marked: 6, Ruled: 2, Callbacks: 5},
	}
}

// pages are all texts that fill a terminal.
func pages(t testing.TB) map[string]func(line.Options) string {
	return map[string]func(line.Options) string{
		"why":      func(o line.Options) string { return line.Why(missed(t), o) },
		"whyhit":   func(o line.Options) string { return line.Why(served(t), o) },
		"flow":     func(o line.Options) string { return line.Flow(flow(), o) },
		"exchange": func(o line.Options) string { return line.Exchange(paidStatus(t), o) },
		"status": func(o line.Options) string {
			o.Now = at("11:26:22.000")
			return line.Status(status(), o)
		},
		"window": func(o line.Options) string { return line.Window(window(t), o) },
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	for name, page := range pages(t) {
		golden(t, name+"80", page(line.Options{Columns: 80, Base: base}))
		golden(t, name+"120", page(line.Options{Columns: 120, Base: base}))
		for _, columns := range []int{40, 61, 80, 112, 300} {
			plain := page(line.Options{Columns: columns})
			checkText(t, plain, columns)
			coloured := page(line.Options{Columns: columns, Color: true})
			if got := sgr.ReplaceAllString(coloured, ""); got != plain {
				t.Errorf("%s in %d columns: colour changes more than colour:\n%s\n%s", name, columns, got,
					plain)
			}
		}
	}
}

func TestStatusLine(t *testing.T) {
	t.Parallel()
	got := line.StatusLine(status(), line.Options{Columns: 80, Now: at("11:26:22.000")})
	const want = "replay  72 requests  3 misses  6 marked  callbacks 3 ok 1 refused 1 held   04:47"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if strings.HasSuffix(line.StatusLine(status(), line.Options{Columns: 40}), " ") {
		t.Error("spaces at the end")
	}
}

// seen is what a run was that was watched.
func seen() line.Seen {
	var s line.Seen
	for _, r := range run() {
		if r.Who.Kind != "" {
			r.Group = r.Who.Kind + r.Who.Label.String()
		}
		s.Add(&r)
	}
	return s
}

func ending() *line.Ending {
	return &line.Ending{
		Status: *status(), Took: 287 * time.Second, Seen: seen(),
		Marks: []line.Count{{Name: "assumed=card", N: 6}},
		Rules: []rules.Status{
			{Name: "status-flaky", Fired: 2}, {Name: "poor-card", Fired: 1}, {Name: "slow-issuer"},
			{Name: "held-not-paid"},
		},
		Unused:      []string{"checkout registerPreAuth.do 28-32", "checkout reverse.do 25-26"},
		UnusedCount: 15, UnusedOf: 42,
		Would: "--strict: 1 for 3 misses and 2 callbacks; --fail-unused: 1",
	}
}

func TestEnd(t *testing.T) {
	t.Parallel()
	golden(t, "end80", line.End(ending(), line.Options{Columns: 80}))
	golden(t, "end120", line.End(ending(), line.Options{Columns: 120}))
	well := &line.Ending{
		Status: view.Status{Mode: "replay", Cassettes: []string{"checkout"}, Requests: 72, Hits: 72,
			Callbacks: view.CallbackCounts{Accepted: 5}},
		Took: 11 * time.Second,
	}
	const want = "replay of checkout ended after 11 s\n" +
		"  72 requests, all from tape, none marked; 5 callbacks, all accepted\nexit 0\n"
	if got := line.End(well, line.Options{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHeader(t *testing.T) {
	t.Parallel()
	const url = "http://127.0.0.1:7070/TOKENTOKENTOKENTOKENTOKEN/"
	for columns, note := range map[int]string{40: "", 80: "", 120: "  (this link is your key)"} {
		want := "paytape  replay of checkout, cards, transfers: 96 exchanges, 6 rules\n" +
			"deck     http://127.0.0.1:8080\ninspect  " + url + note + "\nstop     Ctrl+C\n\n"
		if got := line.Header(status(), url, line.Options{Columns: columns}); got != want {
			t.Errorf("%d columns: got\n%s\nwant\n%s", columns, got, want)
		}
	}
}

// TestMissesAlike misses the same three times, a path twice, and looks at the table of the end and at
// what a line of 80 columns says below.
func TestMissesAlike(t *testing.T) {
	t.Parallel()
	var s line.Seen
	row := func(id uint64, reason, operation, target, sentence, hint string) view.Row {
		r := view.Row{
			ID: id, Sign: view.SignMiss, Kind: "missed", Reason: reason, Operation: operation,
			Code: 501, Served: "nothing", Sentence: cleaner.Text(sentence), Hint: cleaner.Text(hint),
		}
		if r.Short = "refund"; operation == "" {
			r.Short, r.Method, r.Target = "", "POST", cleaner.Text(target)
		}
		return r
	}
	const differs = "no recording agrees: amount differs (sent 5000, on tape 2500)"
	const unknown = "no profile knows this path and the tape has no call like it"
	rows := []view.Row{
		row(4, "field", "refund.do", "", differs, "send amount=2500"),
		row(5, "state", "refund.do", "", "refund.do comes after register.do; on tape it comes later", "h"),
		row(6, "field", "refund.do", "", differs, "send amount=2500"),
		row(7, "path", "", "/pay/registr.do", unknown, "did you mean /pay/register.do?"),
		row(8, "field", "refund.do", "", differs, "send amount=2500"),
	}
	for i := range rows {
		s.Add(&rows[i])
	}
	end := line.End(&line.Ending{
		Status: view.Status{Mode: "replay", Requests: 5, Misses: 5}, Seen: s,
	}, line.Options{Columns: 120})
	for _, want := range []string{
		"    4  field  refund                     amount differs (sent 5000, on tape 2500); 3 times\n",
		"    5  state  refund                     after register.do; on tape it comes later\n",
		"    7  path   POST pay/registr.do        did you mean /pay/register.do?\n",
	} {
		if squeeze(end) == "" || !strings.Contains(squeeze(end), squeeze(want)) {
			t.Errorf("no line %q in\n%s", want, end)
		}
	}
	if strings.Count(end, "2500") != 1 {
		t.Errorf("a miss is told twice:\n%s", end)
	}
	got := strings.Join(line.Row(&rows[3], line.Options{Columns: 80}), "\n")
	if !strings.Contains(got, "did you mean /pay/register.do?") {
		t.Errorf("the path that is meant is not shown:\n%s", got)
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// TestHits counts what a deck passes on as exchanges: it has no hits and no misses.
func TestHits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		served, words string
		misses        int
		want          string
	}{
		{"tape", "paid", 0, "12 hits a second, 0 misses; last paid"},
		{"upstream", "", 0, "12 exchanges a second"},
		{"upstream", "paid", 0, "12 exchanges a second; last paid"},
	} {
		r := view.Row{Served: test.served, Outcome: view.Outcome{Words: cleaner.Text(test.words)}}
		got := line.Hits(&r, 12, test.misses, line.Options{Columns: 80})
		if _, said, _ := strings.Cut(squeeze(got), " "); said != test.want {
			t.Errorf("%q, want %q", said, test.want)
		}
	}
}
