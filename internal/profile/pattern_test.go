package profile_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, written string // "" where it is written as it was read
		matches, others  []string
	}{
		{"R#########", "", []string{"R123456789"}, []string{"R12345678", "r123456789", "R12345678x", "R1234567890"}},
		{"ch_[0-9a-f]{16}", "", []string{"ch_0123456789abcdef"}, []string{"ch_0123456789abcdeg", "ch_"}},
		{"[A-Z]#{5}", "[A-Z]#####", []string{"X12345"}, []string{"x12345", "X1234"}},
		{"#{14}", "", []string{"01234567890123"}, []string{"0123456789012"}},
		{"[ab][0123456789]", "[ab]#", []string{"a1", "b9"}, []string{"c1"}},
		{`A\#[#-]`, "", []string{"A#-", "A##"}, []string{"A#1"}},
		{"xxxxxx", "x{6}", []string{"xxxxxx"}, []string{"xxxx"}},
		{"T-[0-9A-F]{4}", "", []string{"T-0AF9"}, []string{"T-0AG9"}},
		{"[a-zA-Z0-9]{24}", "[0-9A-Za-z]{24}", []string{strings.Repeat("aZ9", 8)}, []string{strings.Repeat("-", 24)}},
	} {
		p, err := profile.ParsePattern(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		want := test.written
		if want == "" {
			want = test.pattern
		}
		if p.String() != want {
			t.Errorf("%s is written %s, want %s", test.pattern, p, want)
		}
		for _, text := range test.matches {
			if !p.Matches(text) {
				t.Errorf("%s does not match %s", test.pattern, text)
			}
		}
		for _, text := range test.others {
			if p.Matches(text) {
				t.Errorf("%s matches %s", test.pattern, text)
			}
		}
	}
}

func TestPatternErrors(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"":            `expected a pattern such as R#########, found nothing: a pattern that begins with "#" needs quotes around the row`,
		"R[":          `expected signs and "]" after "[" in a pattern, found "["`,
		"R[]":         `expected signs and "]" after "[" in a pattern, found "[]"`,
		"R[z-a]":      `expected signs of ASCII in ascending order in the brackets of a pattern, found "[z-a]"`,
		"R#{":         `expected a number and "}" after "{" in a pattern, found "{"`,
		"R#{0}":       `expected a number and "}" after "{" in a pattern, found "{0}"`,
		"R#{600}":     `expected a number and "}" after "{" in a pattern, found "{600}"`,
		"#{500}{1}":   `expected a sign, "#" or "[" in a pattern, found "{1}"`,
		"#{500}#{50}": "expected a pattern of 512 signs at most, found a longer one",
		"é":           "expected signs of ASCII in a pattern, found another",
		`R\`:          `expected a sign, "#" or "[" in a pattern, found "\\"`,
	} {
		if _, err := profile.ParsePattern(pattern); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", pattern, err, want)
		}
	}
}

// The pattern that values have in common says no more than they show.
func TestCommonPattern(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, want string
		texts      []string
	}{
		{"a letter before digits", "R#########", []string{"R123456789", "R975310864"}},
		{"digits of hex", "ch_[0-9a-f]{16}", []string{"ch_0f3c99aa01b2d4e5", "ch_77b1e09f4cd2a1b6"}},
		{"a prefix that is a word", "cus_[0-9A-Za-z]{14}", []string{"cus_Qx7Zk29LmPw0sT", "cus_aB3dE5gH7jK9mN"}},
		{"letters and digits by place", "[A-Z]#####", []string{"T39264", "C21983"}},
		{"no letters but those of hex", "[A-F]#####", []string{"A39264", "C21983"}},
		{"what three have in common stays", "ORD-20261123-[0-9A-F]{6}####",
			[]string{"ORD-20261123-A1B2C30001", "ORD-20261123-9F8E7D4711", "ORD-20261123-00FFA19876"}},
		{"numbers in turn stay numbers", "ORD-#######", []string{"ORD-1000041", "ORD-1000042", "ORD-1000043"}[:2]},
		{"other lengths", "", []string{"R1", "R12"}},
		{"one alone", "", []string{"R123456789"}},
		{"the same twice", "", []string{"R123456789", "R123456789"}},
		{"none", "", nil},
		{"letters of another alphabet", "", []string{"Ж1", "Ж2"}},
	} {
		if got := profile.CommonPattern(test.texts).String(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// What a pattern makes looks as the pattern says, and a pattern is read as it is written.
func FuzzParsePattern(f *testing.F) {
	for _, seed := range []string{"R#########", "ch_[0-9a-f]{16}", `\#[a-]{3}`, "[--]", "{", "[]]", "#{512}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := profile.ParsePattern(text)
		if err != nil {
			if !p.IsZero() {
				t.Fatal("an error comes with a pattern")
			}
			return
		}
		again, err := profile.ParsePattern(p.String())
		if err != nil || again.String() != p.String() {
			t.Fatalf("%q is written %q, which is read as %q: %v", text, p, again, err)
		}
		made := p.Fill(rand.New(rand.NewPCG(1, 2)).IntN)
		if !p.Matches(made) || !again.Matches(made) || !strings.HasPrefix(made, p.Prefix()) {
			t.Fatalf("%q makes %q, which does not look so", p, made)
		}
	})
}

