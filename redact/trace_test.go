package redact_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/audit"
)

// survivors are what is no secret and must be there afterwards, wherever the card was.
var survivors = []string{
	"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b", "1517746541000", "003456789012", "40817810099910004312",
	"12345678901234567890", "150.00", "2030-12-31T10:00:00+03:00",
}

// hiding is one case: a number, or a token, somewhere in an exchange.
type hiding struct {
	hidden
	number string // or a token
	token  bool   // it is no number
	form   bool   // its form alone tells what it is
	place  place
	call   call
	known  bool // it stands in a field of its own, too
}

func (h hiding) String() string {
	return fmt.Sprintf("%s %s, %s, known %v, form %v%s",
		h.call.path, h.call.key, h.place.name, h.known, h.form, h.steps)
}

// hiding draws a case.
func (d draw) hiding(calls []call) hiding {
	h := hiding{number: d.card(), known: d.IntN(3) == 0, token: d.IntN(4) == 0}
	if h.token {
		h.number, h.known = d.token(), true
	}
	if d.IntN(8) == 0 {
		h.number, h.token, h.known, h.form = d.credential(), true, false, true
	}
	h.place, h.call = places[d.IntN(len(places))], calls[d.IntN(len(calls))]
	if h.form && h.place.name == "XML comment" {
		h.number = d.bearer() // a comment cannot hold the dashes of a key
	}
	h.hidden = d.hide(h.number)
	if h.place.sort == asDigits {
		h.number, h.token, h.form = d.card(), false, false
		h.hidden = hidden{text: h.number}
	}
	return h
}

// exchange makes the exchange of a case.
func (h hiding) exchange() *leaf.Exchange {
	x := exchange(h.call.method, "https://h"+h.call.path, http.Header{}, "")
	x.Response.Headers.Set("X-Kept", strings.Join(survivors, " "))
	h.place.put(x, h.call, h.text)
	switch {
	case h.form:
	case h.token:
		x.Response.Headers.Set("X-Auth-Token", h.number)
	case h.known:
		x.Response.Headers.Set("X-Card-Number", h.number)
	}
	return x
}

// check cleans the exchange of a case and says what is wrong with the result, "" if nothing is.
func (h hiding) check(t testing.TB, r *redact.Redactor) string {
	x := h.exchange()
	before := saved(t, x)
	clean := r.Clean(x)
	got := clean.Exchange()
	text := saved(t, got)
	switch {
	case saved(t, x) != before:
		return "cleaning changed the exchange it was given"
	case traces(text, h.number) != nil:
		return fmt.Sprint("left ", traces(text, h.number))
	case len(audit.Find(text)) > 0:
		return fmt.Sprint("left for an audit ", audit.Find(text))
	case h.place.sort != asName && !got.Replayable() && h.place.name != "failure":
		return "withheld: " + got.Meta.Withheld
	}
	for _, part := range h.pieces() {
		if traces(text, part) != nil {
			return "left a piece"
		}
	}
	for _, part := range h.parts {
		if strings.Contains(text, part) {
			return "left as it was written"
		}
	}
	for _, s := range survivors {
		if !strings.Contains(text, s) {
			return "took out " + s
		}
	}
	if !h.token && len(h.surrogates(text)) > 1 {
		return "several surrogates for one card"
	}
	if again := saved(t, redactor(t).Reclean(got).Exchange()); again != text {
		return "cleaned twice it differs"
	}
	return ""
}

// pieces returns the parts of a credential of which none may be left: lines of a key, words of a
// token.
func (h hiding) pieces() []string {
	if !h.form {
		return nil
	}
	var list []string
	for line := range strings.Lines(h.number) {
		line = line[strings.LastIndexAny(line, " .")+1:]
		if line = strings.TrimSpace(line); len(line) >= 20 && !strings.HasPrefix(line, "-----") {
			list = append(list, line)
		}
	}
	return list
}

// surrogates returns the numbers in a text that keep the ends of the card.
func (h hiding) surrogates(text string) map[string]bool {
	tail := len(h.number) - pan.KeptLast
	like := regexp.MustCompile(`\b` + h.number[:pan.KeptFirst] +
		fmt.Sprintf(`\d{%d}`, tail-pan.KeptFirst) + h.number[tail:] + `\b`)
	found := map[string]bool{}
	for _, s := range like.FindAllString(text, -1) {
		found[s] = true
	}
	return found
}

// TestNoTraceAnywhere draws a card, or a token that a header tells, a field of some operation, a
// place, and up to three encodings.
// Whatever is drawn, no trace of it is in what would be saved, all else is, cleaning it again
// changes nothing, and one card has one surrogate.
func TestNoTraceAnywhere(t *testing.T) {
	d := draw{rand.New(rand.NewPCG(1, 2))}
	fields := calls(t)
	const rounds = 2500
	for range rounds {
		h := d.hiding(fields)
		if problem := h.check(t, redactor(t)); problem != "" {
			t.Fatalf("%s: %s", h, problem)
		}
	}
}

// FuzzNoTrace is TestNoTraceAnywhere with the fuzzer's luck. In one exchange of ten thousand the gate
// withholds where cleaning could have done: mostly where a message is read as packed up to the end of its
// first line of base64, and the secret goes on in the next; and where a surrogate in a document under
// percent escapes stands behind one of them.
func FuzzNoTrace(f *testing.F) {
	f.Add(uint64(1), uint64(1))
	f.Add(uint64(7), uint64(1<<40))
	fields := calls(f)
	f.Fuzz(func(t *testing.T, a, b uint64) {
		h := draw{rand.New(rand.NewPCG(a, b))}.hiding(fields)
		problem := h.check(t, redactor(t))
		if problem != "" && !strings.HasPrefix(problem, "withheld") {
			t.Errorf("%s: %s", h, problem)
		}
	})
}
