package line_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/paytape/paytape/proxy/inspect/line"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
	"github.com/rivo/uniseg"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// checkText fails if a terminal of some columns would do anything with a text but show it in its
// columns.
func checkText(t *testing.T, text string, columns int) {
	t.Helper()
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		l = sgr.ReplaceAllString(l, "")
		if w := uniseg.StringWidth(l); w > columns {
			t.Fatalf("%d columns in a terminal of %d: %q", w, columns, l)
		}
		for _, r := range l {
			if r != ' ' && !unicode.IsPrint(r) {
				t.Fatalf("a terminal gets %U in %q", r, l)
			}
		}
	}
}

// derived is a text as it comes out of a cleaned exchange: nothing has escaped it.
func derived(t testing.TB, text string) redact.Safe {
	t.Helper()
	return clean(t).Derive(func(*exchange) string { return text })
}

// hostile are values that a terminal would obey, or draw elsewhere than in their cell.
var hostile = []string{
	"\x1b[2J\x1b[H", "\x1b]0;title\x07", "a\rb", "a\nb\tc", "\u202eevil", "\u2066x\u2069",
	"\u009b31m", "e" + strings.Repeat("\u0301", 5000), "\u0301\u0301", "\u200b\u200d\ufeff",
	strings.Repeat("漢", 400), strings.Repeat("👨‍👩‍👧‍👦", 90), "\xff\xfe\x80", "🇩🇪🇫🇷", "❤\ufe0f",
	"<script>alert(1)</script>", "", " ", strings.Repeat("x", 1<<20), "..", "\u00a0\u3000",
}

// hostileRow has a hostile value in every place that can hold a value of the traffic.
func hostileRow(t testing.TB, text string, sign view.Sign) view.Row {
	s := derived(t, text)
	return view.Row{
		ID: 7, Sign: sign, Kind: "warning", Operation: text, Short: text, Target: s, Method: "GET",
		Who:     view.Who{Kind: "order", Label: s, ID: s, Card: s},
		Outcome: view.Outcome{Words: s, Codes: s, Fields: s}, Amount: &view.Amount{Text: s},
		Cassette: text, Number: 3, Served: "tape", State: text, Mark: "m", MarkWords: text,
		Cause: text, Withheld: text, Checksum: text, Where: text,
		Rules: []view.Fired{{Name: text, Count: "1/2"}}, Reason: "field",
		Fields: []redact.Safe{s, s}, Nearest: text, Sentence: s, Hint: s, Problem: text,
	}
}

var allSigns = []view.Sign{
	view.SignMiss, view.SignFailed, view.SignCallback, view.SignRule, view.SignDeclined,
	view.SignMarked, view.SignWaits, view.SignHit, view.SignNote, "",
}

func TestRowsOfHostileValues(t *testing.T) {
	t.Parallel()
	for i, text := range hostile {
		for _, sign := range allSigns {
			r := hostileRow(t, text, sign)
			for _, columns := range []int{40, 53, 54, 71, 72, 80, 111, 112, 120, 300} {
				for _, color := range []bool{false, true} {
					got := strings.Join(line.Row(&r, line.Options{Columns: columns, Color: color, Base: base}),
						"\n")
					checkText(t, got, columns)
					if !color && strings.Contains(got, "\x1b") {
						t.Fatalf("value %d: an escape without colour", i)
					}
				}
			}
		}
	}
}

// TestColumnsStay shows that every row has its sign in the same column, and that colour is all that
// colour changes.
func TestColumnsStay(t *testing.T) {
	t.Parallel()
	all := run()
	for columns := line.MinColumns; columns <= line.MaxColumns; columns++ {
		o := line.Options{Columns: columns, Base: base}
		sign := -1
		for i := range all {
			lines := line.Row(&all[i], o)
			checkText(t, strings.Join(lines, "\n"), columns)
			for _, letter := range []string{"!", "x", "<", "*", "~", "i"} {
				at := regexp.MustCompile(fmt.Sprintf(`\s(%s) \S`, regexp.QuoteMeta(letter))).
					FindStringSubmatchIndex(lines[0])
				if at == nil {
					continue
				}
				if sign >= 0 && at[2] != sign {
					t.Fatalf("%d columns: the sign moved from %d to %d: %q", columns, sign, at[2], lines[0])
				}
				sign = at[2]
			}
			o.Color = true
			coloured := strings.Join(line.Row(&all[i], o), "\n")
			o.Color = false
			if got := sgr.ReplaceAllString(coloured, ""); got != strings.Join(lines, "\n") {
				t.Fatalf("%d columns: colour changes more than colour:\n%q\n%q", columns, got, lines)
			}
		}
		if sign < 0 {
			t.Fatalf("%d columns: no sign was found", columns)
		}
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, in, want string }{
		{"colour stays", "\x1b[31mred\x1b[m\n", "\x1b[31mred\x1b[m\n"},
		{"the screen is not cleared", "\x1b[2Jx", `\u001b[2Jx`},
		{"no title is set", "\x1b]0;t\x07", `\u001b]0;t\u0007`},
		{"a line is not written over", "a\rb", `a\u000db`},
		{"half a sequence", "\x1b[31", `\u001b[31`},
		{"C1", "\u009b31m", `\u009b31m`},
		{"direction", "\u202ex", `\u202ex`},
	} {
		if got := line.Shown(row.in); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

func FuzzShown(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := line.Shown(text)
		checkText(t, got, 1<<30)
		if again := line.Shown(got); again != got {
			t.Errorf("shown twice %q becomes %q", got, again)
		}
	})
}
