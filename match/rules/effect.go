package rules

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/profile"
)

// effects are what a rule does. The zero effects do nothing.
type effects struct {
	// Of the request phase.
	ask      change    // what goes to the mode is changed
	instead  *instead  // the client is answered at once
	redirect *redirect // the client is sent elsewhere
	// Of the choice phase.
	decline string // the code of a decline
	take    *take
	// Of the answer phase.
	status int // 0: as it is
	answer change
	// Of the delivery.
	delay *delay
	drip  time.Duration // over which the body comes; 0: at once
	fail  *failure
	lose  Loss
	// callback is what is done with callbacks, beside ask, lose and stop. Nil: the rule is on calls.
	callback *callbackEffects
	// stop ends the look at rules behind this one.
	stop bool
	// misplaced says that there is an effect of calls on callbacks, or the other way round.
	misplaced bool
}

// breaks reports whether the client does not get the whole answer.
func (e *effects) breaks() bool { return e.fail != nil || e.lose != NoLoss }

// change sets and deletes values of a message.
type change struct {
	set    []setting
	remove []place
}

type setting struct {
	at    place
	value value
}

func (c *change) empty() bool { return len(c.set)+len(c.remove) == 0 }

// take chooses a recording: by its number on tape, or by tests on its answer.
type take struct {
	text     string
	cassette string // "" for any
	number   int    // 0: by the tests
	tests    []fieldTest
}

// delay lets a client wait, always as long or so that half of the attempts take p50 at most and
// 99 of 100 take p99 at most.
type delay struct{ p50, p99 time.Duration }

// Failure is how an answer fails to be delivered.
type Failure string

// The failures. The words are those of a rules file.
const (
	Whole   Failure = ""        // it does not fail
	Reset   Failure = "reset"   // the connection is reset
	Empty   Failure = "empty"   // the connection is closed before the answer
	Cut     Failure = "cut"     // the connection is closed in the middle of the answer
	Garbage Failure = "garbage" // what comes is no HTTP
	Timeout Failure = "timeout" // nothing comes, for as long as the client waits
)

type failure struct {
	how Failure
	at  int // of Cut: how many bytes of the body come; -1 for half of them
}

// Loss says what of a call gets lost.
type Loss string

// The losses. The words are those of a rules file.
const (
	NoLoss      Loss = ""
	LoseRequest Loss = "request" // it never arrived: nothing changes
	LoseAnswer  Loss = "answer"  // the call was done, and nobody is told
	// LoseCallback: the sandbox has called, and the shop never hears of it.
	LoseCallback Loss = "callback"
)

// effects reads "then": one mapping of effects, or a list of such mappings.
func (r *reader) effects(n *yaml.Node) effects {
	var e effects
	if r.callbacks {
		e.callback = &callbackEffects{}
	}
	done := map[string]bool{}
	for _, item := range items(n) {
		if item.Kind == yaml.ScalarNode && item.Value == "stop" {
			e.stop = true
			continue
		}
		for i := 0; i+1 < len(item.Content); i += 2 {
			if name := item.Content[i]; done[name.Value] && name.Value != "set" && name.Value != "delete" {
				r.wrong(name, "expected each effect once, found %s again", quote(name.Value))
			} else {
				done[name.Value] = true
			}
		}
		r.mapping(item, "effects", r.effectKeys(&e))
	}
	return e
}

