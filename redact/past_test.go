package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
	"golang.org/x/text/encoding/charmap"
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
	{"a token with signs of escapes", `a%41&f\x42+c"0`, http.Header{"X-Auth-Token": {`a%41&f\x42+c"0`}}, ""},
}

// notePlaces are ways to put a text into an exchange.
var notePlaces = []struct {
	name string
	put  func(x *leaf.Exchange, s string)
}{
	{"a text", inAnswer("", func(s string) string { return s })},
	{"JSON", inAnswer("application/json", func(s string) string { return jsonOf(map[string]string{"a": s}) })},
	{"JSON with more escapes", inAnswer("application/json", func(s string) string {
		return strings.ReplaceAll(jsonOf([]string{s}), "7", `\u0037`)
	})},
	{"JSON in JSON", inAnswer("application/json", func(s string) string {
		return jsonOf([]string{jsonOf(map[string]string{"a": s})})
	})},
	{"a key of JSON beside a document", inAnswer("application/json", func(s string) string {
		return `{"` + escaped(`\u%04x`)(s[:1]) + jsonOf(s[1:])[1:] + `:1,"b":"` + base64Of(`{"a":"hello"}`) + `"}`
	})},
	{"JSON behind many cards", inAnswer("application/json", func(s string) string {
		return `["` + strings.Repeat(visa+" x ", 101) + jsonOf(s)[1:] + `]`
	})},
	{"a number of JSON", inAnswer("application/json", func(s string) string {
		return "[" + strings.Trim(s, " adehmnot7,") + "00e-2]"
	})},
	{"XML", inAnswer("text/xml", xmlOf)},
	{"XML in XML", inAnswer("text/xml", func(s string) string { return xmlOf(xmlOf(s)) })},
	{"XML in base64", inAnswer("application/json", func(s string) string { return jsonOf([]string{base64Of(xmlOf(s))}) })},
	{"XML of windows-1251 in base64", inAnswer("application/json", func(s string) string {
		return jsonOf([]string{base64Of(`<?xml version="1.0" encoding="windows-1251"?>` + in1251(xmlOf(s)))})
	})},
	{"an attribute", inAnswer("text/html", func(s string) string {
		return `<html><input name="a" value="` + html.EscapeString(s) + `"></html>`
	})},
	{"an address in an attribute", inAnswer("text/html", func(s string) string {
		return `<html><a href="https://g/?a=1&amp;b=` + url.QueryEscape(jsonOf([]string{s})) + `">x</a></html>`
	})},
	{"a form", inAnswer(formType, func(s string) string { return "n=1&a=" + url.QueryEscape(s) + "&b=c" })},
	{"a form with few escapes", inAnswer(formType, func(s string) string {
		return "n=1&a=" + strings.NewReplacer("%", "%25", "&", "%26", "+", "%2B", "7", "%37").Replace(s)
	})},
	{"a form with many escapes", inAnswer(formType, func(s string) string {
		for range 5 {
			s = url.QueryEscape(s)
		}
		return "n=1&a=" + s
	})},
	{"JSON in a form", inAnswer(formType, func(s string) string {
		return "n=1&jsonParams=" + url.QueryEscape(jsonOf(map[string]string{"a": s}))
	})},
	{"a form in windows-1251", inAnswer(formType+"; charset=windows-1251", func(s string) string {
		return "a=" + url.QueryEscape(in1251(s))
	})},
	{"a part in quoted-printable", inAnswer("multipart/form-data; boundary=x", func(s string) string {
		return partOf(strings.NewReplacer("=", "=3D", "1", "=31", "-", "=\r\n-", "&", "=26").Replace(s))
	})},
	{"base64 in quoted-printable", inAnswer("multipart/form-data; boundary=x", func(s string) string {
		return partOf(strings.NewReplacer("=", "=3D", "a", "=\r\na", "Z", "=\r\nZ").Replace(base64Of(`{"a":` + jsonOf(s) + `}`)))
	})},
	{"events", inAnswer("text/event-stream", func(s string) string { return "data: <a>\ndata: " + html.EscapeString(s) + "</a>\n\n" })},
	{"a query", func(x *leaf.Exchange, s string) { x.URL += "?a=" + url.QueryEscape(s) }},
	{"a path", func(x *leaf.Exchange, s string) { x.URL += "/" + url.PathEscape(s) + "/b" }},
	{"an address in a header", func(x *leaf.Exchange, s string) {
		x.Response.Headers = http.Header{"Location": {"https://g/a?n=" + url.QueryEscape(jsonOf([]string{s}))}}
	}},
	{"a trailer", func(x *leaf.Exchange, s string) { x.Meta.Trailers = http.Header{"X-Note": {xmlOf(s)}} }},
}

