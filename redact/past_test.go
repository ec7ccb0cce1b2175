package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/paytape/paytape/redact"
)

// learnable are values of every kind that a search knows, and how each is taught.
var learnable = []struct {
	name, value string
	teach       http.Header
	body        string
}{
	{"a card number of no issuer", "999999" + "123456784", nil, `{"cardNumber":"999999` + `123456784"}`},
	{"a card number with zeros", "400000" + "0000000012", nil, `{"cardNumber":"400000` + `0000000012"}`},
	{"a token", "k-93f1c0de-77aa", http.Header{"X-Auth-Token": {"k-93f1c0de-77aa"}}, ""},
	{"a short token", "q7-Zx.91", http.Header{"X-Auth-Token": {"q7-Zx.91"}}, ""},
	{"a token of digits", "8205571903", http.Header{"X-Auth-Token": {"8205571903"}}, ""},
	{"a token of letters", "QuietlyKeptSecret", http.Header{"X-Auth-Token": {"QuietlyKeptSecret"}}, ""},
	{"a token with a plus", "ab+cd/ef+0123", http.Header{"X-Auth-Token": {"ab+cd/ef+0123"}}, ""},
	{"a token of many digits", "z81726354-", http.Header{"X-Auth-Token": {"z81726354-"}}, ""},
	{"a token outside ASCII", "паролькi-77", http.Header{"X-Auth-Token": {"паролькi-77"}}, ""},
	{"a token whose hex is digits", "BCDEFGHI", http.Header{"X-Auth-Token": {"BCDEFGHI"}}, ""},
}

// Ways in which a value may stand in a text.
var waysIn = []struct {
	name string
	put  func(string) string
}{
	{"as it is", func(s string) string { return s }},
	{"inside a word", func(s string) string { return "x" + s + "y" }},
	{"between digits", func(s string) string { return "00" + s + "00" }},
	{"its first byte escaped", func(s string) string { return fmt.Sprintf("%%%02X", s[0]) + s[1:] }},
	{"in groups", func(s string) string { return inGroups(s, " ") }},
	{"in groups with hyphens", func(s string) string { return inGroups(s, "-") }},
	{"in groups with dots", func(s string) string { return inGroups(s, ".") }},
	{"in groups with slashes", func(s string) string { return inGroups(s, "/") }},
	{"in groups with spaces that do not break", func(s string) string { return inGroups(s, "\u00a0") }},
	{"in groups with tags", func(s string) string { return inGroups(s, "<b></b>") }},
	{"in hex", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"in capital hex", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	{"in hex among hex", func(s string) string { return "0d0" + hex.EncodeToString([]byte(s)) + "f7" }},
	{"in base64", func(s string) string { return base64Of(s) }},
	{"in base64, one on", func(s string) string { return base64Of("a" + s + "b") }},
	{"in base64, two on", func(s string) string { return base64Of("ab" + s + "cd") }},
	{"in base64 for URLs", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("?" + s + ">")) }},
	{"compressed", func(s string) string { return base64Of(gzipOf("the word is " + s + " today")) }},
	{"in UTF-16", func(s string) string { return base64Of(strings.Join(strings.Split("a "+s+" b", ""), "\x00") + "\x00") }},
	{"in digits of another script", arabic},
}

// What may stand around the way.
var escapes = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return url.QueryEscape(s) + "%21" },
	func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	func(s string) string { return fmt.Sprintf("%q", "\""+s) },
	func(s string) string { return strings.ReplaceAll(s, "a", "&#97;") + "&#33;" },
	func(s string) string { return s + "\\n%25" },
}

func inGroups(s, separator string) string {
	var groups []string
	for len(s) > 4 {
		groups, s = append(groups, s[:4]), s[4:]
	}
	return strings.Join(append(groups, s), separator)
}

func arabic(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r - '0' + '٠'
		}
		return r
	}, s)
}

