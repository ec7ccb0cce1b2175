package rules

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/profile"
)

// callbackEffects are what a rule does with callbacks. The zero callbackEffects do nothing.
type callbackEffects struct {
	send     *Sending
	repeat   int           // how often it is sent again; 0: not again
	every    time.Duration // between two of these
	parallel int           // how many go out at once; 0: one
	sign     Signing
}

// Sending says when an attempt of a callback goes out.
type Sending struct {
	When Moment
	Wait time.Duration // of Later
	ops  []opPattern   // of AfterCall
	text string        // as the file has it
}

// Moment is when an attempt of a callback goes out.
type Moment uint8

// The moments.
const (
	AsItComes    Moment = iota // as without rules
	AtOnce                     // without the time that would pass
	BeforeAnswer               // before the answer that brings it
	AfterCall                  // when a later call about the same entity was answered
	Later                      // after a time
)

// Awaits reports whether a callback waits for a call.
func (s *Sending) Awaits(o *profile.Operation, method, path string) bool {
	return s.When == AfterCall && meansAny(s.ops, o, method, path)
}

// Signing is how a callback is signed.
type Signing string

// The signings. The words are those of a rules file.
const (
	Signed      Signing = ""      // as without rules
	SignedWrong Signing = "wrong" // with a signature that no key has made
	Unsigned    Signing = "none"  // without a signature
)

// Bounds of what a rule may have sent, beside what the sandbox sends.
const (
	mostRepeats  = 100
	mostParallel = 16
)

// onCallbacks are the effects that a rule on callbacks may have. Those of the value false are on
// callbacks alone.
var onCallbacks = map[string]bool{
	"set": true, "delete": true, "lose": true, "stop": true,
	"send": false, "repeat": false, "parallel": false, "sign": false,
}

// callbackKeys makes the effects of calls those of callbacks, if the rule is on these. An effect
// that makes no sense is known, and refused.
func (r *reader) callbackKeys(e *effects, ks keys) {
	c := e.callback
	if c == nil {
		c = &callbackEffects{}
	}
	ks["send"] = func(n *yaml.Node) { c.send = r.sending(n) }
	ks["repeat"] = func(n *yaml.Node) { c.repeat, c.every = r.repeat(n) }
	ks["parallel"] = func(n *yaml.Node) { c.parallel = r.between(n, "copies", 2, mostParallel) }
	ks["sign"] = func(n *yaml.Node) { c.sign = r.signing(n) }
	for name := range ks {
		both, is := onCallbacks[name]
		switch {
		case r.callbacks && !is:
			ks[name] = func(n *yaml.Node) {
				e.misplaced = true
				r.wrong(n, "expected an effect on callbacks, found %s, which is one on calls", name)
			}
		case len(r.ops) > 0 && !r.callbacks && is && !both: // else a mistake in op is told
			ks[name] = func(n *yaml.Node) {
				e.misplaced = true
				r.wrong(n, "expected an effect on calls, found %s, which is one on callbacks "+
					"(op: callback)", name)
			}
		}
	}
	if r.callbacks {
		ks["set"] = func(n *yaml.Node) { r.settings(n, &e.ask, profile.Request) }
		ks["delete"] = func(n *yaml.Node) { r.remove(n, &e.ask) }
	}
}

// sending reads "now", "before-answer", "after refund.do" or "+40s".
func (r *reader) sending(n *yaml.Node) *Sending {
	s := &Sending{text: n.Value}
	word, rest, _ := strings.Cut(n.Value, " ")
	switch {
	case n.Value == "now":
		s.When = AtOnce
	case n.Value == "before-answer":
		s.When = BeforeAnswer
	case strings.HasPrefix(n.Value, "+"):
		s.When, s.Wait = Later, r.duration(n, n.Value[1:])
	case word == "after" && strings.TrimSpace(rest) != "":
		s.When = AfterCall
		s.ops = r.seenOperations(&yaml.Node{
			Kind: yaml.ScalarNode, Value: strings.TrimSpace(rest), Line: n.Line, Column: n.Column,
		})
		r.noCallbacks(n, s.ops)
	default:
		r.expected(n, "now, before-answer, after OPERATION or a time such as +40s")
	}
	return s
}

