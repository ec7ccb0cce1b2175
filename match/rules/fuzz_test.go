package rules_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/match/rules"
)

// everything is a good file that has every key, test, condition and effect.
const everything = `# paytape rules 1
# What a run should do.
rewrite:
  register.do:
    request: {orderNumber: client unique order-number, shopOrder: exact}
    response: {orderId: minted order}
    requestHeaders: {X-Shop: ignored}
    responseHeaders: {X-Id: minted request-id}
  cardv2/POST /cards: {response: {id: keep}}
rules:
  - name: early
    op: [register.do, gateway/deposit*, {method: POST, path: "/shop/{id}/pay"}]
    session: [ci-*, mine]
    where:
      amount: [">= 100", "< 5.00", "!= 7", "= 3*", "~ ^4", "1*", present, absent]
      "body:a.#(b==1).c": 5
      header:X-Shop: a
      query:lang: en
      $PAN: "400000*9995"
      params(email): "*@shop.example"
    when: [first 5, every 2, skip 1, chance 5%, "seen [register.do, deposit.do]", for 20s, asked]
    per: session
    then:
      answer:
        status: 429
        headers: {Retry-After: "30", X: [a, b]}
        body: '{"id":"${mint}","n":"${request.orderNumber}","at":"${now+1h}"}'
      delay: {p50: 200ms, p99: 3s}
      drip: 5s
      fail: {cut: 100}
  - name: late
    op: "*"
    answer: {http-status: ">= 500", "body:b": present, header:X: absent}
    when: {nth: [2, 4], unseen: {method: GET, path: /x}}
    per: deck
    then:
      - set: {rrn: "${mint} ${answer.rrn}", "header:X-A": 1}
      - delete: [approvalCode, "body:c"]
      - status: 500
      - stop
  - {name: file, op: register.do, per: "header:X-Shop", then: {answer: {file: body.json}}}
  - {name: ask, per: language, when: first 2, then: {request: {set: {amount: 5}, delete: description}}}
  - {name: gone, then: {redirect: {to: "/x?o=${request.orderId}", status: 307}}}
  - {name: lost, op: deposit.do, per: entity, then: {lose: request, fail: timeout}}
  - {name: told, op: deposit.do, then: {lose: answer}}
  - {name: poor, op: paymentorder.do, then: {decline: "116"}}
  - {name: held, op: paymentorder.do, then: {take: {orderStatus: 1}}}
  - {name: that, op: paymentorder.do, then: {take: "#12", stop: true}}
  - name: told-late
    op: [gateway/callback, callback]
    where: {operation: deposited, mdOrder: present, query:status: "1", "body:a": absent}
    when: [first 2, seen register.do, asked]
    per: session
    then:
      - {send: after refund.do, repeat: 2 every 1s, parallel: 2, sign: wrong}
      - {set: {status: 0, "header:X-A": "${request.mdOrder}"}, delete: amount}
  - {name: told-never, op: callback, then: {lose: callback}}
`

// mistakesOf reads a file, and fails if a mistake has no position in it or repeats a card number.
func mistakesOf(t *testing.T, data []byte) error {
	t.Helper()
	f, err := parse(t, string(data), `{"a":1}`)
	if err == nil {
		if f == nil {
			t.Error("neither a file nor a mistake")
		}
		return nil
	}
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) +
		3*bytes.Count(data, []byte("\u0085")) + 1
	for _, err := range all {
		var e *rules.Error
		if !errors.As(err, &e) {
			t.Fatalf("a mistake without a place: %v", err)
		}
		if e.File != "f.yaml" || e.Line < 1 || e.Line > lines+1 || e.Column < 1 || e.Text == "" {
			t.Errorf("place: %+v of %d lines", e, lines)
		}
		if strings.Contains(e.Error(), visa) || strings.ContainsAny(e.Error(), "\n\r") {
			t.Errorf("text: %q", e.Error())
		}
	}
	return err
}

func TestTheFileWithEverythingIsGood(t *testing.T) {
	t.Parallel()
	f, err := parse(t, everything, `{"a":1}`)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Rules) != 12 || len(f.Rewrite) != 6 || len(f.Warnings) != 0 {
		t.Errorf("%d rules, %d rows, warnings %v", len(f.Rules), len(f.Rewrite), f.Warnings)
	}
	e := rules.New(rules.Options{Profiles: builtin(t)})
	if err := e.Set(rules.FromFile, f); err != nil {
		t.Error(err)
	}
}

// Every damaged file is read or has its mistakes told, with their places.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(16, 16))
	bad := 0
	try := func(data []byte) {
		if mistakesOf(t, data) != nil {
			bad++
		}
	}
	const each = 400
	for range each { // bytes are changed, left out, put in, and cut off
		data := []byte(everything)
		for range 1 + random.IntN(4) {
			at := random.IntN(len(data))
			switch random.IntN(4) {
			case 0:
				data[at] = byte(random.IntN(256))
			case 1:
				data = append(data[:at], data[at+1:]...)
			case 2:
				const odd = "{}[]:,&*!|>'\"%@`#-? \n\t\x00"
				data = append(data[:at], append([]byte{odd[random.IntN(len(odd))]}, data[at:]...)...)
			case 3:
				data = data[:at+1]
			}
		}
		try(data)
	}
	for i := range each { // nodes take the place of others
		doc, all := nodesOf(t, everything)
		_, others := nodesOf(t, everything)
		one, other := all[random.IntN(len(all))], *others[random.IntN(len(others))]
		switch i % 5 {
		case 0:
			*one = other
		case 1:
			*one = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
		case 2:
			*one = yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "a"}}}
		case 3:
			*one = yaml.Node{Kind: yaml.MappingNode}
		case 4:
			*one = yaml.Node{Kind: yaml.ScalarNode, Value: "${mint"}
		}
		data, err := yaml.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		try(data)
	}
	if bad < 200 {
		t.Errorf("only %d files were bad", bad)
	}
}

// nodesOf reads a file as YAML, and returns all of its nodes.
func nodesOf(t *testing.T, file string) (*yaml.Node, []*yaml.Node) {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(file), &doc); err != nil {
		t.Fatal(err)
	}
	all := doc.Content
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Content...)
	}
	return &doc, all
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	for _, file := range []string{
		"rules:\n- {name: x, when: 'nth [1,'}", "rules: &a [*a]", "? [a]\n: b", "!!binary x: y", "rules: [{<<: {name: x}}]",
		"rules: [{name: x, where: {\"\\xff\": 1}, then: stop}]", "%TAG ! tag:x\n---\nrules: []", "\ufeffrules: []",
		"rules: [{name: x, where: {params(: 1, İ: 2, '@': 3, .: 4}, op: register.do, then: stop}]",
		"rules: [{name: x, then: {decline: *x, stop: &true true}}]", "\"a\\0\": " + visa,
	} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if mistakesOf(t, data) == nil {
			file, _ := parse(t, string(data), "")
			if file == nil {
				return // it is a file with the body above alone
			}
			e := rules.New(rules.Options{Profiles: builtin(t), Seed: 1})
			if err := e.Set(rules.FromFile, file); err != nil {
				t.Errorf("a good file is not put in force: %v", err)
			}
			r := e.Begin(form(builtin(t), "register.do", "orderNumber=1&amount=5"))
			r.Ask(rules.Question{Target: "/payment/rest/register.do", Body: "amount=5"})
			a := rules.Answer{Code: 200, Body: `{"orderId":"1"}`}
			r.Answered(a)
			r.Change(a)
			e.Report()
		}
	})
}
