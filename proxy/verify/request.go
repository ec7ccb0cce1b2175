package verify

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// composer makes live requests of recorded ones.
type composer struct {
	*Plan
	live  *live
	maker *fresh.Maker
	fixed map[nounText]string // fresh values
	now   time.Time
	// shown says that the request is for people: secrets and what is not known yet are words.
	shown bool
}

// message is a request that is ready to be sent.
type message struct {
	leaf.Unprinted
	method, target, host string
	header               http.Header
	body                 string
}

// connectionHeaders are left out: those that a hop sets for the next (RFC 9110, section 7.6.1), and
// those that follow from what is sent.
var connectionHeaders = map[string]bool{
	"Host": true, "Content-Length": true, "Connection": true, "Keep-Alive": true, "Te": true,
	"Proxy-Connection": true, "Proxy-Authenticate": true, "Proxy-Authorization": true, "Trailer": true,
	"Transfer-Encoding": true, "Upgrade": true, "Accept-Encoding": true, "Expect": true,
}

// onceHeaders hold a value that a client makes for each request or attempt, as those of idempotency keys do: a
// sandbox would take a request with the recorded value for one that it has answered.
var onceHeaders = map[string]bool{
	"X-Request-Id": true, "Request-Id": true,
	"X-Correlation-Id": true, "Correlation-Id": true, "X-Trace-Id": true, "Traceparent": true,
}

// compose makes the request of a step. The error says, without values, why it cannot be made.
func (c *composer) compose(s *step) (*message, error) {
	on := c.onTape[s.Number]
	m := on.RequestMessage()
	var edits []leaf.Edit
	count := map[string]int{}
	pairs := c.replacements(on)
	packed := map[*leaf.Holder]bool{}
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Named || l.Place == leaf.Header && connectionHeaders[l.Key] {
			continue
		}
		if h, is := c.packed(l); h != nil {
			if !packed[h] {
				packed[h] = true
				edits = append(edits, leaf.Whole(&h.Leaf, is))
			}
			continue
		}
		a := c.asked(s, l, count)
		text, err := c.value(s, l, a, pairs)
		if err != nil {
			return nil, err
		}
		if text != l.Value {
			edits = append(edits, leaf.Whole(l, text))
		}
	}
	made := m.Splice(edits)
	out := &message{method: on.Request.Method, host: on.Meta.Host, body: made.Body}
	out.target = made.Target[targetStart(on, made.Target):]
	out.header = http.Header{}
	for name, values := range made.Header {
		if !connectionHeaders[http.CanonicalHeaderKey(name)] {
			out.header[name] = slices.Clone(values)
		}
	}
	return out, out.encode(on)
}

// packed returns the holder of a leaf whose whole value an answer of this run has told, and the value:
// what a sandbox has packed goes back as it came.
func (c *composer) packed(l *leaf.Leaf) (*leaf.Holder, string) {
	for h := l.Packed(); h != nil; h = h.Leaf.Packed() {
		if is, ok := c.live.text[h.Leaf.Value]; ok {
			return h, is
		}
	}
	return nil, ""
}

// targetStart returns how many bytes of a URL on tape come before the target.
func targetStart(on *leaf.Exchange, url string) int {
	n := leaf.PathStart(url)
	if strings.HasPrefix(url[n:], on.Meta.Base) {
		n += len(on.Meta.Base)
	}
	return n
}

// encode puts a body into the charset and the content coding in which it was sent.
func (m *message) encode(on *leaf.Exchange) error {
	if on.Meta.RequestCharset != "" {
		text, err := leaf.EncodeText(on.Meta.RequestCharset, m.body)
		if err != nil {
			return errors.New("its body cannot be put into its charset")
		}
		m.body = text
	}
	if on.Meta.RequestCoding == "" {
		m.header.Del("Content-Encoding")
		return nil
	}
	coded, err := leaf.Encode(on.Meta.RequestCoding, []byte(m.body))
	if err != nil {
		return errors.New("its body cannot be put into its content coding")
	}
	m.body = string(coded)
	if on.Meta.RequestCoding != leaf.Unlabelled {
		m.header.Set("Content-Encoding", on.Meta.RequestCoding)
	}
	return nil
}

