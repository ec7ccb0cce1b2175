package rules_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/rules"
)

// fields are those of a random document. A rule names some of them.
var fields = []string{"alpha", "bravo", "carol", "delta", "echos", "foxes"}

// document writes a random JSON object with odd white space, escapes, numbers and repeated names.
func document(random *rand.Rand, depth int) string {
	var b strings.Builder
	space := func() { b.WriteString(strings.Repeat(" ", random.IntN(3))) }
	b.WriteByte('{')
	for i := range 1 + random.IntN(5) {
		if i > 0 {
			b.WriteByte(',')
		}
		space()
		fmt.Fprintf(&b, "%q", fields[random.IntN(len(fields))])
		space()
		b.WriteByte(':')
		space()
		switch n := random.IntN(9); {
		case n == 0 && depth > 0:
			b.WriteString(document(random, depth-1))
		case n == 1 && depth > 0:
			b.WriteString("[" + document(random, depth-1) + " ,\t" + document(random, depth-1) + "]")
		case n == 2:
			b.WriteString("1.00")
		case n == 3:
			b.WriteString("12345678901234567890")
		case n == 4:
			b.WriteString(`"\u00e4\/\"x"`)
		case n == 5:
			b.WriteString([]string{"true", "false", "null", "[]", "{}", `""`}[random.IntN(6)])
		default:
			fmt.Fprintf(&b, "%q", fmt.Sprint("v", random.IntN(1000)))
		}
		space()
	}
	b.WriteByte('}')
	return b.String()
}

// outside returns the bytes of a document that are not in values of some fields.
func outside(doc string, named []string) string {
	m := leaf.Read(leaf.Message{Body: doc, Headless: true})
	var b strings.Builder
	last := 0
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if !slices.Contains(named, l.Key) {
			continue
		}
		start, end := m.Span(l, 0, len(l.Value))
		if l.Kind == leaf.String {
			start, end = start-1, end+1
		}
		b.WriteString(doc[last:start] + "@")
		last = end
	}
	return b.String() + doc[last:]
}

// What a set of rules does not name stays, byte for byte.
func TestWhatIsNotNamedStays(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 16))
	for n := range 400 {
		doc := document(random, 2)
		named := []string{fields[random.IntN(len(fields))], fields[random.IntN(len(fields))]}
		e, set := newEngine(t, fmt.Sprintf(`
rules:
  - {name: a, then: {set: {%s: %d, nowhere: 5}}}
  - {name: b, answer: {%s: present}, then: {set: {%s: "x\"${answer.%s}"}}}
`, named[0], n, named[1], named[1], named[1]))
		r := e.Begin(form(set, "getOrderStatus.do", "orderId=1"))
		a := rules.Answer{Code: 200, Body: doc}
		r.Answered(a)
		got := r.Change(a).Body
		if !json.Valid([]byte(got)) || outside(doc, named) != outside(got, named) {
			t.Fatalf("rules for %v make of\n%s\n%s", named, doc, got)
		}
	}
}

// What is deleted is gone, and everything else is there as it was.
func TestWhatIsDeletedIsGone(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 16))
	for range 400 {
		doc := document(random, 2)
		name := fields[random.IntN(len(fields))]
		e, set := newEngine(t, "rules: [{name: a, then: {delete: "+name+"}}]")
		r := e.Begin(form(set, "getOrderStatus.do", "orderId=1"))
		a := rules.Answer{Code: 200, Body: doc}
		r.Answered(a)
		got := r.Change(a).Body
		var want, left []string
		for _, l := range answerMessage(doc).Leaves {
			if l.Key != name {
				want = append(want, l.Shape+"="+l.Value)
			}
		}
		for _, l := range answerMessage(got).Leaves {
			if l.Key == name {
				t.Fatalf("%s is left:\n%s\n%s", name, doc, got)
			}
			left = append(left, l.Shape+"="+l.Value)
		}
		if !json.Valid([]byte(got)) || !slices.Equal(slices.DeleteFunc(want, emptied), slices.DeleteFunc(left, emptied)) {
			t.Fatalf("without %s:\n%s\n%s", name, doc, got)
		}
	}
}

// emptied reports whether a leaf is an empty object, which an object may have become.
func emptied(leaf string) bool {
	_, value, _ := strings.Cut(leaf, "=")
	return strings.Trim(value, "{} ") == ""
}

