package rules

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
)

// Question is a request as a rule may change it: what the mode sees and what goes upstream.
type Question struct {
	leaf.Unprinted
	Target string // path and query, as they were sent
	Header http.Header
	Body   string // without content coding, in UTF-8
}

// Ask returns the request that the mode gets, and whether a rule has changed it.
func (r *Ruling) Ask(q Question) (Question, bool) {
	if r == nil {
		return q, false
	}
	changed := false
	for _, f := range r.fired {
		if f.then.ask.empty() || f.early() {
			continue
		}
		if !changed {
			q.Header, changed = cloned(q.Header), true
		}
		r.changeQuestion(&q, f)
	}
	return q, changed
}

// changeQuestion does to a request what one rule says.
func (r *Ruling) changeQuestion(q *Question, f *firing) {
	w := &editor{ruling: r, firing: f, dir: profile.Request}
	w.message = leaf.Message{Target: q.Target, Header: q.Header, Headless: true, Body: q.Body}
	w.change(&f.then.ask, 0)
	q.Target, q.Body = w.message.Target, w.message.Body
}

// changeAnswer does to an answer what one rule says.
func (r *Ruling) changeAnswer(a *Answer, f *firing) {
	w := &editor{ruling: r, firing: f, dir: profile.Response}
	w.message = leaf.Message{Header: a.Header, Headless: true, Body: a.Body}
	w.change(&f.then.answer, len(f.then.ask.set)+len(f.then.ask.remove))
	a.Body = w.message.Body
}

// editor changes one message for one rule.
type editor struct {
	ruling  *Ruling
	firing  *firing
	dir     profile.Direction
	message leaf.Message // whose header is a copy that may be changed
}

// change sets and deletes. What finds nothing is counted from index at on.
func (w *editor) change(c *change, at int) {
	for i := range c.set {
		if !w.set(&c.set[i]) {
			w.firing.progress.missed[at+i].Add(1)
			w.firing.missed = true
		}
	}
	for i := range c.remove {
		if !w.remove(&c.remove[i]) {
			w.firing.progress.missed[at+len(c.set)+i].Add(1)
			w.firing.missed = true
		}
	}
}

// set writes a value, and reports whether there was something to write it to. A header may be new.
func (w *editor) set(s *setting) bool {
	if s.at.in == aHeader {
		old := &replaced{at: &s.at, text: w.message.Header.Get(s.at.key)}
		w.message.Header.Set(s.at.key, oneLine(w.ruling.text(s.value, w.firing, old)))
		return true
	}
	m := leaf.Read(w.message)
	var edits []leaf.Edit
	for _, l := range w.leaves(m, &s.at) {
		old := &replaced{at: &s.at, text: l.Value, field: w.field(l)}
		edits = append(edits, leaf.Whole(l, w.ruling.text(s.value, w.firing, old)))
	}
	if len(edits) == 0 {
		return false
	}
	w.message = m.Splice(edits)
	return true
}

// field returns what is known of a leaf.
func (w *editor) field(l *leaf.Leaf) profile.Field {
	f, _ := w.ruling.engine.profiles.Meaning(w.ruling.asked.Call, w.dir, request.At(l))
	return f
}

// leaves returns the leaves at a place.
func (w *editor) leaves(m *leaf.Message, p *place) []*leaf.Leaf {
	var out []*leaf.Leaf
	if p.in == aBody {
		if !readable(m.Body) {
			return nil
		}
		at := offsets(gjson.Get(m.Body, p.key))
		for i := range m.Leaves {
			l := &m.Leaves[i]
			if l.Place != leaf.JSON || l.Packed() != nil || l.Holder() != nil {
				continue
			}
			start, _ := m.Span(l, 0, len(l.Value))
			if start > 0 && m.Body[start-1] == '"' && l.Kind == leaf.String {
				start--
			}
			if slices.Contains(at, start) {
				out = append(out, l)
			}
		}
		return out
	}
	for i := range m.Leaves {
		l := &m.Leaves[i]
		query := p.in == aQuery && l.Place == leaf.Query && l.Key == p.key
		if query || p.in == aField && p.is(l, nameOf(w.ruling.asked.Call, l)) {
			out = append(out, l)
		}
	}
	return out
}

// offsets returns where in a document the values of a result begin.
func offsets(r gjson.Result) []int {
	if len(r.Indexes) > 0 {
		return r.Indexes
	}
	if !r.Exists() || r.Index == 0 {
		return nil
	}
	return []int{r.Index}
}

// remove deletes what is at a place, and reports whether there was anything that can be.
func (w *editor) remove(p *place) bool {
	if p.in == aHeader {
		_, there := w.message.Header[p.key]
		delete(w.message.Header, p.key)
		return there
	}
	if p.in == aBody {
		return w.removeFromJSON(p.key)
	}
	done := false
	for w.cut(p) { // each cut moves what lies behind it
		done = true
	}
	return done
}

// removeFromJSON deletes what a path of gjson finds, and reports whether there was anything.
func (w *editor) removeFromJSON(path string) bool {
	body := w.message.Body
	if !readable(body) {
		return false
	}
	r := gjson.Get(body, path)
	values := []gjson.Result{r}
	if len(r.Indexes) > 0 {
		values = r.Array()
	}
	done := false
	for i, start := range slices.Backward(offsets(r)) {
		cut, ok := withoutMember(w.message.Body, start, start+len(values[i].Raw))
		w.message.Body, done = cut, done || ok
	}
	return done
}

