package traffic

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unique"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/filter"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// maxText bounds each text of a row, in bytes. Whoever wants all of it opens the exchange.
const maxText = 200

// row is a view.Row in little memory: what many rows have in common is shared among them.
type row struct {
	id       uint64
	at, took int64 // in nanoseconds, of Unix time
	look     unique.Handle[look]
	who      unique.Handle[view.Who] // what the row itself tells, without its flow
	amount   unique.Handle[view.Amount]
	more     *more // nil: nothing
	group    *group
	number   int32
	callback int32
	attempt  int16
	attempts int16
	seen     int64 // when the row was made, in nanoseconds of Unix time
	readable bool  // there is an exchange that was not read
	read     bool
}

// look is what rows have in common with many others.
type look struct {
	sign                                           view.Sign
	kind                                           proxy.Kind
	session, profile, operation, short, method     string
	code                                           int
	outcome                                        view.Outcome
	cassette, served, state, mark, reason, nearest string
	problem, callbackOutcome                       string
	from, to                                       view.Actor
	given                                          bool // the client got what a rule has made
}

// more is what few rows have.
type more struct {
	target, sentence, hint, mend redact.Safe
	fields                       []redact.Safe
	rules                        []view.Fired
	faults                       faults
	miss                         uint64 // the n-th of the run; 0 for no miss
}

// faults are what an event tells of what went wrong beside its problem.
type faults struct{ withheld, cause, where, checksum string }

// What most rows have before they are read.
var (
	noWho    = unique.Make(view.Who{})
	noAmount = unique.Make(view.Amount{})
)

// fired returns the rules that fired for a row.
func (r *row) fired() []view.Fired {
	if r.more == nil {
		return nil
	}
	return r.more.rules
}

// made returns the row of an event, before anybody has read its exchange.
func (t *Traffic) made(e hub.Event) row {
	method, target := e.Line()
	l := look{
		kind: e.Kind, session: clip(filter.Masked(e.Session)), // a client has chosen it
		profile: clip(e.Profile), operation: clip(e.Operation),
		method: methodOf(method.String()), code: e.Code, cassette: clip(e.Cassette),
		served: servedOf(&e.Event), state: clip(e.State), mark: e.Mark, reason: string(e.Reason),
		nearest: clip(e.Nearest), problem: e.Problem, callbackOutcome: e.Outcome,
	}
	l.short = t.shorts[e.Profile+"/"+e.Operation]
	t.tell(&l, &e.Event)
	l.sign = signOf(&l, len(e.Rules) > 0)
	r := row{
		id: e.ID, at: e.Time.Add(-e.Took).UnixNano(), took: int64(e.Took), seen: t.now().UnixNano(),
		look: unique.Make(l), who: noWho, amount: noAmount,
		number: int32(e.Number), callback: int32(e.Callback), attempt: int16(e.Attempt),
		attempts: int16(e.Attempts), readable: e.Exchange != nil && t.profiles != nil,
	}
	m := more{
		target: target.Clip(maxText), hint: e.Hint.Clip(maxText), mend: e.Row.Clip(maxText), rules: firedOf(&e.Event),
		sentence: t.sentence(&e.Event), miss: e.Miss,
		faults: faults{e.Withheld, e.Cause, clip(e.Where), e.Checksum},
	}
	for _, f := range e.Fields {
		m.fields = append(m.fields, f.Clip(maxText))
	}
	if m.target != (redact.Safe{}) || m.hint != (redact.Safe{}) || m.sentence != (redact.Safe{}) ||
		m.rules != nil || m.fields != nil || m.miss != 0 || m.faults != (faults{}) {
		r.more = &m
	}
	return r
}

// tell says what an event comes to where no exchange says more.
func (t *Traffic) tell(l *look, e *proxy.Event) {
	switch e.Kind {
	case proxy.Callback:
		l.short, l.from, l.to = "callback", view.ActorDeck, view.ActorShop
		l.outcome = view.Outcome{
			Words: t.safe(joined(e.Operation, e.Outcome)), Tone: callbackTone(e.Outcome, e.Code),
		}
	case proxy.Missed:
		l.from, l.to = view.ActorClient, view.ActorDeck
		words := "miss: " + string(e.Reason)
		for _, f := range e.Fields[:min(2, len(e.Fields))] {
			words += " " + f.String()
		}
		l.outcome = view.Outcome{Words: t.safe(words), Tone: view.Bad}
	case proxy.Warning:
	default:
		l.from, l.to = view.ActorClient, view.ActorDeck
		t.give(l, e.Given)
	}
}

