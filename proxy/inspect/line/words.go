package line

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// words are what a row says of its exchange.
type words struct {
	main string // what it came to
	// more may stand behind main if there is room for all of it, and else stands below. rest always
	// stands below.
	more, rest []string
	between    string // main and more
	fits       bool   // more stands behind main
}

// wordsOf returns what a row says in the columns of a layout.
func wordsOf(r *view.Row, o Options, l layout) words {
	w := words{between: "; "}
	sentence, hint := plain(r.Sentence.String()), plain(r.Hint.String())
	switch r.Sign {
	case view.SignMiss:
		w.miss(r, l, sentence, hint)
	case view.SignCallback:
		w.callback(r, l, sentence)
	case view.SignFailed:
		w.failed(r)
		w.more, w.rest = append(w.more, nonEmpty(sentence)...), nonEmpty(hint)
	default:
		w.answer(r, o, l, sentence)
	}
	w.fits = width(join(w.between, append([]string{w.main}, w.more...)...)) <= l.words
	return w
}

// miss says why nothing on tape agreed.
func (w *words) miss(r *view.Row, l layout, sentence, hint string) {
	what := plain(r.Target.String())
	if what != "" {
		what = join(" ", r.Method, strings.TrimPrefix(what, "/"))
	}
	if len(r.Fields) > 0 {
		names := make([]string, len(r.Fields))
		for i, f := range r.Fields {
			names[i] = plain(f.String())
		}
		what = strings.Join(names, ", ")
	}
	w.main = join(" ", join(": ", "miss", r.Reason), what)
	sentence = shortReason(r, sentence)
	w.between, w.more = ", ", nonEmpty(sentence)
	nearest, state := plain(r.Nearest), plain(r.State)
	if state != "" {
		state = join(": ", r.Who.Kind, state)
	}
	switch {
	case l.wide():
		if nearest != "" {
			nearest = "nearest " + nearest
		}
		w.rest = nonEmpty(state, nearest, hint)
	case nearest != "" && sentence != "":
		w.more = []string{fmt.Sprintf("%s (%s)", sentence, nearest)}
		w.rest = nonEmpty(state, hint)
	default:
		w.rest = nonEmpty(state, nearest, hint)
	}
}

// shortReason is the sentence of a miss without what its line says already: that nothing agrees, which
// call it was, that nobody knows the path.
func shortReason(r *view.Row, sentence string) string {
	if r.Reason == string(match.BadPath) {
		return ""
	}
	for _, said := range []string{"no recording agrees: ", plain(r.Operation) + " comes "} {
		if rest, found := strings.CutPrefix(sentence, said); found {
			return rest
		}
	}
	return sentence
}

// failed says that the deck has given an answer of its own, or none.
func (w *words) failed(r *view.Row) {
	kind := "failed"
	if proxy.Kind(r.Kind) == proxy.Refused {
		kind = "refused"
	}
	w.main = join(": ", kind, join(", ", plain(r.Problem), plain(r.Cause)))
	if r.Problem == "" {
		w.main = "the client has left"
	}
	if r.Where != "" {
		w.more = []string{"in " + plain(r.Where)}
	}
	if what := plain(r.Target.String()); what != "" && r.Short == "" {
		w.more = append(w.more, join(" ", r.Method, what))
	}
}

// callbackWords say what became of a callback. A shop has answered, or a problem is told.
var callbackWords = map[string]string{
	proxy.OutcomeRelayed:    "shop said ",
	proxy.OutcomeHeld:       "held",
	proxy.OutcomeAccepted:   "accepted",
	proxy.OutcomeRefused:    "shop said ",
	proxy.OutcomeUnanswered: "no answer",
	proxy.OutcomeGivenUp:    "given up: ",
	proxy.OutcomeDropped:    "not sent: ",
}

// callback says what the shop was told, and what became of that.
func (w *words) callback(r *view.Row, l layout, sentence string) {
	became := callbackWords[r.CallbackOutcome]
	if strings.HasSuffix(became, " ") {
		said := plain(r.Problem)
		if r.Code != 0 {
			said = strconv.Itoa(r.Code)
		}
		became = strings.TrimRight(became+said, ": ")
	}
	w.main = join(", ", plain(r.Operation), became)
	switch {
	case r.CallbackOutcome == proxy.OutcomeHeld && l.wide():
		w.between, w.more = ": ", []string{"paytape callbacks next"}
	case r.CallbackOutcome == proxy.OutcomeAccepted && l.wide() && r.Code != 0:
		w.more = []string{"shop said " + strconv.Itoa(r.Code)}
	}
	if sentence != "" {
		w.rest = []string{sentence}
	}
	if r.Checksum != "" && r.Checksum != leaf.ChecksumGood {
		w.rest = []string{join(": ", "checksum "+plain(r.Checksum), sentence)}
	}
}

