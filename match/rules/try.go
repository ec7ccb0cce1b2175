package rules

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

// Hit is that a rule would fire for a recorded exchange.
type Hit struct {
	Rule      string `json:"rule"`
	Number    int    `json:"number"` // of the exchange
	Operation string `json:"operation"`
	// Attempt is the number of the attempt. 0: an earlier call was declined, and its later answers
	// follow.
	Attempt   int  `json:"attempt,omitempty"`
	Outranked bool `json:"outranked,omitempty"` // an earlier rule ends the phase
	// Branch is what a rule that declines or takes has replay answer with: "#8" for an exchange,
	// ByProfile or ByNobody. Empty for any other rule.
	Branch  string        `json:"branch,omitempty"`
	Changes []FieldChange `json:"changes,omitempty"`
}

// What answers where the tape has no branch as a rule asks.
const (
	ByProfile = "profile" // the answers that the profile has for a decline
	ByNobody  = "miss"
)

// FieldChange is what a rule would change of one field.
type FieldChange struct {
	Field   string `json:"field"` // "http-status", "header:NAME", "body" or the path of a value
	Request bool   `json:"request,omitempty"`
	Was     string `json:"was"` // empty: it was not there
	Is      string `json:"is"`  // empty: it is gone
}

// TryOptions are what Try asks about the tape.
type TryOptions struct {
	// Clean returns an exchange without what is secret: nothing of others is shown.
	Clean func(*leaf.Exchange) *leaf.Exchange
	// Branch returns the number of the exchange that a choice takes if the tried exchange comes
	// again; false if the tape has none.
	Branch func(*request.Choice) (number int, found bool)
}

// Try returns what the rules in force would do with a recorded exchange, as if it were a call.
// Rules with the condition "asked" are taken to be asked for. Counts go on from exchange to
// exchange. How a rule delivers an answer and what it loses are no changes of fields: the effects
// of the rule tell that.
func (e *Engine) Try(x *leaf.Exchange, o TryOptions) []Hit {
	if x.Meta.Callback != nil {
		return e.tryCallback(x, o.Clean)
	}
	t := trial{x: x, clean: o.Clean}
	q := request.New(e.profiles, x.Request.Method, x.Target(), x.Request.Headers, x.Request.Body)
	asked := &Asked{Request: q, Body: x.Request.Body}
	for _, s := range e.current.Load().rules {
		asked.Rules = append(asked.Rules, s.Name)
	}
	t.r = e.Begin(asked)
	if t.r == nil {
		return nil
	}
	t.operation = x.Request.Method + " " + request.PathOf(x.Target())
	if o := q.Call.Operation; o != nil {
		t.operation = o.Name
	}
	question := Question{
		Target: x.Target(), Header: cloned(x.Request.Headers), Body: x.Request.Body,
	}
	for _, f := range t.r.fired {
		before := question
		before.Header = cloned(question.Header)
		if !f.then.ask.empty() && !f.early() {
			t.r.changeQuestion(&question, f)
		}
		t.hit(f).Changes = t.asked(before, question)
	}
	if answer, early := t.r.Early(); early {
		f := t.r.first((*firing).early)
		if f.then.lose != LoseRequest {
			h := t.hit(f)
			h.Changes = append(h.Changes, t.answered(t.recorded(), *answer)...)
		}
		return t.hits
	}
	if c := t.r.Choice(); c != nil {
		t.chosen(c, o.Branch)
	}
	t.answers()
	return t.hits
}

// chosen tells which branch of the tape a rule would take.
func (t *trial) chosen(c *request.Choice, branch func(*request.Choice) (number int, found bool)) {
	h := t.hit(t.r.first((*firing).chooses))
	number, found := branch(c)
	switch c.Found = found; {
	case found:
		h.Branch = "#" + strconv.Itoa(number)
	case c.Takes != nil:
		h.Branch = ByNobody
	case t.r.declinable():
		h.Branch = ByProfile
	}
}

// trial is one exchange that is tried.
type trial struct {
	x         *leaf.Exchange
	clean     func(*leaf.Exchange) *leaf.Exchange
	r         *Ruling
	operation string
	hits      []Hit
}

