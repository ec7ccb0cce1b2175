package filter_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/proxy/inspect/filter"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// safe returns a text as cleaned.
func safe(text string) redact.Safe { return redact.New(redact.Options{}).Text(text) }

// body is what was said in an exchange.
const body = "POST /payment/rest/refund.do\n\norderId=1&amount=5000\n\n" +
	`{"errorCode" : "0","bindingId":"b-7","html":"<b>"}`

func declined() *view.Row {
	return &view.Row{
		ID: 40, At: time.Now().Add(-3 * time.Minute), Sign: view.SignDeclined, Kind: "served",
		Session: "shop-a", Profile: "gateway", Operation: "getOrderStatusExtended.do", Short: "status",
		Who: view.Who{
			Kind: "order", Label: safe("B-1046"), ID: safe("c8b1f7aa-2d90"), Card: safe("400000******9995"),
		},
		Code: 200, Served: "tape", State: "register.do 99900, paymentorder.do",
		Outcome: view.Outcome{Words: safe("declined: insufficient funds"), Tone: view.Bad,
			Codes: safe("6/116"), Fields: safe("orderStatus=6 actionCode=116")},
		Amount: &view.Amount{Text: safe("999.00 EUR"), Minor: 99900, Currency: "EUR"},
		Mark:   "assumed=card", Rules: []view.Fired{{Name: "poor-card"}}, Took: 200 * time.Microsecond,
	}
}

func missed() *view.Row {
	return &view.Row{
		ID: 52, At: time.Now(), Sign: view.SignMiss, Kind: "missed", Profile: "gateway", Short: "refund",
		Operation: "refund.do", Code: 501, Served: "nothing", Reason: "field", Took: 60 * time.Millisecond,
		Who: view.Who{Kind: "order", Label: safe("B-1048")},
	}
}

func called() *view.Row {
	return &view.Row{
		ID: 60, At: time.Now().Add(-time.Hour), Sign: view.SignCallback, Kind: "callback",
		Operation: "deposited", Code: 500, Callback: 3, Attempt: 3, CallbackOutcome: "given up",
	}
}

