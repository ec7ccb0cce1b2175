package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/internal/http1"
	"github.com/paytape/paytape/proxy/internal/problem"
	"github.com/paytape/paytape/redact"
)

// Kind says what an Event tells.
type Kind string

// The kinds of event.
const (
	Recorded Kind = "recorded" // an exchange is on tape
	Served   Kind = "served"   // a request was answered from tape
	Missed   Kind = "missed"   // a request found nothing on tape
	Passed   Kind = "passed"   // an exchange went through and was not recorded
	ByRule   Kind = "ruled"    // a request was answered by a rule of the run, or lost by one
	Failed   Kind = "failed"   // a request got an answer of the deck's own, or none
	Lost     Kind = "lost"     // an exchange is not on tape, for a reason told of before
	Refused  Kind = "refused"  // a client was refused, and no mode was asked: see Refusals
	Callback Kind = "callback" // the shop was told something, or was to be: see Outcome
	Warning  Kind = "warning"  // something the operator should know
)

// Note is a sentence of ours that tells more about an event. Notes are constants of this
// package, so none can hold a value of the traffic.
type Note string

// The notes.
const (
	NoteTapeFailed Note = "the tape cannot be written: clients are served, " +
		"but what they do is not recorded"
	NoteTapeBack Note = "the tape can be written again: what was done meanwhile is not on it"
	NoteUnsynced Note = "the disk did not confirm that it keeps the tape: " +
		"a power loss may cost what was recorded"
	NoteSynced          Note = "the tape was written anew, and the disk has confirmed it"
	NoteAstray          Note = "somebody removed or replaced the journal: it was written anew"
	NoteAddressTooLarge Note = "the body is too large to turn addresses in: " +
		"it passed unaltered"
	NoteAddressUndecoded Note = "the body's content coding could not be undone: " +
		"its addresses passed unaltered"
	NoteCoding Note = "the recorded content coding could not be restored: " +
		"the answer went out without one"
	NoteCharset Note = "the recorded charset is not known: the answer went out in UTF-8"
	NoteForward Note = "a client asked this proxy for a host that is not configured: " +
		"it was refused"
	NoteHandshake Note = "a client of this proxy ended the TLS handshake: " +
		"it may not trust the certificate of paytape ca export"
	NoteRulesRead   Note = "the rules files were read again, and are in force"
	NoteRulesBroken Note = "the rules files were read again and are broken: " +
		"the rules that were in force stay"
	NoteRulesDoubtful Note = "rules were put in force that may have a mistake"
	NoteRewriteWaits  Note = "rows under \"rewrite\" have changed in the rules files: " +
		"they take effect at the next start"
	NoteCallbackAddress Note = "a callback has no address that can be called: " +
		"--callback-to names the shop"
	NoteCallbackForbidden Note = "a callback leads to a host that is not on this machine: " +
		"--callback-allow HOST lets it be called"
	NoteCallbackKey  Note = "a callback cannot be signed: --callback-key-file has the key"
	NoteCallbackFull Note = "more callbacks wait than are held: a shop answers too slowly, or nobody " +
		"asks for the next"
	NoteCallbackSend Note = "a rule says when a callback is sent: while callbacks are relayed the sandbox " +
		"decides that"
	NoteDefect Note = "a defect in paytape ended this exchange"
)