// repeat reads "2 every 1s", or 2.
func (r *reader) repeat(n *yaml.Node) (times int, every time.Duration) {
	number, rest, timed := strings.Cut(n.Value, " every ")
	count := *n
	count.Value = strings.TrimSpace(number)
	times = r.between(&count, "repeats", 1, mostRepeats)
	if timed {
		every = r.duration(n, strings.TrimSpace(rest))
	}
	return times, every
}

// between reads a number.
func (r *reader) between(n *yaml.Node, what string, least, most int) int {
	text, ok := r.text(n, "a number of "+what)
	if !ok {
		return 0
	}
	count := r.count(n, text)
	if count > 0 && (count < least || count > most) {
		r.wrong(n, "expected %d to %d %s, found %d", least, most, what, count)
	}
	return count
}

func (r *reader) signing(n *yaml.Node) Signing {
	s := Signing(n.Value)
	if s != SignedWrong && s != Unsigned {
		r.expected(n, "wrong or none")
	}
	if !slices.ContainsFunc(r.callbackCalls(), func(c profile.Call) bool {
		return c.Profile.Callbacks.Sign != nil
	}) {
		r.wrong(n, "expected callbacks that are signed: no profile tells how these are")
	}
	return s
}

// callback reads the operation "callback", of one API or of any.
func (r *reader) callback(n *yaml.Node, p opPattern) (opPattern, bool) {
	p.callback = true
	if p.profile != "" && r.set.FindCallback(p.profile).Operation == nil {
		r.wrong(n, "expected an API that calls back: the profile %s tells of no callbacks",
			quote(p.profile))
		return p, false
	}
	return p, true
}

// areCallbacks reports whether operations are callbacks, and notes a mixture: most effects make
// sense for calls alone or for callbacks alone.
func (r *reader) areCallbacks(n *yaml.Node, ps []opPattern) bool {
	some := slices.ContainsFunc(ps, func(p opPattern) bool { return p.callback })
	if some && slices.ContainsFunc(ps, func(p opPattern) bool { return !p.callback }) {
		r.wrong(n, "expected calls or callbacks, found both: write two rules")
	}
	return some
}

// noCallbacks notes callbacks among operations of which only calls can be meant.
func (r *reader) noCallbacks(n *yaml.Node, ps []opPattern) {
	if slices.ContainsFunc(ps, func(p opPattern) bool { return p.callback }) {
		r.wrong(n, "expected an operation that the shop calls, found a callback")
	}
}

// callbackCalls returns the callbacks that the rule which is read may be about, as far as profiles
// know them.
func (r *reader) callbackCalls() []profile.Call {
	var calls []profile.Call
	for _, p := range r.set.Profiles() {
		c := r.set.FindCallback(p.Name)
		meant := func(o opPattern) bool { return o.calls(p.Name) }
		if c.Operation != nil && slices.ContainsFunc(r.ops, meant) {
			calls = append(calls, c)
		}
	}
	return calls
}

// calls reports whether callbacks of an API are meant.
func (p *opPattern) calls(api string) bool {
	return p.callback && (p.profile == "" || p.profile == api)
}

// checkCallbacks notes what cannot be together in a rule on callbacks.
func (r *reader) checkCallbacks(rule *Rule) {
	e, then := &rule.then, r.nodes["then"]
	if e.none() {
		r.wrong(then, "expected an effect, found none")
	}
	if e.lose != NoLoss && (len(e.callback.texts()) > 0 || !e.ask.empty()) {
		r.wrong(then, "expected no other effect beside lose: nobody sees the callback")
	}
	if answer := r.nodes["answer"]; answer != nil {
		r.wrong(answer, "expected tests under where: a callback is answered by the shop")
	}
	r.checkConditions(rule)
}

// texts tells the effects in a few words.
func (c *callbackEffects) texts() []string {
	var parts []string
	if c.send != nil {
		parts = append(parts, "send "+c.send.text)
	}
	switch {
	case c.repeat > 0 && c.every > 0:
		parts = append(parts, fmt.Sprintf("repeat %d every %s", c.repeat, c.every))
	case c.repeat > 0:
		parts = append(parts, fmt.Sprintf("repeat %d", c.repeat))
	}
	if c.parallel > 0 {
		parts = append(parts, fmt.Sprintf("parallel %d", c.parallel))
	}
	if c.sign != Signed {
		parts = append(parts, "sign "+string(c.sign))
	}
	return parts
}