// asked returns the parameter that a leaf is, or nil. Parameters of one path are numbered.
func (c *composer) asked(s *step, l *leaf.Leaf, count map[string]int) *tape.Asked {
	if l.Place == leaf.Header {
		return s.Recording.Param(strings.ToLower(l.Key))
	}
	p, ok := request.Parameter(c.options.Profiles, s.Recording.Call(), l)
	if !ok {
		return nil
	}
	path := p.Path
	if count[path]++; count[path] > 1 {
		path += "#" + strconv.Itoa(count[path])
	}
	return s.Recording.Param(path)
}

// value returns what is sent in place of a recorded value.
func (c *composer) value(s *step, l *leaf.Leaf, a *tape.Asked, pairs []string) (string, error) {
	f := c.field(s.Recording.Call(), l)
	if a != nil {
		if len(a.Names) > 0 {
			if text, done, err := c.names(s, a); done || err != nil {
				return text, err
			}
		}
		if text, ok := c.live.text[a.Text]; ok && a.Tied {
			return text, nil
		}
	}
	if stretches := secretsIn(s.Operation, l, f); len(stretches) > 0 {
		return c.secret(s, l.Value, stretches)
	}
	switch {
	case l.Value == "":
		return "", nil
	case l.Place == leaf.Header && (onceHeaders[l.Key] || request.IsIdempotencyKey(l.Key)):
		return c.fresh(nounText{l.Key, l.Value}, f), nil
	case a != nil && c.chosen(s, a):
		return c.fresh(nounText{cmp.Or(a.Field.Of, request.LastName(a.Path)), a.Text}, a.Field), nil
	case a != nil && a.Free && a.Text == l.Value && f.From != profile.Ignored &&
		f.Secret == profile.NotSecret:
		return c.fresh(nounText{a.Path, a.Text}, f), nil
	case f.From == profile.Date && !dates.Expiry(f.Form) && !s.Recording.Began().IsZero():
		return dates.Move(f.Form, l.Value, s.Recording.Began(), c.now), nil
	case a != nil && !a.Known && s.Recording.Infers:
		if form, ok := dateNear(l.Value, s.Recording.Began()); ok {
			return dates.Move(form, l.Value, s.Recording.Began(), c.now), nil
		}
	}
	if !strings.Contains(l.Value, "://") && len(l.Value) < request.EmbedLength {
		return l.Value, nil
	}
	return strings.NewReplacer(pairs...).Replace(l.Value), nil
}

// dateNear returns the form of a text that is a date of the days around a time. No profile says that it is
// a date.
func dateNear(text string, at time.Time) (profile.Form, bool) {
	const near = 48 * time.Hour
	for _, sp := range dates.Find(text) {
		if sp.From != 0 || sp.To != len(text) || at.IsZero() {
			continue
		}
		if t, ok := dates.Parse(sp.Form, text, at.Location()); ok && t.Sub(at).Abs() < near {
			return sp.Form, true
		}
	}
	return profile.NoForm, false
}

// chosen reports whether the client has made up a value for this run. An address is none: it says
// where the client's own pages are.
func (c *composer) chosen(s *step, a *tape.Asked) bool {
	if strings.Contains(a.Text, "://") || a.Class != request.There {
		return false
	}
	if a.Field.From == profile.Unique {
		return true
	}
	return !a.Known && a.Field.From == profile.Exact &&
		slices.ContainsFunc(s.Recording.Namings, func(n tape.Naming) bool { return n.Path == a.Path })
}

// fresh returns the value of this run for one that the client has chosen on tape. Whatever names the
// value later gets the same.
func (c *composer) fresh(k nounText, f profile.Field) string {
	if text, known := c.fixed[k]; known {
		return text
	}
	text := c.maker.Like(fresh.Recorded{Text: k.text}, c.now)
	if strings.Trim(k.text, "0123456789") != "" {
		text = lengthened(text, c.maker, f)
	}
	if c.shown {
		text = "<fresh " + k.noun + ">"
	}
	c.fixed[k] = text
	c.live.named[k] = text
	c.live.text[k.text] = text
	return text
}