// hit returns the hit of a rule, which is new if there was none.
func (t *trial) hit(f *firing) *Hit {
	i := slices.IndexFunc(t.hits, func(h Hit) bool { return h.Rule == f.Name })
	if i < 0 {
		i = len(t.hits)
		t.hits = append(t.hits, Hit{
			Rule: f.Name, Number: t.x.Meta.Number, Operation: t.operation, Attempt: f.attempt,
		})
	}
	t.hits[i].Outranked = f.outranked
	return &t.hits[i]
}

func (t *trial) recorded() Answer {
	a := t.x.Response
	return Answer{Code: a.Code, Header: cloned(a.Headers), Body: a.Body}
}

// answers finds what rules change of the recorded answer.
func (t *trial) answers() {
	answer := t.recorded()
	t.r.Answered(t.recorded())
	if len(t.r.declined()) > 0 {
		before := answer
		before.Header = cloned(answer.Header)
		t.r.decline(&answer)
		f := t.r.declining()
		if f == nil {
			f = &firing{state: &state{Rule: t.r.earlier.rule}}
		}
		h := t.hit(f)
		h.Changes = append(h.Changes, t.answered(before, answer)...)
	}
	late := t.r.first((*firing).late)
	for _, f := range t.r.fired {
		before := answer
		before.Header = cloned(answer.Header)
		if f == late {
			answer = *t.r.instead(f)
		}
		t.r.changeBy(&answer, f)
		h := t.hit(f)
		h.Changes = append(h.Changes, t.answered(before, answer)...)
	}
}

// asked returns how two requests differ.
func (t *trial) asked(was, is Question) []FieldChange {
	cleaned := func(q Question) fieldList {
		y := *t.x
		y.Meta.Base = ""
		y.URL = t.x.URL[:leaf.PathStart(t.x.URL)] + q.Target
		y.Request.Headers, y.Request.Body, y.Request.Form = q.Header, q.Body, nil
		return fieldsOf("", t.clean(&y).RequestMessage())
	}
	all := changes(cleaned(was), cleaned(is))
	for i := range all {
		all[i].Request = true
	}
	return all
}

// answered returns how two answers differ.
func (t *trial) answered(was, is Answer) []FieldChange {
	cleaned := func(a Answer) fieldList {
		y := *t.x
		y.Response.Code, y.Response.Headers, y.Response.Body = a.Code, a.Header, a.Body
		y.Response.Status = strconv.Itoa(a.Code) + " " + http.StatusText(a.Code)
		return fieldsOf(strconv.Itoa(a.Code), t.clean(&y).ResponseMessage())
	}
	return changes(cleaned(was), cleaned(is))
}

// fieldList are the fields of a message in its order, and the values that each has.
type fieldList struct {
	order  []string
	values map[string][]string
}

func (l *fieldList) add(name, value string) {
	if l.values[name] == nil {
		l.order = append(l.order, name)
	}
	l.values[name] = append(l.values[name], value)
}

// fieldsOf returns the fields of a message, and the status if it has one.
func fieldsOf(status string, m *leaf.Message) fieldList {
	l := fieldList{values: map[string][]string{}}
	if status != "" {
		l.add(statusPlace, status)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Header)) {
		if name == "Content-Length" {
			continue // it follows the body
		}
		for _, value := range m.Header[name] {
			l.add("header:"+name, value)
		}
	}
	for i := range m.Leaves {
		if one := &m.Leaves[i]; one.Place != leaf.Header {
			l.add(fieldPath(one), one.Value)
		}
	}
	return l
}

// fieldPath names a leaf: a segment of the path by its place, a body without fields "body".
func fieldPath(l *leaf.Leaf) string {
	switch {
	case l.Place == leaf.Path:
		return "path segment " + l.Key
	case l.Path == "":
		return "body"
	}
	return l.Path
}

// changes returns how two lists of fields differ: what is other or new, and then what is gone.
func changes(was, is fieldList) []FieldChange {
	var all, gone []FieldChange
	for _, name := range is.order {
		if !slices.Equal(was.values[name], is.values[name]) {
			all = append(all, FieldChange{
				Field: name, Was: joined(was.values[name]), Is: joined(is.values[name]),
			})
		}
	}
	for _, name := range was.order {
		if is.values[name] == nil {
			gone = append(gone, FieldChange{Field: name, Was: joined(was.values[name])})
		}
	}
	return append(all, gone...)
}

// joined writes the values of a field.
func joined(values []string) string {
	const most = 4
	if more := len(values) - most; more > 0 {
		return strings.Join(values[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(values, ", ")
}