// TestPastMissesNothing puts values into texts before anyone knows that they are secret. Wherever a
// search finds them once they are known, the past has said so.
func TestPastMissesNothing(t *testing.T) {
	t.Parallel()
	const texts = 400
	for _, tt := range learnable {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found := 0
			for n := range texts {
				way := waysIn[n%len(waysIn)]
				inner, outer := n/len(waysIn)%len(escapes), n/len(waysIn)/len(escapes)%len(escapes)
				note := "note 7, " + escapes[outer](escapes[inner](way.put(tt.value))) + " and more"
				if checkPast(t, note, tt.body, tt.teach) {
					found++
				} else if inner+outer == 0 && n == 0 {
					t.Error("the value is not found as it is: the test tells nothing")
				}
			}
			t.Logf("found in %d of %d texts", found, texts)
		})
	}
}

// checkPast teaches a secret after a text was added to a past, and reports whether a search finds it in
// the text.
func checkPast(t *testing.T, note, body string, header http.Header) (found bool) {
	t.Helper()
	r := redactor(t)
	x := exchange("POST", "https://h/unknown", http.Header{}, "")
	x.Response.Body = note
	before := r.Clean(x)
	changes := func() bool {
		y := before.Exchange()
		return r.Stale(y.Response.Body) || r.Reclean(y).Exchange().Response.Body != y.Response.Body
	}
	if changes() {
		return false // whatever is learned
	}
	past := r.Past()
	past.Add(before)
	lesson := exchange("POST", "https://h/unknown", header, body)
	if body != "" {
		lesson.Request.Headers = http.Header{"Content-Type": {"application/json"}}
	}
	r.Clean(lesson)
	found = changes()
	if _, overtaken := past.Overtaken(before, 0); found && !overtaken {
		t.Errorf("the past says that an exchange is not overtaken that is: %q", note)
	}
	if reached := past.Reached(); found && !reached {
		t.Errorf("the past says that nothing stands in it where it does: %q", note)
	}
	if past.Reached() {
		t.Error("what was asked about is asked about again")
	}
	return found
}

// FuzzPast puts a value anywhere.
func FuzzPast(f *testing.F) {
	f.Add("note ", " more", uint8(3), uint8(0), uint8(4))
	f.Add("%", "00", uint8(1), uint8(2), uint8(9))
	f.Fuzz(func(t *testing.T, before, after string, secret, way, escape uint8) {
		if len(before)+len(after) > 1<<10 {
			return
		}
		s := learnable[int(secret)%len(learnable)]
		text := waysIn[int(way)%len(waysIn)].put(before + s.value + after)
		checkPast(t, escapes[int(escape)%len(escapes)](text), s.body, s.teach)
	})
}

// TestPastTellsNumbersApart teaches card numbers that count up beside ids that do, and tokens that count
// up. However many there are, none is taken for one that was there.
func TestPastTellsNumbersApart(t *testing.T) {
	t.Parallel()
	for _, n := range []int{500, 2000} {
		r := redactor(t)
		past := r.Past()
		wrong := 0
		for i := range n {
			x := exchange("POST", "https://h/unknown", http.Header{
				"Content-Type": {"application/json"}, "X-Auth-Token": {fmt.Sprintf("session-%012d", i)},
			}, fmt.Sprintf(`{"cardNumber":"%s%010d"}`, "400000", i))
			x.Response.Body = fmt.Sprintf(`{"rrn":"%012d","cardId":"%020d","ref":"REF-%010d"}`, i, i, i)
			clean := r.Clean(x)
			if past.Reached() {
				wrong++
			}
			past.Add(clean)
		}
		if wrong > n/500 {
			t.Errorf("of %d new numbers and tokens %d were taken for old ones", n, wrong)
		}
	}
}

// BenchmarkPast adds exchanges to a past, each about another card, and asks for what they taught.
func BenchmarkPast(b *testing.B) {
	r := redactor(b)
	past, n := r.Past(), 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		n++
		x := r.Clean(inquiry(n))
		b.StartTimer()
		past.Add(x)
		past.Reached()
	}
}

// TestPastReusesItsRoom counts what it takes to add an exchange: what finds numbers and what undoes
// encodings is large, and is used again.
func TestPastReusesItsRoom(t *testing.T) {
	r := redactor(t)
	past, next := r.Past(), 0
	var exchanges []redact.Clean
	for n := range 201 {
		exchanges = append(exchanges, r.Clean(inquiry(n)))
	}
	got := testing.AllocsPerRun(200, func() {
		past.Add(exchanges[next])
		next++
	})
	if got > 12 {
		t.Errorf("%.0f allocations for an exchange", got)
	}
}
