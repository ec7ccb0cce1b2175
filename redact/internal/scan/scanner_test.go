package scan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/pan"
)

// Published test numbers.
const (
	testVisa  = "411111" + "1111111111"
	testVisa2 = "401200" + "1038166662"
	testAmex  = "378282" + "246310005"
	testVisa3 = "422222" + "2222222" // 13 digits
)

// inGroups returns testVisa in groups of four.
func inGroups(separators ...string) string {
	s := testVisa[:4]
	for i := range 3 {
		s += separators[i%len(separators)] + testVisa[4+4*i:8+4*i]
	}
	return s
}

// byShape is the judge of text in which no number is known.
func byShape() Judge {
	return Judge{
		Exact: func([]byte) Verdict { return Nothing },
		Shape: func(digits string) Verdict {
			if pan.IsCard(digits) {
				return Card
			}
			return Nothing
		},
	}
}

func found(s string, text bool, j Judge) []slowFind {
	var out []slowFind
	for _, n := range Numbers(s, text, j) {
		if n.Verdict == Card {
			out = append(out, slowFind{n.From, n.To, n.Digits})
		}
	}
	return inOrder(out)
}

// foundDigits returns the digits of the numbers in s.
func foundDigits(s string, text bool, j Judge) []string {
	var out []string
	for _, f := range found(s, text, j) {
		out = append(out, f.Digits)
	}
	return out
}