// Parallel clients do not take each other's turns: each order has its own two failures. Meanwhile the
// rules are read again, armed, reported and removed.
func TestManyClientsAndReloads(t *testing.T) {
	t.Parallel()
	const file = `
rules:
  - {name: flaky, op: ` + status + `, when: first 2, then: {answer: {status: 503}}}
  - {name: every, op: deposit.do, when: every 3, per: deck, then: {set: {errorCode: "${mint}"}, delay: 1ms}}
  - {name: poor, op: paymentorder.do, when: first 1, then: {decline: "116"}}
  - {name: late, op: deposit.do, answer: {errorCode: 0}, when: chance 50%, then: {fail: cut, delete: errorMessage}}
  - {name: asked, op: deposit.do, when: asked, then: {lose: answer}}
`
	set := builtin(t)
	files := []*rules.File{
		mustParse(t, "f.yaml", file),
		mustParse(t, "f.yaml", "# again\n"+file+"  - {name: more, op: register.do, then: {status: 201}}\n"),
	}
	e := rules.New(rules.Options{Profiles: set, Seed: 1})
	if err := e.Set(rules.FromFile, files[0]); err != nil {
		t.Fatal(err)
	}
	const clients, each = 64, 40
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			order := fmt.Sprintf("orderNumber=order-%d", c)
			failed := 0
			for n := range each {
				op := []string{status, "deposit.do", "paymentorder.do", "register.do"}[n%4]
				a := form(set, op, order)
				r := e.Begin(a)
				_, early := r.Early()
				if early {
					failed++
				}
				answer := rules.Answer{Code: 200, Header: http.Header{}, Body: `{"errorCode":"0","orderStatus":2,"errorMessage":""}`}
				r.Ask(rules.Question{Target: a.Target, Header: a.Header, Body: a.Body})
				r.Choice()
				r.Answered(answer)
				r.Change(answer)
				r.Delivery()
				_ = r.Explanation()
			}
			if failed != 2 {
				t.Errorf("client %d has %d failures", c, failed)
			}
		})
	}
	all.Go(func() {
		for n := range 50 {
			if err := e.Set(rules.FromFile, files[n%2]); err != nil {
				t.Error(err)
			}
			if err := e.Arm("asked", n%3); err != nil {
				t.Error(err)
			}
			if err := e.Add(rules.FromAdmin, mustParse(t, "a", "rules: [{name: admin, op: register.do, then: {status: 201}}]")); err != nil {
				t.Error(err)
			}
			e.Report()
			e.Unused()
			e.Remove(rules.FromAdmin, "")
		}
	})
	all.Wait()
	for _, s := range e.Report() {
		if s.Name == "flaky" && s.Fired != 2*clients {
			t.Errorf("flaky fired %d times", s.Fired)
		}
		if s.Name == "every" && s.Fired != s.Matched/3 {
			t.Errorf("every fired %d times of %d", s.Fired, s.Matched)
		}
	}
}

// Reports, explanations and mistakes hold what the rules file holds, and nothing of the traffic.
func TestReportsHoldNothingOfTheTraffic(t *testing.T) {
	t.Parallel()
	e, set := newEngine(t, `
rules:
  - name: x
    op: paymentorder.do
    where: {$PAN: "400000*9995", TEXT: "~ ^[A-Z]"}
    when: first 1
    per: TEXT
    then: {request: {set: {email: "${request.TEXT}", nowhere: "${request.$CVC}"}}}
  - {name: y, op: paymentorder.do, answer: {info: "${x"}, then: {set: {info: "${request.$PAN}", none-1: 1}}}
`)
	const body = "MDORDER=hidden-order&$PAN=" + visa + "&$CVC=975&TEXT=MISTER+HIDDEN&email=hidden@shop.example"
	for range 3 {
		a := form(set, "paymentorder.do", body)
		r := e.Begin(a)
		r.Ask(rules.Question{Target: a.Target, Header: a.Header, Body: body})
		answer := rules.Answer{Code: 200, Body: `{"info":"${x"}`}
		r.Answered(answer)
		r.Change(answer)
		text := fmt.Sprintf("%v %+v %#v %+v %s %v", r, *a, answer, r, r.Explanation(), r.Fired())
		for _, s := range e.Report() {
			text += fmt.Sprintf("%+v", s)
		}
		for _, secret := range []string{"hidden", "HIDDEN", "0000000099", "975"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s is in %s", secret, text)
			}
		}
	}
	if got := len(e.Report()[1].Missed); got != 1 {
		t.Errorf("%d fields were missed", got)
	}
}