// TestMatch has a row for each key: which of three rows a filter wants. d is the declined one, m the
// miss, and c the callback.
func TestMatch(t *testing.T) {
	t.Parallel()
	rows := map[string]*view.Row{"d": declined(), "m": missed(), "c": called()}
	for _, tc := range []struct{ text, want string }{
		{"", "dmc"}, {"  ", "dmc"},
		{"order:B-1046", "d"}, {"order:b-1046", "d"}, {"order:B-10", ""}, {"order:B-10*", "dm"},
		{"order:c8b1f7aa", "d"}, {"order:*", "dm"}, {"-order:*", "c"},
		{"card:9995", "d"}, {"card:400000", "d"}, {"card:..9995", "d"}, {"card:4000*95", "d"},
		{"card:400000******9995", "d"}, {"card:1115", ""},
		{"op:status", "d"}, {"op:refund", "m"}, {"op:getorderstatusextended.do", "d"}, {"op:refun", ""},
		{"op:ref*", "m"},
		{"served:tape", "d"}, {"served:miss", "m"}, {"served:assumed", "d"}, {"served:nothing", "m"},
		{"served:composed", ""}, {"-served:tape", "mc"},
		{"outcome:declined", "d"}, {`outcome:"insufficient funds"`, "d"}, {"outcome:bad", "d"},
		{"outcome:6/116", "d"}, {"outcome:116", "d"}, {`outcome:"given up"`, "c"}, {"outcome:good", ""},
		{"status:200", "d"}, {"status:5xx", "mc"}, {"status:>500", "m"}, {"status:<=500", "dc"},
		{"amount:999.00", "d"}, {"amount:999", "d"}, {"amount:>100", "d"}, {"amount:<100", ""},
		{"amount:EUR", "d"}, {"amount:>998.99 amount:<=999", "d"}, {"amount:rub", ""},
		{"reason:field", "m"}, {"reason:state", ""},
		{"rule:poor-card", "d"}, {"rule:*", "d"}, {"rule:poor", "d"},
		{"callback:3", "c"}, {"callback:c3", "c"}, {"callback:*", "c"}, {"callback:deposited", "c"},
		{"callback:1", ""}, {`callback:"given up"`, "c"},
		{"ms:>=50", "m"}, {"ms:<1", "dc"}, {"ms:60", "m"}, {"ms:0.2", ""}, {"ms:>0.1", "dm"},
		{"since:5m", "dm"}, {"since:2m", "m"}, {"since:2h", "dmc"},
		{"state:register.do", "d"}, {"state:*", "d"},
		{"body:amount=5000", "dm"}, {"body:amount*b-7", "dm"}, {"body:nothing", ""},
		{"has:bindingId", "dm"}, {"has:orderid", "dm"}, {"has:errorCode", "dm"}, {"has:binding", ""},
		{"has:order", ""},
		{"session:shop-a", "d"}, {"profile:gateway", "dm"}, {"id:52", "m"}, {"id:>=52", "mc"},
		{"id:#52", "m"},
		{"1046", "d"}, {"B-10", "dm"}, {"funds", "d"}, {"insufficient funds", "d"},
		{`"insufficient funds"`, "d"}, {`"funds insufficient"`, ""}, {"-funds", "mc"}, {"given", "c"},
		{"status or refund", "dm"}, {"( op:refund or callback:* ) status:5xx", "mc"},
		{"op:refund or callback:* status:>500", "m"}, {"-(op:refund or callback:*)", "d"},
		{"-( op:refund status:501 )", "dc"}, {"-(-op:refund)", "m"}, {"( ( ( refund ) ) )", "m"},
		{`op:"refund.do"`, "m"}, {"OP:refund", "m"}, {"a or OR", "error"},
	} {
		f, err := filter.Parse(tc.text)
		if tc.want == "error" {
			if err == nil {
				t.Errorf("%s: no error", tc.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		got := ""
		for _, name := range []string{"d", "m", "c"} {
			of := func() string { return body }
			if name == "c" {
				of = nil
			}
			if f.Match(rows[name], of) {
				got += name
			}
		}
		if got != tc.want {
			t.Errorf("%s: wants %q, not %q", tc.text, got, tc.want)
		}
	}
}

// TestErrors has what a person reads, and where.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text   string
		column int
		want   string
	}{
		{"oder:7", 0, `there is no key "oder:"; did you mean order?`},
		{"op:refund xyzzyxyzzy:1", 10, `there is no key "xyzzyxyzzy:"; it is one of amount, body`},
		{"op:", 3, "op: needs a value: operation"},
		{`op:"`, 3, "the quote has no end"},
		{`"a"b`, 3, "a space is missing after the quote"},
		{`""`, 0, "nothing stands in the quotes"},
		{"served:mis", 7, `served is never "mis"; did you mean miss?`},
		{"status:abc", 7, "status is a number"},
		{"ms:fast", 3, "ms is a number of milliseconds"},
		{"ms:NaN", 3, "ms is a number of milliseconds"},
		{"amount:12,5", 7, "amount is a sum"},
		{"since:yesterday", 6, "since is a time"},
		{"id:x", 3, "id is the number of a row"},
		{"( a", 0, `the ")" of this "(" is missing`},
		{"a )", 2, `a ")" without a "("`},
		{"()", 0, `nothing stands between "(" and ")"`},
		{"or a", 0, `nothing stands before "or"`},
		{"a or", 2, `nothing stands after "or"`},
		{"a -", 2, `"-" stands in front of what is not wanted`},
		{"--a", 0, `"-" stands in front of what is not wanted`},
		{strings.Repeat("a", 5000), 0, "the filter is longer than 4096 bytes"},
	} {
		_, err := filter.Parse(tc.text)
		var e *filter.Error
		if !errors.As(err, &e) || e.Column != tc.column || !strings.HasPrefix(e.Text, tc.want) {
			t.Errorf("%.40s: %+v; want %d %s", tc.text, err, tc.column, tc.want)
		}
	}
}

// TestReads has what a filter says of itself.
func TestReads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "everything",
		"op:refund served:miss":  "op refund, served miss",
		"-served:tape since:5m":  "not served tape, of the last 5m",
		"(a or op:b) amount:>=1": `(either "a", or op b), amount at least 1`,
		"-(a b) ms:>5":           `not ("a", "b"), took more than 5 ms`,
		"status:4xx or a b":      `either status 4xx, or ("a", "b")`,
	} {
		f, err := filter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Reads(); got != want {
			t.Errorf("%s reads %q, want %q", text, got, want)
		}
	}
}

// card is a published test number.
var card = "400000" + "000000" + "1118"