// lengthened returns a short reference with more letters: a sandbox knows the references of all runs
// before, and a fresh one of two digits would soon be one of them.
func lengthened(text string, maker *fresh.Maker, f profile.Field) string {
	const enough = 14
	add := enough - len(text)
	if f.Max > 0 {
		add = min(add, int(f.Max)-len(text))
	}
	if add <= 0 {
		return text
	}
	return text + maker.Like(fresh.Recorded{Text: "k4f8w2m6q1"}, time.Time{})[:min(add, len("k4f8w2m6q1"))]
}

// names returns a parameter with the live names of the entities that it names. It is not done where the
// names are those of a secret that a file has.
func (c *composer) names(s *step, a *tape.Asked) (text string, done bool, err error) {
	var b strings.Builder
	last := 0
	for i := range a.Names {
		n := &a.Names[i]
		if n.From < last || n.To > len(a.Text) {
			continue
		}
		e := s.Recording.Roles[n.Role]
		known := a.Text[n.From:n.To]
		for v := range e.Names() {
			if v.Noun == n.Noun && n.Writes(v.Text, known) {
				known = v.Text
				break
			}
		}
		k := nounText{n.Noun, known}
		is, ok := c.live.of(k.noun, k.text)
		switch {
		case ok:
			is = n.Apply(is)
		case c.minted[k] && c.shown:
			is = "<" + k.noun + ">"
		case c.minted[k] && e.Born != nil:
			return "", false, fmt.Errorf("its %s was not born in this run", request.LastName(k.noun))
		case a.Secret, a.Field.Secret != profile.NotSecret:
			return "", false, nil
		case e.Scope, e.Born == nil, a.Field.From == profile.Shared, strings.Contains(known, "://"),
			c.minted[k]:
			is = a.Text[n.From:n.To]
		default:
			is = n.Apply(c.fresh(k, a.Field))
		}
		b.WriteString(a.Text[last:n.From])
		b.WriteString(is)
		last = n.To
	}
	b.WriteString(a.Text[last:])
	return b.String(), true, nil
}

// secret returns a value with its secrets in place of what stands for them.
func (c *composer) secret(s *step, text string, stretches []stretch) (string, error) {
	var b strings.Builder
	last := 0
	for _, st := range stretches {
		is, ok := c.live.text[st.text]
		if !ok || constant(st.text) {
			is, ok = c.options.Secrets.find(c.namesOf(s, &st))
		}
		if !ok {
			is, ok = c.live.field[st.key]
		}
		switch {
		case c.shown:
			is = "<secret " + st.key + ">"
		case !ok:
			return "", fmt.Errorf("there is no value for the secret %s", st.place)
		}
		b.WriteString(text[last:st.from])
		if scheme := b.String(); strings.HasSuffix(scheme, " ") && len(is) > len(scheme) &&
			strings.EqualFold(is[:len(scheme)], scheme) {
			is = is[len(scheme):] // a header as people copy it
		}
		if strings.EqualFold(b.String(), "Basic ") && strings.Contains(is, ":") {
			is = base64.StdEncoding.EncodeToString([]byte(is)) // a pair as people write it
		}
		b.WriteString(is)
		last = st.to
	}
	return b.String() + text[last:], nil
}

// namesOf returns all names of a secret of a step.
func (c *composer) namesOf(s *step, st *stretch) []string {
	for _, known := range c.asks[s.Number] {
		if known.place == st.place && known.text == st.text {
			return known.names
		}
	}
	return st.names
}

// replacements are texts on tape that may stand inside longer values, with what stands for them in this
// run: the longest first.
func (c *composer) replacements(on *leaf.Exchange) []string {
	type pair struct{ was, is string }
	var all []pair
	for was, is := range c.live.text {
		if len(was) >= request.EmbedLength && was != is {
			all = append(all, pair{was, is})
		}
	}
	if base := on.URL[:leaf.PathStart(on.URL)] + on.Meta.Base; base != on.Meta.Base {
		path, _, _ := strings.Cut(on.Target(), "?")
		if up, ok := c.options.Route.Upstreams.For(path); ok && on.Meta.Host == "" {
			all = append(all, pair{base, up.Origin + up.Base})
		}
	}
	slices.SortFunc(all, func(a, b pair) int {
		return cmp.Or(len(b.was)-len(a.was), strings.Compare(a.was, b.was))
	})
	var pairs []string
	for _, p := range all {
		pairs = append(pairs, p.was, p.is)
	}
	return pairs
}