func (r *reader) effectKeys(e *effects) keys {
	ks := keys{
		"set":    func(n *yaml.Node) { r.settings(n, &e.answer, profile.Response) },
		"delete": func(n *yaml.Node) { r.remove(n, &e.answer) },
		"request": func(n *yaml.Node) {
			r.mapping(n, "{set: ..., delete: ...}", keys{
				"set":    func(n *yaml.Node) { r.settings(n, &e.ask, profile.Request) },
				"delete": func(n *yaml.Node) { r.remove(n, &e.ask) },
			})
		},
		"status":   func(n *yaml.Node) { e.status = r.status(n) },
		"answer":   func(n *yaml.Node) { e.instead = r.instead(n) },
		"redirect": func(n *yaml.Node) { e.redirect = r.redirect(n) },
		"delay":    func(n *yaml.Node) { e.delay = r.delay(n) },
		"drip": func(n *yaml.Node) {
			if text, ok := r.text(n, "a time"); ok {
				e.drip = r.duration(n, text)
			}
		},
		"fail": func(n *yaml.Node) { e.fail = r.failure(n) },
		"lose": func(n *yaml.Node) { e.lose = r.loss(n) },
		"decline": func(n *yaml.Node) {
			e.decline, _ = r.text(n, "the code of a decline")
			r.nodes["decline"] = n
		},
		"take": func(n *yaml.Node) {
			e.take = r.take(n)
			r.nodes["take"] = n
		},
		"stop": func(n *yaml.Node) {
			if e.stop = n.Value == "true"; !e.stop {
				r.expected(n, "true")
			}
		},
	}
	r.callbackKeys(e, ks)
	return ks
}

// settings reads what is set in one half of an exchange.
func (r *reader) settings(n *yaml.Node, c *change, dir profile.Direction) {
	r.pairs(n, "fields and their values", func(key, value *yaml.Node) {
		at := r.changed(key)
		switch {
		case value.Kind != yaml.ScalarNode:
			r.expected(value, "a text or a number")
		case !r.noSecret(value, value.Value, at, dir):
			c.set = append(c.set, setting{at, r.value(value, dir)})
		}
	})
}

func (r *reader) remove(n *yaml.Node, c *change) {
	for _, item := range items(n) {
		if _, ok := r.text(item, "a field"); ok {
			c.remove = append(c.remove, r.changed(item))
		}
	}
	if len(items(n)) == 0 {
		r.wrong(n, "expected fields, found an empty list")
	}
}