// TestCardBecomesItsMask types a card number in every way.
func TestCardBecomesItsMask(t *testing.T) {
	t.Parallel()
	number := pan.WithResidue(card, 15, pan.Valid)
	surrogate := pan.WithResidue(number, 11, pan.Surrogate)
	mask := number[:6] + "******" + number[12:]
	row := &view.Row{Who: view.Who{Card: safe(mask)}}
	spaced := number[:4] + " " + number[4:8] + " " + number[8:12] + "-" + number[12:]
	wide := strings.Map(func(r rune) rune { return r - '0' + '０' }, number)
	for _, text := range []string{
		number, "card:" + number, `card:"` + spaced + `"`, spaced, wide, surrogate, "card:" + surrogate,
		number[:6] + ` "` + number[6:] + `"`, "-(-" + number + ")",
		"oder:" + number, "served:" + number, "status:" + number, `"` + number, "(" + number,
		`"` + number[:8] + `\\` + number[8:] + `"`,
	} {
		f, err := filter.Parse(text)
		said := filter.Masked(text)
		if err != nil {
			said += err.Error()
		} else {
			said += f.String() + f.Reads()
		}
		if strings.Contains(said, number) || strings.Contains(said, surrogate) || strings.Contains(said, wide) {
			t.Errorf("%d bytes of a filter repeat a number", len(text))
		}
		if err == nil && !strings.Contains(text, `\`) && !f.Match(row, nil) {
			t.Errorf("%s does not find the mask", f)
		}
	}
}

// TestSinceTimeOfDay has clocks show a time of the day.
func TestSinceTimeOfDay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(11 * time.Hour)
		now := time.Now()
		f, err := filter.Parse("since:" + now.Add(-time.Hour).Local().Format("15:04"))
		if err != nil {
			t.Fatal(err)
		}
		early, late := &view.Row{At: now.Add(-2 * time.Hour)}, &view.Row{At: now.Add(-time.Minute)}
		if f.Match(early, nil) || !f.Match(late, nil) || !f.Moves() {
			t.Error("a time of the day is another")
		}
		night, _ := filter.Parse("since:" + now.Add(time.Hour).Local().Format("15:04:05"))
		if !night.Match(early, nil) || night.Match(&view.Row{At: now.Add(-25 * time.Hour)}, nil) {
			t.Error("a time that has not come today is not yesterday's")
		}
	})
}

// TestAt has the word that a person is writing.
func TestAt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text  string // the cursor stands at the bar
		key   string
		typed string
		from  int
		to    int
	}{
		{"|", "", "", 0, 0}, {"se|", "", "se", 0, 2}, {"served:|", "served", "", 7, 7},
		{"served:mi|", "served", "mi", 7, 9}, {"served:m|is", "served", "m", 7, 10},
		{"op:refund |", "", "", 10, 10}, {"op:refund -served:t|", "served", "t", 18, 19},
		{"( op:r|", "op", "r", 5, 6}, {`outcome:"insuff|`, "outcome", "insuff", 8, 15},
		{"nokey:a|", "", "nokey:a", 0, 7}, {"a |b", "", "", 2, 2}, {"o|p:x", "", "o", 0, 4},
	} {
		at := strings.IndexByte(tc.text, '|')
		p := filter.At(strings.Replace(tc.text, "|", "", 1), at)
		key := ""
		if p.Key != nil {
			key = p.Key.Name
		}
		if key != tc.key || p.Typed != tc.typed || p.From != tc.from || p.To != tc.to {
			t.Errorf("%s: %s %q %d-%d", tc.text, key, p.Typed, p.From, p.To)
		}
	}
}

// FuzzParse has any text end, and the text of a filter be the filter.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "a", "op:refund -served:tape", "( a or b ) c", `outcome:"a \" b\\"`, "-(a b)", "a or b or c d",
		"card:" + card, `411111 "1111111111"`, "status:4xx amount:>=1.5 since:5m", "\"\xff\" \x00", "-(-a)",
		"(((a or b) or c))", "or", ":", "a:b", `""`, `op:"or"`, `"or" "-x" "op:y"`, "é:x", "http://x",
	} {
		f.Add(text)
	}
	row := declined()
	f.Fuzz(func(t *testing.T, text string) {
		one, err := filter.Parse(text)
		filter.At(text, len(text)/2)
		if err != nil {
			if one != nil {
				t.Fatal("an error comes with a filter")
			}
			return
		}
		two, err := filter.Parse(one.String())
		if err != nil {
			t.Fatalf("%q of %q: %v", one, text, err)
		}
		if two.String() != one.String() || two.Reads() != one.Reads() {
			t.Fatalf("%q reads %q, and %q reads %q", one, one.Reads(), two, two.Reads())
		}
		if m := filter.Masked(one.String()); m != one.String() {
			t.Fatalf("%q has a card number", one)
		}
		of := func() string { return body }
		if one.Match(row, of) != two.Match(row, of) {
			t.Fatalf("%q wants another row than %q", one, two)
		}
		if one.Empty() {
			return
		}
		if no, err := filter.Parse("-( " + one.String() + " )"); err == nil {
			if no.Match(row, of) == one.Match(row, of) {
				t.Fatalf("%q wants what %q wants", no, one)
			}
		}
	})
}