// Values that have a pattern in common look so, all of them.
func FuzzCommonPattern(f *testing.F) {
	f.Add("R123456789", "R975310864", "R111111111")
	f.Add("a-b]", "c-d\\", "{}#1")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		texts := []string{a, b, c}
		p := profile.CommonPattern(texts)
		if p.IsZero() {
			return
		}
		read, err := profile.ParsePattern(p.String())
		if err != nil {
			t.Fatalf("%q of %q cannot be read: %v", p, texts, err)
		}
		for _, text := range texts {
			if !p.Matches(text) || !read.Matches(text) {
				t.Fatalf("%q does not match %q", p, text)
			}
		}
	})
}

// A pattern stands behind a noun that the API mints, and a noun has one.
func TestPatternsInRows(t *testing.T) {
	t.Parallel()
	const head = "profile: shop\npaths: [/]\noperations:\n  pay:\n    methods: [POST]\n    path: /pay\n" +
		"    carrier: json\n    response:\n"
	for rows, want := range map[string]string{
		"      receipt: minted receipt like R###\n":                    "",
		"      a: minted receipt like R###\n      b: minted receipt\n": "",
		"      a: minted receipt like R###\n      b: minted receipt like R##\n": "shop.yaml:10:10: operation " +
			`"pay": response: field "b": expected one pattern for the noun "receipt", found R### and R##`,
		"      receipt: client unique receipt like R###\n": `shop.yaml:9:16: operation "pay": response: field ` +
			`"receipt": expected "minted" before "like", found "client unique receipt"`,
		"      number: minted card like 4###, pan\n": `shop.yaml:9:15: operation "pay": response: field ` +
			`"number": expected no pattern of the number of a card, which has a check digit, found ` +
			`"minted card like 4###, pan"`,
		"      receipt: minted receipt like ###\n": `shop.yaml:9:16: operation "pay": response: field ` +
			`"receipt": expected a pattern such as R#########, found nothing: a pattern that begins with "#" ` +
			"needs quotes around the row",
	} {
		p, err := profile.Parse("shop.yaml", []byte(head+rows))
		switch {
		case want == "" && (err != nil || p.Pattern("receipt").String() != "R###"):
			t.Errorf("%s: %v", rows, err)
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: got %v\nwant %s", rows, err, want)
		}
	}
	if _, err := profile.ParseRow("minted receipt like R###"); err == nil {
		t.Error("a row of a rules file has a pattern")
	}
}

// A Sample holds none of the texts that it has seen. It is not parallel: it counts allocations.
func TestSampleHoldsNoText(t *testing.T) {
	var s profile.Sample
	s.Add("ch_0f3c99aa01b2d4e5")
	if n := testing.AllocsPerRun(100, func() { s.Add("ch_77b1e09f4cd2a1b6") }); n != 0 {
		t.Errorf("a text takes %.0f allocations, want none", n)
	}
}