// Event tells an observer what happened to one request. All that can be read of it has been
// cleaned, or is a constant; what is behind Exchange is cleaned before it comes out.
type Event struct {
	Kind Kind
	// Number is the exchange on tape; 0 where there is none.
	Number int
	// Cassette is the tape that an answer or a callback came from; empty except for Served and
	// Callback.
	Cassette string
	// Flow is the number of the live entity that the answer or the callback is about, such as an
	// order; 0 for what is about none, and except for Served and Callback.
	Flow int
	// State tells in words of the tape what was done to that entity before; empty except for
	// Served. Mark is one of match.Marks: on what the answer stands beside the tape; empty for
	// nothing.
	State, Mark string
	// Session is the session of the request; empty for a client without one. A client has chosen the
	// name, so it is cleaned: a card number in it is another one here.
	Session string
	// Profile and Operation name what a profile recognised; both are empty where none did. The
	// operation of a callback is what it tells: "deposited".
	Profile, Operation string
	// Attempt counts the attempts of a callback from 1, and Outcome is what became of the attempt, or
	// of the callback: one of Outcomes. 0 for a callback that was not sent; 0 and empty for other
	// kinds.
	Attempt int
	Outcome string
	// Callback numbers the callbacks of a deck from 1: their attempts have one number. 0 for other
	// kinds, and for a copy of a relayed callback that a rule has sent.
	Callback int
	// Attempts is how often the deck sends a callback at most; 0: nobody knows.
	Attempts int
	// Checksum is what became of the check of a relayed callback, one of the constants of package
	// leaf; Text is then the text that is signed. Empty: it has none.
	Checksum string
	// Method and Target are the request line of a call that no profile knows, or that was
	// refused at the forward door; Target has no query. Both are empty for a known operation,
	// whose name says more, and for Served: Line has them there.
	Method, Target redact.Safe
	asked          *requestLine // what Line cleans; nil: Method and Target say it
	// Code is the status of the answer; 0 where none was sent.
	Code int
	// Took is the time from the request to the end of its answer.
	Took time.Duration
	// Reason is why a request was missed, Nearest the exchange on tape that came closest, if
	// any, and Hint what would have made it match; all are empty for other kinds.
	Reason  match.Reason
	Nearest string
	Hint    redact.Safe
	// Row is a row of a rules file, or a profile, that would mend the miss, on one line of YAML. Empty:
	// none is known.
	Row redact.Safe
	// Fields are the first of those in which a missed request differs from Nearest. Nil: none.
	Fields []redact.Safe
	// Miss counts the misses of the run: it is 1 for the first, and 0 for what is no miss. The body
	// of the miss says it too: see ReplayOptions.Why.
	Miss uint64
	// Problem is what was wrong with an exchange, in a stable word: the Paytape-Error of an
	// answer that the deck gave itself, or ProblemCut. Empty for an answer of the sandbox, of the
	// tape or of nobody, and for a miss.
	Problem string
	// Cause is what kind of fault of an upstream it was, one of Causes. Empty if none is to
	// blame.
	Cause string
	// Rules are the names of the rules of the run that fired, as a rules file has them. Code is then
	// that of the true answer, and the client may have got another.
	Rules []string
	// RuleCounts has for each of Rules how often it has fired, as Paytape-Rules tells it: "1/2" is
	// the first of two times, "3" the third. Nil: nobody knows.
	RuleCounts []string
	// Given is the status that the client gets in place of Code, because a rule has made the answer
	// another; GivenNothing: it gets none. 0: it gets Code.
	Given int
	// Withheld is why an exchange is on tape without a body, one of Withholdings; empty if it is
	// there with both.
	Withheld string
	// Resend is the number of WithResend, if somebody has sent the request again; 0 for a client's.
	Resend uint64
	// Where is the file and line of a defect; empty otherwise.
	Where string
	// Note is a sentence of ours, and Text one that needed cleaning; either may be empty.
	Note Note
	Text redact.Safe
	// Exchange is the request and its answer, to be cleaned by whoever looks at it. Nil for an
	// event that tells of none, and where a request was refused before its body was read.
	Exchange *Exchange
}

// GivenNothing is Event.Given where a rule has lost the answer, or broken the connection.
const GivenNothing = -1

// ruled tells which rules have fired for the exchange of an event, and what the client gets of its
// answer. A nil ruling says nothing.
func (e *Event) ruled(r *rules.Ruling) {
	e.Rules, e.RuleCounts = r.Fired(), r.Counts()
	switch given := r.Status(e.Code); given {
	case e.Code:
	case 0:
		e.Given = GivenNothing
	default:
		e.Given = given
	}
}

// The problems for which an upstream is to blame.
const (
	ProblemUpstream = "upstream" // it gave no answer, or a useless one
	ProblemCut      = "cut"      // its answer ended too early
)

// What becomes of a callback.
const (
	OutcomeRelayed    = "relayed"    // passed on to the shop while recording; Code is the shop's
	OutcomeHeld       = "held"       // it waits until somebody asks for the next
	OutcomeAccepted   = "accepted"   // the shop has taken it
	OutcomeRefused    = "refused"    // the shop has answered otherwise
	OutcomeUnanswered = "unanswered" // there was no answer; another attempt follows
	OutcomeGivenUp    = "given up"   // there was no answer, and no attempt follows
	OutcomeDropped    = "dropped"    // it was not sent, or not to its end; Problem tells why
)

// Outcomes returns the words of Event.Outcome: all that there are.
func Outcomes() []string {
	return []string{
		OutcomeRelayed, OutcomeHeld, OutcomeAccepted, OutcomeRefused, OutcomeUnanswered,
		OutcomeGivenUp, OutcomeDropped,
	}
}

// The problems of callbacks.
const (
	ProblemShop      = "shop"       // the shop gave no answer; Cause tells more
	ProblemNoAddress = "no-address" // the client has named none, and the operator neither
	ProblemAddress   = "address"    // what the client has named cannot be called
	ProblemForbidden = "forbidden"  // its host is neither on this machine nor allowed
	ProblemNoKey     = "no-key"     // there is nothing to sign it with
	ProblemFull      = "full"       // too many wait
	ProblemRule      = "rule"       // a rule of the run has lost it
	ProblemReset     = "reset"      // the deck was reset
	ProblemOff       = "off"        // callbacks have been switched off
	ProblemStopped   = "stopped"    // the deck has stopped
	ProblemMoved     = "moved"      // its session is another deck's, which sends it
)