// computed are the headers that whoever sends a message computes.
var computed = map[string]bool{
	"Connection": true, "Content-Encoding": true, "Content-Length": true, "Keep-Alive": true,
	"Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

// changed reads a place that is set or deleted.
func (r *reader) changed(n *yaml.Node) place {
	p := r.place(n)
	switch {
	case p.in == aStatus:
		r.wrong(n, "expected a field, found %q: write the effect status", statusPlace)
	case p.in == aHeader && computed[p.key]:
		r.wrong(n, "expected another header: %s is computed when a message is sent", p.key)
	}
	return p
}

// place reads a place.
func (r *reader) place(n *yaml.Node) place {
	p := parsePlace(n.Value)
	switch {
	case p.key == "" && p.in != aStatus, n.Kind != yaml.ScalarNode:
		r.expected(n, "a field, or one behind body:, header: or query:")
	case p.in == aHeader && !isToken(p.key):
		r.expected(n, "the name of a header")
	}
	r.field(n, p)
	return p
}

// value reads a value, which may refer to the answer only where there is one.
func (r *reader) value(n *yaml.Node, dir profile.Direction) value {
	v, err := parseValue(n.Value)
	if err != nil {
		r.wrong(n, "%v", err)
	}
	for _, p := range v {
		switch {
		case p.kind == fromAnswer && dir == profile.Request && !r.waits:
			r.wrong(n, "expected no reference to the answer: there is none yet")
		case p.kind == fromRequest && p.at.in == aStatus:
			r.wrong(n, "expected a field of the request: it has no status")
		}
		if p.kind == fromAnswer || p.kind == fromRequest {
			r.field(n, p.at)
		}
	}
	return v
}

// status reads the status of an answer.
func (r *reader) status(n *yaml.Node) int {
	code, err := strconv.Atoi(n.Value)
	if err != nil || code < http.StatusOK || code > 599 {
		r.expected(n, "a status from 200 to 599")
	}
	return code
}

// delay reads a time, or {p50: 200ms, p99: 3s}.
func (r *reader) delay(n *yaml.Node) *delay {
	if n.Kind != yaml.MappingNode {
		text, _ := r.text(n, "a time")
		d := r.duration(n, text)
		return &delay{d, d}
	}
	d := &delay{}
	read := func(to *time.Duration) func(*yaml.Node) {
		return func(n *yaml.Node) {
			if text, ok := r.text(n, "a time"); ok {
				*to = r.duration(n, text)
			}
		}
	}
	r.mapping(n, "{p50: ..., p99: ...}", keys{"p50": read(&d.p50), "p99": read(&d.p99)})
	if d.p50 == 0 || d.p99 < d.p50 {
		r.wrong(n, "expected p50, and a p99 that is not less")
	}
	return d
}

// failure reads a word, or {cut: N} for an answer of which N bytes come.
func (r *reader) failure(n *yaml.Node) *failure {
	f := &failure{at: -1}
	if n.Kind == yaml.MappingNode {
		r.mapping(n, "{cut: BYTES}", keys{"cut": func(n *yaml.Node) {
			f.how = Cut
			if text, ok := r.text(n, "a number of bytes"); ok && text != "0" {
				f.at = r.count(n, text)
			} else {
				f.at = 0
			}
		}})
		return f
	}
	f.how = Failure(n.Value)
	switch f.how {
	case Reset, Empty, Cut, Garbage, Timeout:
	default:
		r.unknown(n, n.Value, "failure", map[string]bool{string(Reset): true, string(Empty): true,
			string(Cut): true, string(Garbage): true, string(Timeout): true})
	}
	return f
}

func (r *reader) loss(n *yaml.Node) Loss {
	l := Loss(n.Value)
	switch {
	case r.callbacks && l != LoseCallback:
		r.expected(n, "callback")
	case !r.callbacks && l != LoseRequest && l != LoseAnswer:
		r.expected(n, "request or answer")
	}
	return l
}

// take reads "#12", "checkout#12", or tests on the answer of a recording.
func (r *reader) take(n *yaml.Node) *take {
	if n.Kind == yaml.MappingNode {
		t := &take{tests: r.tests(n, profile.Response)}
		texts := make([]string, len(t.tests))
		for i := range t.tests {
			texts[i] = t.tests[i].text
		}
		t.text = strings.Join(texts, ", ")
		return t
	}
	text, _ := r.text(n, `the number of an exchange such as "#12", or tests`)
	t := &take{text: text}
	name, digits, found := strings.Cut(text, "#")
	if !found {
		r.expected(n, `the number of an exchange such as "#12", or tests`)
		return t
	}
	t.cassette, t.number = name, r.count(n, digits)
	return t
}

// String tells the effects in a few words, without values: "answer 503, delay 2s".
func (e *effects) String() string {
	var parts []string
	add := func(there bool, format string, args ...any) {
		if there {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	of := " of the request"
	if e.callback != nil {
		of = ""
	}
	for _, s := range e.ask.set {
		add(true, "set %s%s", s.at.text, of)
	}
	for _, p := range e.ask.remove {
		add(true, "delete %s%s", p.text, of)
	}
	if e.instead != nil {
		add(true, "answer %d", e.instead.status)
	}
	if e.redirect != nil {
		add(true, "redirect %d", e.redirect.status)
	}
	add(e.decline != "", "decline %s", e.decline)
	if e.take != nil {
		add(true, "take %s", e.take.text)
	}
	add(e.status != 0, "status %d", e.status)
	for _, s := range e.answer.set {
		add(true, "set %s", s.at.text)
	}
	for _, p := range e.answer.remove {
		add(true, "delete %s", p.text)
	}
	if e.delay != nil {
		add(e.delay.p50 == e.delay.p99, "delay %s", e.delay.p50)
		add(e.delay.p50 != e.delay.p99, "delay %s to %s", e.delay.p50, e.delay.p99)
	}
	add(e.drip > 0, "drip %s", e.drip)
	if e.callback != nil {
		parts = append(parts, e.callback.texts()...)
	}
	add(e.lose != NoLoss, "lose %s", e.lose)
	if e.fail != nil {
		add(e.fail.at < 0, "fail %s", e.fail.how)
		add(e.fail.at >= 0, "fail %s after %d bytes", e.fail.how, e.fail.at)
	}
	add(e.stop, "stop")
	return strings.Join(parts, ", ")
}