// cut deletes the first value of a field that can be deleted.
func (w *editor) cut(p *place) bool {
	m := leaf.Read(w.message)
	for _, l := range w.leaves(m, p) {
		if l.Holder() != nil || l.Packed() != nil {
			continue
		}
		start, end := m.Span(l, 0, len(l.Value))
		ok := false
		switch l.Place {
		case leaf.JSON:
			if l.Kind == leaf.String {
				start, end = start-1, end+1 // the quotes
			}
			w.message.Body, ok = withoutMember(m.Body, start, end)
		case leaf.Form:
			if isMultipart(w.message.Header) {
				continue // a part is no parameter between ampersands
			}
			w.message.Body, ok = withoutParameter(m.Body, 0, start, end)
		case leaf.Query:
			w.message.Target, ok = withoutParameter(m.Target, strings.IndexByte(m.Target, '?')+1, start, end)
		}
		if ok {
			return true
		}
	}
	return false
}

// withoutMember returns a JSON document without the value [start, end), its name if it has one, and
// one comma beside it.
func withoutMember(body string, start, end int) (string, bool) {
	const space = " \t\r\n"
	before := strings.TrimRight(body[:start], space)
	if strings.HasSuffix(before, ":") { // a member: its name goes
		before = strings.TrimRight(before[:len(before)-1], space)
		open := nameStart(before)
		if open < 0 {
			return body, false
		}
		before = strings.TrimRight(before[:open], space)
	}
	after := strings.TrimLeft(body[end:], space)
	switch {
	case strings.HasPrefix(after, ","):
		rest := strings.TrimLeft(after[1:], space)
		gap := body[len(before) : len(before)+leadingSpace(body[len(before):])]
		return before + gap + rest, true
	case strings.HasSuffix(before, ","):
		return before[:len(before)-1] + body[end:], true
	case strings.HasSuffix(before, "{"), strings.HasSuffix(before, "["):
		return before + after, true
	}
	return body, false
}

func leadingSpace(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\r\n")) }

// nameStart returns where the JSON string begins that a text ends in; -1 if it ends in none.
func nameStart(text string) int {
	if !strings.HasSuffix(text, `"`) {
		return -1
	}
	for i := len(text) - 2; i >= 0; i-- {
		if text[i] != '"' {
			continue
		}
		escapes := 0
		for i-escapes > 0 && text[i-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
	return -1
}

// withoutParameter returns a text without the parameter whose value is [start, end); parameters
// begin at from and stand between ampersands.
func withoutParameter(text string, from, start, end int) (string, bool) {
	if start < from {
		return text, false
	}
	begin := from + strings.LastIndexByte(text[from:start], '&') + 1
	if rest := text[end:]; strings.HasPrefix(rest, "&") {
		return text[:begin] + rest[1:], true
	}
	return text[:max(begin-1, 0)] + text[end:], true
}

func isMultipart(h http.Header) bool {
	return strings.HasPrefix(strings.ToLower(h.Get("Content-Type")), "multipart/")
}

// replaced is what a value takes the place of.
type replaced struct {
	at    *place
	text  string
	field profile.Field // what is known of it
}

// text writes a value that replaces old; nil replaces nothing.
func (r *Ruling) text(v value, f *firing, old *replaced) string {
	return r.textEscaped(v, f, old, func(text string) string { return text })
}

// textEscaped is text for a document of which a value is a part: escape writes what a reference
// refers to so that it cannot end the text around it.
func (r *Ruling) textEscaped(v value, f *firing, old *replaced, escape func(string) string) string {
	var b strings.Builder
	for i, p := range v {
		switch p.kind {
		case literal:
			b.WriteString(p.literal)
		case fromRequest:
			b.WriteString(escape(firstOf(p.at.inRequest(r.asked))))
		case fromAnswer:
			if r.answer != nil {
				b.WriteString(escape(firstOf(p.at.inAnswer(r.asked.Call, r.answer, r.answer.message()))))
			}
		case minted:
			b.WriteString(r.mint(f, old, i))
		case theTime:
			b.WriteString(writeTime(r.now.Add(p.add), old))
		}
	}
	return b.String()
}

func firstOf(values []found) string {
	if len(values) == 0 {
		return ""
	}
	return values[0].text
}

// unshaped is the shape of a minted value that replaces nothing.
const unshaped = "0a0a0a0a-0a0a-7a0a-8a0a-0a0a0a0a0a0a"

// mint makes the i-th piece of a value: in the shape of what it replaces, and for the same attempt
// and place always the same.
func (r *Ruling) mint(f *firing, old *replaced, i int) string {
	like, what := fresh.Recorded{Text: unshaped, Born: r.now}, forMint+uint64(i)
	if old != nil {
		what = mix(what + hashText(old.at.text))
	}
	if old != nil && old.text != "" {
		like.Text, like.Card = old.text, old.field.Secret == profile.PAN
	}
	luck := draw(r.engine.seed, f.Name, f.group, f.attempt, what)
	return fresh.New(uint64(luck*(1<<53))|1).Like(like, r.now)
}

// writeTime writes a time as what it replaces is written: in the form that a profile knows, else in
// that which the text shows, else in RFC 3339.
func writeTime(t time.Time, old *replaced) string {
	if old == nil || old.text == "" {
		return t.UTC().Format(time.RFC3339)
	}
	if old.field.From == profile.Date {
		return dates.Write(old.field.Form, t, old.text)
	}
	for _, s := range dates.Find(old.text) {
		if s.From == 0 && s.To == len(old.text) {
			return dates.Write(s.Form, t, old.text)
		}
	}
	return t.UTC().Format(time.RFC3339)
}