func TestScan(t *testing.T) {
	arabic := strings.Map(func(r rune) rune { return r - '0' + '\u0660' }, testVisa)
	wide := strings.Map(func(r rune) rune { return r - '0' + '\uff10' }, testVisa)
	bold := strings.Map(func(r rune) rune { return r - '0' + '\U0001d7ce' }, testVisa)
	tests := []struct {
		name, text string
		isText     bool
		want       []string
	}{
		{"alone", testVisa, true, []string{testVisa}},
		{"beside letters", "card" + testVisa + "exp", true, []string{testVisa}},
		{"in groups", inGroups(" "), true, []string{testVisa}},
		{"with dashes", inGroups("-"), true, []string{testVisa}},
		{"with mixed separators", inGroups(" ", "-", "\u00a0"), true, []string{testVisa}},
		{"with dots, as text", inGroups("."), true, []string{testVisa}},
		{"with dots, as a number", inGroups("."), false, nil},
		{"in pairs", "41" + strings.Repeat(" 11", 7), true, []string{testVisa}},
		{"American Express", testAmex[:4] + " " + testAmex[4:10] + " " + testAmex[10:], true,
			[]string{testAmex}},
		{"Arabic digits", "n " + arabic + "!", true, []string{testVisa}},
		{"wide digits", wide, true, []string{testVisa}},
		{"mathematical digits", bold, true, []string{testVisa}},
		{"before a CVC", inGroups(" ") + " 123", true, []string{testVisa}},
		{"after a quantity", "2 " + inGroups(" "), true, []string{testVisa}},
		{"two of them", testVisa + " " + testAmex, true, []string{testVisa, testAmex}},
		{"a whole JSON number with a fraction", testVisa + ".00", false, []string{testVisa}},
		{"two spaces", inGroups("  "), true, []string{testVisa}},
		{"lines", inGroups("\r\n"), true, []string{testVisa}},
		{"tabs", inGroups("\t"), true, []string{testVisa}},
		{"slashes", inGroups("/"), true, []string{testVisa}},
		{"underscores", inGroups("_"), true, []string{testVisa}},
		{"dashes with spaces", inGroups(" - "), true, []string{testVisa}},
		{"entities", inGroups("&nbsp;"), true, []string{testVisa}},
		{"spaces of no width", inGroups("\u200b", "\u00ad", "\u2060"), true, []string{testVisa}},
		{"spaces of print", inGroups("\u00a0", "\u2007", "\u202f"), true, []string{testVisa}},
		{"mixed wide gaps", inGroups("  ", " ", "\t"), true, []string{testVisa}},
		{"American Express, with tabs", testAmex[:4] + "\t" + testAmex[4:10] + "\t" + testAmex[10:],
			true, []string{testAmex}},
		{"lines, then a year", inGroups("\n") + " 2030", true, []string{testVisa}},
		{"four separators", inGroups("    "), true, nil},
		{"other text between", inGroups(", "), true, nil},
		{"a column of such groups", inGroups("\n") + "\n1111", true, nil},
		{"pairs over lines", "41" + strings.Repeat("\n11", 7), true, nil},
		{"a wide gap in a JSON number", inGroups("/"), false, nil},
		{"inside a longer run", "9" + testVisa, true, nil},
		{"at the end of a longer run", "12345678" + testVisa, true, nil},
		{"one digit off", "4111111111111112", true, nil},
		{"no issuer", "1111111111111117", true, nil},
		{"an rrn", "402200103816", true, nil},
		{"milliseconds", "1517746541009", true, nil},
		{"a fraction", "0." + testVisa, false, nil},
		{"a fraction in text", "rate 0." + testVisa, true, nil},
		{"a decimal", "1." + testVisa, true, nil},
		{"a decimal in groups", "41111111." + "11111111", true, nil},
		{"a decimal beside another", "37." + testVisa3 + " -122.5", true, nil},
		{"after a number and a dot", "1." + inGroups(" "), true, []string{testVisa}},
		{"in a version", "1.2." + testVisa, true, []string{testVisa}},
		{"two with a dot between", testVisa + "." + testAmex, true, []string{testVisa, testAmex}},
		{"pairs with dots", "41" + strings.Repeat(".11", 7), true, nil},
		{"American Express, with dots", testAmex[:4] + "." + testAmex[4:10] + "." + testAmex[10:],
			true, []string{testAmex}},
		{"an account of 20 digits", "40817810099910004312", true, nil},
		{"an account in groups", "40817 810 0 9991 0004312", true, nil},
		{"the template of createVirtualCard", "427600" + "0000000000", true, nil},
		{"an identifier in hex", "a411" + "1111-4111-1111-8111-1111aaaaaaaa", true, nil},
		{"one without dashes", "abcd4222" + "222222227222" + "abbbbbbbbbbb", true, nil},
		{"one that begins with such digits", "63539598" + "14987423b351c9a33efa4602", true, nil},
		{"a track in hex", testVisa3 + "D228" + strings.Repeat("ab", 7) + "0", true,
			[]string{testVisa3}},
		{"two dates", "30-12-2022 30-12-2024", true, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, foundDigits(tt.text, tt.isText, byShape())); diff != "" {
				t.Errorf("numbers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScanPrefersWhatIsKnown(t *testing.T) {
	j := byShape()
	const known, surrogate = "999999" + "123456", "411111" + "0000121111"
	j.Exact = func(digits []byte) Verdict {
		switch string(digits) {
		case known:
			return Card
		case surrogate:
			return Surrogate
		}
		return Nothing
	}
	tests := []struct {
		name, text string
		want       []string
	}{
		{"twelve digits", "n " + known, []string{known}},
		{"grouped oddly in a longer run", "7 99 9999 12-3456 5", []string{known}},
		{"a surrogate is none", surrogate, nil},
		{"a surrogate does not join its neighbours", "62 4111 1100 0012 1111 0", nil},
		{"a card beside a surrogate", surrogate + " " + testVisa, []string{testVisa}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, foundDigits(tt.text, true, j)); diff != "" {
				t.Errorf("numbers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRegroup(t *testing.T) {
	for _, tt := range []struct{ like, want string }{
		{"1111 1111", "1234 5678"},
		{"１１１１-1111", "1234-5678"},
		{"+11 (111) 111", "+12 (345) 678"},
	} {
		if got := Regroup("12345678", tt.like); got != tt.want {
			t.Errorf("like %q: got %q, want %q", tt.like, got, tt.want)
		}
	}
}

// FuzzScan compares scan with the slow one.
func FuzzScan(f *testing.F) {
	f.Add("a " + inGroups(" ") + " 123, 3782.822463-" + "10005 " + testVisa2)
	f.Add("\u0664\u0661\u0661\u0661" + inGroups(" ", "\u00a0", "-")[4:] + " 0." + testVisa)
	f.Add("a4111111-4111-1111-" + "8111-1111aaaaaaaa " + testVisa3)
	f.Add(inGroups("\t", " - ", "&nbsp;") + "\r\n" + inGroups("/") + "/37.4222" + "222222222")
	f.Add(inGroups(".") + " 1.2." + testVisa + " " + testVisa + "." + testAmex)
	f.Add("abcd4222" + "222222227222abbbbbbbbbbb 12 34 56 78 90 12 34")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		if len(s) > 300 {
			return // the slow one is
		}
		for _, text := range []bool{false, true} {
			if diff := cmp.Diff(slowScan(s, text), found(s, text, byShape())); diff != "" {
				t.Fatalf("numbers in %q, text %v (-slow +fast):\n%s", s, text, diff)
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	parts := map[string]string{
		"words":   "The order was registered and paid by the customer. ",
		"JSON":    `{"orderId":"06cf5599-3f17-7c86-bdbc","amount":1500,"at":1517746541009},`,
		"Russian": "Заказ зарегистрирован, но не оплачен. ",
		"rrns":    "402200103816 ",
	}
	for name, part := range parts {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(part, 1<<17/len(part))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if got := Numbers(text, false, byShape()); got != nil {
					b.Fatal("found a card where none is")
				}
			}
		})
	}
}

// TestLook wants a look never to turn a text away in which there is something to find.
func TestLook(t *testing.T) {
	for _, tt := range []struct {
		text                               string
		escape, number, split, say, decode bool
	}{
		{"MOBILE", false, false, false, false, false},
		{"a sentence of some words, no more", false, false, false, false, false},
		{"12345678901", false, false, false, true, false},
		{"123456789012", false, true, false, true, false},
		{"<b>123456</b>789012", false, true, true, true, false},
		{"٤٤٤٤ ٤٤٤٤ ٤٤٤٤", false, true, false, true, false},
		{"a%34", true, false, false, true, false},
		{"a value that is %zz long", true, false, false, false, true},
		{"a+b", true, false, false, false, false},
		{"pin=a", false, false, false, true, false},
		{"localTransactionDate", false, false, false, false, false},
		{"00000000000000000001", false, true, false, true, false},
		{"Y2FyZCA0MTExMTExMTEx", false, false, false, true, true},
		{"a text with \x00 bytes", false, false, false, false, true},
	} {
		l := LookAt(tt.text)
		for what, got := range map[string][2]bool{
			"escapes": {l.MayEscape(), tt.escape}, "a number": {l.MayNumber(), tt.number},
			"a split number": {l.MaySplit(), tt.split}, "a mention": {l.MayMention(), tt.say},
			"what is encoded": {l.MayDecode(tt.text, NewMemo()), tt.decode},
		} {
			if got[0] != got[1] {
				t.Errorf("%q may have %s: %v", tt.text, what, got[0])
			}
		}
	}
}