// answer says what an answer says.
func (w *words) answer(r *view.Row, o Options, l layout, sentence string) {
	rules := plain(firedRules(r))
	w.main = outcome(&r.Outcome, r.Amount, l)
	if w.main == "" && r.Code != 0 {
		w.main = strings.ToLower(http.StatusText(r.Code))
		if !l.wide() {
			w.main = join(" ", strconv.Itoa(r.Code), w.main)
		}
	}
	if o.Times > 1 {
		w.main = fmt.Sprintf("%s, asked %d times", w.main, o.Times)
	}
	if proxy.Kind(r.Kind) == proxy.Lost {
		w.more = append(w.more, "not on tape")
	}
	if r.Withheld != "" {
		w.more = append(w.more, "without a body on tape: "+plain(r.Withheld))
	}
	if r.Mark != "" {
		mark := r.MarkWords
		if mark == "" {
			mark = r.Mark
		}
		w.more = append(w.more, plain(mark))
	}
	switch {
	case rules == "":
	case r.Served == "rule" && !l.wide():
		w.main = join(" by ", strings.TrimPrefix(strconv.Itoa(r.Code), "0"), rules)
	case sentence != "" && r.Sign == view.SignRule:
		w.more = append(w.more, sentence)
	case r.Served == "rule":
		w.more = append(w.more, rules)
	default:
		w.more = append(w.more, "by "+rules)
	}
}

// outcome writes an outcome with its amount and, where there is room for them, its codes. A refusal
// has no amount: nothing was paid.
func outcome(o *view.Outcome, a *view.Amount, l layout) string {
	text := plain(o.Words.String())
	if text == "" {
		return ""
	}
	if a != nil && o.Tone != view.Bad && o.Tone != view.Waits {
		if amount := plain(a.Text.String()); !strings.Contains(text, amount) {
			text = join(" ", text, amount)
		}
	}
	if codes := plain(o.Codes.String()); l.wide() && codes != "" {
		text += " (" + codes + ")"
	}
	if width(text) > l.words { // "declined: insufficient funds" has one column too many of 80
		text = strings.Replace(text, ": ", " ", 1)
	}
	return text
}

// firedRules lists the rules that have fired, with how often.
func firedRules(r *view.Row) string {
	all := make([]string, len(r.Rules))
	for i, f := range r.Rules {
		all[i] = join(" ", f.Name, f.Count)
	}
	return strings.Join(all, ", ")
}

func nonEmpty(texts ...string) []string {
	var there []string
	for _, t := range texts {
		if t != "" {
			there = append(there, t)
		}
	}
	return there
}

// paint writes the words that stand in the line of the row.
func (w words) paint(r *view.Row, o Options, columns int) string {
	text := w.main
	if w.fits {
		text = join(w.between, append([]string{w.main}, w.more...)...)
	}
	text = pad(cut(text, columns), columns)
	if tail, missed := strings.CutPrefix(text, "miss"); missed && r.Sign == view.SignMiss {
		return o.paint(reversed+";"+magenta, "miss") + o.paint(magenta, tail)
	}
	colour := signs[r.Sign].words
	if colour == none {
		colour = tones[r.Outcome.Tone]
	}
	return o.paint(colour, text)
}

// below returns the further lines of a row.
func (w words) below(r *view.Row, o Options, l layout) []string {
	parts := w.rest
	if !w.fits {
		parts = append(append([]string{}, w.more...), w.rest...)
	}
	text, room := strings.Join(parts, "; "), o.columns()-l.indent
	indent := spaces(l.indent)
	switch {
	case r.Sign == view.SignMiss:
		return w.belowMiss(r, o, l, text)
	case text == "":
		return nil
	}
	return []string{indent + o.paint(dim, cut(text, room))}
}

// belowMiss returns what a miss tells beside its reason, and how to learn more: in one line if
// there is room.
func (w words) belowMiss(r *view.Row, o Options, l layout, text string) []string {
	indent := spaces(l.indent)
	why := fmt.Sprintf("why %d", r.ID)
	text = cut(text, o.columns()-l.indent)
	if !l.wide() {
		var all []string
		if text != "" {
			all = append(all, indent+o.paint(magenta, text))
		}
		return append(all, indent+o.paint(dim, why))
	}
	why = "paytape " + why
	if o.Base != "" {
		link := fmt.Sprintf("%s/x/%d", strings.TrimSuffix(plain(o.Base), "/"), r.ID)
		if width(link) <= linkColumns {
			why = pad(why, whyColumns) + link
		}
	}
	at := o.columns() - whyColumns - linkColumns
	if l.indent+width(text) < at {
		return []string{indent + o.paint(magenta, pad(text, at-l.indent)) + o.paint(dim, why)}
	}
	return []string{indent + o.paint(magenta, text), spaces(at) + o.paint(dim, why)}
}

// whyColumns is how many columns the command that explains a miss has in a wide line, and
// linkColumns how many the address of its page has.
const whyColumns, linkColumns = 18, 36