// give makes a row tell what the client got where a rule has made the answer another. What the tape
// or the sandbox has answered is in the exchange.
func (t *Traffic) give(l *look, given int) {
	switch given {
	case 0:
		return
	case proxy.GivenNothing:
		l.code, l.served = 0, "nothing"
		l.outcome = view.Outcome{Words: t.safe("the answer was lost")}
	default:
		l.code, l.served = given, "rule"
		l.outcome = view.Outcome{Words: t.safe(strings.ToLower(http.StatusText(given)))}
	}
	l.given = true
}

// sentence returns what an event says in a sentence.
func (t *Traffic) sentence(e *proxy.Event) redact.Safe {
	switch {
	case e.Note == "":
		return e.Text.Clip(maxText)
	case e.Text == redact.Safe{}:
		return t.safe(string(e.Note))
	}
	return redact.Join(t.safe(string(e.Note)), t.safe(": "), e.Text).Clip(2 * maxText)
}

// safe returns a text of ours, or one that was cleaned before, as safe.
func (t *Traffic) safe(text string) redact.Safe { return t.words.Text(text).Clip(maxText) }

// clip bounds a text of ours, or of a tape.
func clip(text string) string { return leaf.Clip(text, maxText) }

// joined joins what a callback tells with what became of it.
func joined(what, became string) string {
	if what == "" || became == "" {
		return what + became
	}
	return what + ", " + became
}

// callbackTone says whether what became of a callback is good news.
func callbackTone(outcome string, code int) view.Tone {
	switch outcome {
	case proxy.OutcomeAccepted:
		return view.Good
	case proxy.OutcomeHeld:
		return view.Waits
	case proxy.OutcomeRelayed:
		if code >= 200 && code < 300 {
			return view.Good
		}
	}
	return view.Bad
}

// methods are the methods of HTTP.
var methods = map[string]bool{
	"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true,
	"OPTIONS": true, "TRACE": true, "CONNECT": true,
}

// methodOf returns a method as a row has it: a client may send any word.
func methodOf(method string) string {
	if method == "" || methods[method] {
		return method
	}
	return "other"
}

// firedOf returns the rules of an event with their counts.
func firedOf(e *proxy.Event) []view.Fired {
	var all []view.Fired
	for i, name := range e.Rules {
		f := view.Fired{Name: clip(name)}
		if i < len(e.RuleCounts) {
			f.Count = e.RuleCounts[i]
		}
		all = append(all, f)
	}
	return all
}

// view returns the row as people see it. What it does not tell of what it is about, its flow tells.
func (r *row) view() view.Row {
	l := r.look.Value()
	v := view.Row{
		ID: r.id, At: time.Unix(0, r.at), Sign: l.sign, Kind: string(l.kind),
		Session: l.session, Profile: l.profile, Operation: l.operation, Short: l.short,
		Method: l.method, Who: r.who.Value(), Code: l.code, Outcome: l.outcome,
		Cassette: l.cassette, Number: int(r.number), Served: l.served, State: l.state,
		Mark: l.mark, MarkWords: match.MarkWords(l.mark), Reason: l.reason, Nearest: l.nearest,
		Problem: l.problem, Took: time.Duration(r.took), Callback: int(r.callback),
		Attempt: int(r.attempt), Attempts: int(r.attempts), CallbackOutcome: l.callbackOutcome,
		From: l.from, To: l.to, Read: r.read,
	}
	if a := r.amount.Value(); r.amount != noAmount {
		v.Amount = &a
	}
	if m := r.more; m != nil {
		v.Target, v.Sentence, v.Hint, v.Mend = m.target, m.sentence, m.hint, m.mend
		v.Fields, v.Rules, v.Miss = m.fields, m.rules, m.miss
		v.Withheld, v.Cause = m.faults.withheld, m.faults.cause
		v.Where, v.Checksum = m.faults.where, m.faults.checksum
	}
	if r.group != nil {
		v.Group = r.group.name()
		r.group.complete(&v)
	}
	return v
}

// groupName writes the ID of a group.
func groupName(n uint64) string { return "g" + strconv.FormatUint(n, 10) }
