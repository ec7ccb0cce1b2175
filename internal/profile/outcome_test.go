package profile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

const worded = `profile: shop
paths: [/shop/]
operations:
  pay: {methods: [POST], path: /shop/pay, carrier: json, writes: true, request: {id: minted payment}}
  look at payments: {methods: [GET], path: "/shop/payments/{id}", carrier: query}
declines: {field: reason, codes: {"51": Insufficient funds, "9": PIN wrong}, answers: {pay: {}}}
outcome:
  who: [payment]
  amounts: {sum: money, Fee: feeMoney}
  amount: [sum, Fee]
  currency: EUR
  codes:
    reason: {include: declines, "0": {good: ok}, "9": the PIN}
    state: {"1": {waits: waiting}, "2": paid}
  show: state
  failed: [{bad: "declined[: ${reason|message}]", when: [{status: 400+}, {key: reason, not: "0"}]}]
  words: "${state}[ ${amount}]"
  operations:
    pay: {short: buy, from: browser, to: acs, words: [{say: "${count item/items}", of: items}]}
    look at payments: {words: [seen]}
`

func TestOutcome(t *testing.T) {
	t.Parallel()
	o := parse(t, worded).Outcome
	type facts struct {
		Who, Amount, Show []string
		Amounts           map[string]profile.Money
		Currency          string
		Codes             map[string]map[string]profile.Code
		Phrases           []string
	}
	want := facts{
		Who: []string{"payment"}, Amount: []string{"sum", "fee"}, Show: []string{"state"},
		Amounts:  map[string]profile.Money{"sum": {Currency: "money"}, "fee": {Currency: "feemoney"}},
		Currency: "EUR",
		Codes: map[string]map[string]profile.Code{
			"reason": {"51": {Words: "insufficient funds", Tone: profile.Bad}, "9": {Words: "the PIN"},
				"0": {Words: "ok", Tone: profile.Good}},
			"state": {"1": {Words: "waiting", Tone: profile.Waits}, "2": {Words: "paid"}},
		},
		Phrases: []string{"ok", "insufficient funds", "the PIN", "waiting", "paid",
			"declined[: ${reason|message}]", "${state}[ ${amount}]", "seen", "${count item/items}"},
	}
	got := facts{o.Who, o.Amount, o.Show, o.Amounts, o.Currency, o.Codes, o.Phrases()}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	if w := o.Wording("pay"); w.Short != "buy" || w.From != "browser" || w.To != "acs" ||
		len(w.Words) != 1 || !cmp.Equal(w.Words[0].Of, []string{"items"}) {
		t.Errorf("pay: %+v", w)
	}
	if w := o.Wording("nothing of that name"); w == nil || w.Words != nil {
		t.Errorf("an unknown operation: %+v", w)
	}
	if f := o.Failed[0]; f.Tone != profile.Bad || len(f.When) != 2 || !f.When[0].AndMore {
		t.Errorf("failed: %+v", f)
	}
	if !o.IsCurrency("feemoney") || o.IsCurrency("sum") {
		t.Error("the fields of currencies are others")
	}
}

// TestShortName derives names that no profile says.
func TestShortName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, want string }{
		{"/shop/pay", "pay"}, {"/shop/doSomethingLong.do", "dosomethi"}, {"/shop/cards/{id}", "cards"},
		{"/{a}/{b}", "o"},
	} {
		p := parse(t, one("x", "/", "o", test.path))
		if got := p.Operations[0].ShortName(); got != test.want {
			t.Errorf("%s: %q, want %q", test.path, got, test.want)
		}
	}
	if got := parse(t, worded).Operations[0].ShortName(); got != "buy" {
		t.Errorf("what a profile says: %q", got)
	}
}

func TestPhrase(t *testing.T) {
	t.Parallel()
	values := map[string]string{"a": "1", "b": "2"}
	find := func(name string) string { return values[name] }
	for _, test := range []struct {
		phrase, want string
		ok           bool
	}{
		{"paid", "paid", true}, {"${a} of ${b}", "1 of 2", true}, {"${c|b}", "2", true},
		{"x[: ${c}]", "x", true}, {"x[: ${a}] y", "x: 1 y", true}, {"x ${c}", "", false},
		{"x[: ${a} ${c}]", "x", true},
	} {
		o := parse(t, phrased(test.phrase)).Outcome
		got, ok := o.Words[0].Words.Fill(find)
		if got != test.want || ok != test.ok {
			t.Errorf("%s: %q, %v; want %q, %v", test.phrase, got, ok, test.want, test.ok)
		}
		if back := o.Words[0].Words.String(); back != test.phrase {
			t.Errorf("%s is written as %s", test.phrase, back)
		}
	}
	for _, bad := range []string{"[a", "a]", "[]", "[a[b]]", "${a", "${}", "${a|}", "$a", "${a${b}}"} {
		if _, err := profile.Parse("x.yaml", []byte(phrased(bad))); err == nil {
			t.Errorf("%s is a phrase", bad)
		}
	}
}

func phrased(words string) string { return "profile: x\npaths: [/]\noutcome: {words: '" + words + "'}" }

func TestOutcomeErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ old, new, want string }{
		{"who: [payment]", "who: [order]",
			`:8: outcome: who: expected a noun that some row has, found "order"`},
		{"{sum: money,", "{sum: ,",
			":9: outcome: amounts: expected the field of a currency, found nothing"},
		{"include: declines", "include: refusals", `:13: outcome: codes: field "reason": ` +
			`expected "declines", and that section, found "refusals"`},
		{"{good: ok}", "{good: ok, bad: no}", `:13: outcome: codes: field "reason": code "0": bad: ` +
			`expected one tone, found "no"`},
		{"{good: ok}", "{}", `:13: outcome: codes: field "reason": ` +
			"expected words, or good, bad or waits and words, found a mapping"},
		{`bad: "declined`, `good: fine, bad: "declined`,
			`:16: outcome: failed: bad: expected one of say, good, bad and waits, found "declined[: ${reason|message}]"`},
		{`bad: "declined[: ${reason|message}]", `, "",
			":16: outcome: failed: expected one of say, good, bad and waits, found none"},
		{"[ ${amount}]", "[ ${amount}",
			`:17: outcome: words: expected words such as "declined[: ${reason|message}]", found "${state}[ ${amount}"`},
		{"look at payments: {words", "look: {words",
			`:20: outcome: operations: expected the name of an operation, found "look"`},
		{"short: buy", "short: buysomething", `:19: outcome: operations: operation "pay": short: ` +
			`expected a word of 9 small letters, digits and dashes at most, found "buysomething"`},
		{"to: acs", "to: bank", `:19: outcome: operations: operation "pay": to: expected ` +
			`client, deck, sandbox, browser, acs, shop, found "bank"`},
		{"{status: 400+}", "{}", ":16: outcome: failed: when: expected a status, or a key and its " +
			"value, found half a condition"},
	} {
		text := strings.Replace(worded, test.old, test.new, 1)
		if text == worded {
			t.Fatalf("%q is not in the profile", test.old)
		}
		_, err := profile.Parse("shop.yaml", []byte(text))
		if err == nil || withoutColumn(err) != "shop.yaml"+test.want {
			t.Errorf("%s:\ngot  %v\nwant shop.yaml%s", test.new, err, test.want)
		}
	}
}