// Why an exchange is on tape without a body.
const (
	WithheldLimit  = "limit"  // it was larger than a body on tape can be
	WithheldBudget = "budget" // too much was under way at once
	WithheldUnread = "unread" // the sandbox did not want all of it
	WithheldSwitch = "switch" // what follows a switch of protocols is no body
)

// Withholdings returns the words of Event.Withheld: all that there are.
func Withholdings() []string {
	return []string{WithheldLimit, WithheldBudget, WithheldUnread, WithheldSwitch}
}

// blame says what kind of fault of an upstream an error is, if it is one.
func (e *Event) blame(err error) {
	var p *problem.Problem
	if errors.As(err, &p) {
		e.Cause = p.Cause
	}
}

// identify says whose event it is, in words that need no cleaning.
func (e *Event) identify(c profile.Call) {
	if c.Profile != nil {
		e.Profile = c.Profile.Name
	}
	if c.Operation != nil {
		e.Operation = c.Operation.Name
	}
}

// resendKey finds the number of WithResend.
type resendKey struct{}

// WithResend returns a context for a request that is sent again: the event that tells of the request
// has the number, which is not 0.
func WithResend(ctx context.Context, number uint64) context.Context {
	return context.WithValue(ctx, resendKey{}, number)
}

// in says in which session a request came.
func (e *Event) in(t textCleaner, session string) {
	if session != "" {
		e.Session = t.Text(session).String()
	}
}

// of says whose request it is that an event tells of.
func (e *Event) of(ctx context.Context) { e.Resend, _ = ctx.Value(resendKey{}).(uint64) }

// answered tells of an answer that the deck gave itself; nil is none.
func (e *Event) answered(res *http.Response) {
	if res != nil {
		e.Code, e.Problem = res.StatusCode, res.Header.Get("Paytape-Error")
	}
}

// textCleaner is what it takes to put a text of the traffic into an event.
type textCleaner interface {
	Text(s string) redact.Safe
}

// line adds the request line of a call that no profile knows.
func (e *Event) line(t textCleaner, method, path string) {
	if e.Operation == "" {
		e.Method, e.Target = t.Text(method), t.Text(path)
	}
}

// tell hands e to an observer, if there is one. The request waits until the observer returns: see
// package hub for who may do what there.
func tell(observe func(Event), e Event) {
	if observe != nil {
		observe(e)
	}
}

// Refusals returns the words of Event.Problem with which clients are refused before a mode is
// asked: all that there are. Limit: what net/http refuses of HTTP/2 is not told of.
func Refusals() []string {
	var all []string
	seen := map[string]bool{}
	for _, p := range append(http1.Problems(), problemPlain, problemHandshake, problemConnect,
		problemAbsolute, problemForward, problemMisdirected, problemHostName) {
		if !seen[p.Kind] {
			seen[p.Kind] = true
			all = append(all, p.Kind)
		}
	}
	return all
}

// OfProxy reports whether a request was refused that asks for a proxy: the deck is none, or leads
// to other hosts. The client was not served, and no mode was asked.
func (e *Event) OfProxy() bool {
	if e.Kind != Refused {
		return false
	}
	switch e.Problem {
	case problemConnect.Kind, problemAbsolute.Kind, problemForward.Kind, problemMisdirected.Kind:
		return true
	}
	return false
}

// Unserved reports whether the deck itself refused a request, or failed at it: the client was there to be
// answered, and nobody looked for the answer on tape, at the sandbox or among the rules. A body that breaks
// off is none of these: its client may have left. Those of OfProxy are not among them.
func (e *Event) Unserved() bool {
	switch e.Kind {
	case Refused:
		return e.Code != 0 && !e.OfProxy() // without a code nobody was there
	case Failed:
		switch e.Problem {
		case "":
			return e.Note == NoteDefect
		case problemRequest.Kind, ProblemUpstream, ProblemCut:
			return false
		}
		return true
	}
	return false
}

// problemHandshake is a TLS handshake that failed. Nobody is left to read an answer.
var problemHandshake = &problem.Problem{Kind: "handshake"}

// refusal is the event of a refusal. It holds nothing of what the client has sent.
func refusal(p *problem.Problem) Event {
	return Event{Kind: Refused, Code: p.Code, Problem: p.Kind}
}

// refuse answers a request for which no mode is asked, and tells of it.
func refuse(observe func(Event), w http.ResponseWriter, req *http.Request, p *problem.Problem) {
	tell(observe, refusal(p))
	p.Write(w, req.Method)
}