// inAnswer puts a text into the body of an answer.
func inAnswer(contentType string, write func(string) string) func(*leaf.Exchange, string) {
	return func(x *leaf.Exchange, s string) {
		if x.Response.Body = write(s); contentType != "" {
			x.Response.Headers = http.Header{"Content-Type": {contentType}}
		}
	}
}

func xmlOf(s string) string { return "<a><b>" + html.EscapeString(s) + "</b></a>" }

func in1251(s string) string {
	text, _ := charmap.Windows1251.NewEncoder().String(s)
	return text
}

func partOf(quoted string) string {
	return "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n" +
		"Content-Transfer-Encoding: quoted-printable\r\n\r\n" + quoted + "\r\n--x--\r\n"
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
				if checkPast(t, pastLesson{note: note, body: tt.body, header: tt.teach}) {
					found++
				}
			}
			t.Logf("found in %d of %d texts", found, texts)
		})
	}
}

// TestPastLooksEverywhere puts values into all places of an exchange before anyone knows that they are secret.
func TestPastLooksEverywhere(t *testing.T) {
	t.Parallel()
	for in, place := range notePlaces {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			found := false
			for _, tt := range learnable {
				for _, note := range []string{"note 7, " + tt.value + " and more", tt.value} {
					if checkPast(t, pastLesson{note, in, tt.body, tt.teach}) {
						found = true
					}
				}
			}
			if !found {
				t.Error("no value is found there: the test tells nothing")
			}
		})
	}
}

// pastLesson is a note that is there before anybody knows that something in it is secret, and a request that
// teaches so.
type pastLesson struct {
	note string
	in   int // which of notePlaces

	body   string
	header http.Header
}

// checkPast teaches a secret after a text was added to a past, and reports whether cleaning the text again
// finds the secret. If so, both the past and a search of the exchange must say it.
func checkPast(t *testing.T, l pastLesson) (found bool) {
	t.Helper()
	r := redactor(t)
	x := exchange("POST", "https://h/unknown", http.Header{}, "")
	place := notePlaces[l.in]
	place.put(x, l.note)
	before := r.Clean(x)
	recleaned := func() bool { return saved(t, r.Reclean(before.Exchange()).Exchange()) != saved(t, before.Exchange()) }
	stale := func() bool { return r.Stale(before.Exchange()) }
	if recleaned() || stale() {
		return false // whatever is learned
	}
	past := r.Past()
	past.Add(before)
	lesson := exchange("POST", "https://h/unknown", l.header, l.body)
	if l.body != "" {
		lesson.Request.Headers = http.Header{"Content-Type": {"application/json"}}
	}
	r.Clean(lesson)
	seen := stale()
	if found = recleaned(); found && !seen {
		t.Errorf("cleaning again changes what is not stale: %q in %s", l.note, place.name)
	}
	found = found || seen
	if _, overtaken := past.Overtaken(before, 0); found && !overtaken {
		t.Errorf("the past says that an exchange is not overtaken that is: %q in %s", l.note, place.name)
	}
	if reached := past.Reached(); found && !reached {
		t.Errorf("the past says that nothing stands in it where it does: %q in %s", l.note, place.name)
	}
	if past.Reached() {
		t.Error("what was asked about is asked about again")
	}
	if found {
		checkTogether(t, []*leaf.Exchange{x, lesson})
	}
	return found
}

// checkTogether cleans exchanges together: nothing is left to be cleaned.
func checkTogether(t *testing.T, list []*leaf.Exchange) {
	t.Helper()
	r := redactor(t)
	for _, clean := range r.CleanAll(list) {
		x := clean.Exchange()
		if saved(t, r.Reclean(x).Exchange()) != saved(t, x) {
			t.Errorf("together they are not cleaned: %s", saved(t, x))
		}
	}
}

// FuzzPast puts a value anywhere.
func FuzzPast(f *testing.F) {
	f.Add("note ", " more", uint8(3), uint8(0), uint8(4), uint8(0))
	f.Add("%", "00", uint8(1), uint8(2), uint8(9), uint8(1))
	f.Add("%", "p0", uint8(1), uint8(8), uint8(3), uint8(1))
	f.Fuzz(func(t *testing.T, before, after string, secret, way, escape, in uint8) {
		if len(before)+len(after) > 1<<10 {
			return
		}
		s := learnable[int(secret)%len(learnable)]
		text := waysIn[int(way)%len(waysIn)].put(before + s.value + after)
		checkPast(t, pastLesson{
			escapes[int(escape)%len(escapes)](text), int(in) % len(notePlaces), s.body, s.teach,
		})
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
