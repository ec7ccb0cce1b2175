package redact

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/surrogate"
)

// gateReason is why the gate withholds.
const gateReason = "a secret was left after cleaning"

// gate searches a cleaned exchange once more as text, so that nothing depends on a message
// having been taken apart rightly. Keys and names of headers are seen here first: they are
// no leaves. Keys are cleaned; a header goes with its name.
func (c *cleaning) gate(y *leaf.Exchange, call profile.Call) {
	g := newGate(c, call)
	g.exchange(y)
	c.lost, c.taken, c.fired, c.bodies, c.told = g.lost, g.taken, g.fired, g.bodies, g.told
}

func newGate(c *cleaning, call profile.Call) *gate {
	g := &gate{cleaning: *c, operation: "an unknown operation"}
	if call.Operation != nil {
		g.operation = call.Operation.Name
	}
	if g.trust == live {
		g.trust = verified
	}
	return g
}

// exchange searches an exchange.
func (g *gate) exchange(y *leaf.Exchange) {
	texts := []*string{
		&y.Method, &y.Response.Status, &y.Meta.Failure, &y.Meta.Fault, &y.Meta.Withheld,
		&y.Meta.Relayed,
	}
	if told := y.Meta.Callback; told != nil {
		texts = append(texts, &told.Operation, &told.Via, &told.Checksum)
	}
	for _, s := range texts {
		if g.finds(*s, asText) {
			*s = surrogate.Withheld
			g.fire(ruleGate)
		}
	}
	for _, names := range [][]string{y.Meta.Rules, y.Meta.Profiles} {
		for i, name := range names {
			if g.finds(name, asText) {
				names[i] = surrogate.Withheld
				g.fire(ruleGate)
			}
		}
	}
	y.URL = g.target(y.URL)
	y.Request.Headers = g.header("request", y.Request.Headers)
	y.Request.Body, g.bodies[0] = g.body("request", g.packs[0],
		half{header: y.Request.Headers, body: y.Request.Body})
	y.Response.Headers = g.header("response", y.Response.Headers)
	y.Response.Body, g.bodies[1] = g.body("response", g.packs[1],
		half{header: y.Response.Headers, body: y.Response.Body})
	y.Meta.Trailers = g.header("trailer", y.Meta.Trailers)
}

// gate is a cleaning that only withholds.
type gate struct {
	cleaning
	operation string
	seen      map[*leaf.Holder]bool // whether what a value packs holds a secret; nil for none
	// onlyLooks says that the gate changes nothing and tells nobody, and found whether there is
	// something that it would withhold.
	onlyLooks, found bool
}

// passes reports whether the gate would let a draft pass as it is. It changes nothing and teaches
// nothing. What was learned since the draft was cleaned is searched for in all that will be written,
// even if it is a word: its leaves and strings were searched before.
func (d *draft) passes() bool {
	g := newGate(&d.cleaning, d.call)
	learned := d.tape.learnedCount()
	g.onlyLooks, g.searchWords = true, d.learned != learned
	g.exchange(d.y)
	if g.searchWords {
		m := &d.y.Meta
		rest := []string{m.Host, m.Base, m.RequestCoding, m.Coding, m.RequestCharset, m.Charset}
		rest = slices.Concat(rest, m.Aliases, m.Redactions, d.taken.list(), d.hidden)
		g.finds(strings.Join(rest, "\n"), asText)
	}
	d.learned = learned
	return !g.found
}

// finds is holdsSecret of something that would be withheld. A gate that only looks goes on as if there
// were nothing.
func (g *gate) finds(s string, as style) bool { return g.notes(g.holdsSecret(s, as)) }

// isNoText reports whether a file cannot hold a text as it is.
func (g *gate) isNoText(s string) bool { return g.notes(s != scan.Printable(s)) }

func (g *gate) notes(found bool) bool {
	g.found = g.found || found
	return found && !g.onlyLooks
}

// withhold notes that a place had to go, for the operator too. The place names no value
// and must hold none.
func (g *gate) withhold(place string) {
	if g.holdsSecret(place, asText) {
		place = surrogate.Withheld
	}
	g.lost = append(g.lost, place+": "+gateReason)
	g.fire(ruleGate)
	g.told = append(g.told, Safe{"gate: " + g.operation + ": " + place + ": " + gateReason})
}

// noText notes that a header had to go because a file holds text alone. It was no secret,
// and an answer can do without: the exchange stays what it is.
func (g *gate) noText(place string) {
	g.taken.add("not text", func(note string) string { return place + ": " + note })
	g.told = append(g.told, Safe{"gate: " + g.operation + ": " + place + ": not text"})
}

// leaves replaces the leaves of a message that still hold a secret, and the values that pack a
// secret.
func (g *gate) leaves(name string, m *leaf.Message) leaf.Message {
	var edits []leaf.Edit
	withheld := map[*leaf.Leaf]bool{}
	parts := m.Passages()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place == leaf.Header || l.Place == leaf.Text {
			continue
		}
		packed := g.packed(l)
		if packed == nil && !g.finds(parts.Outside(l), styleOf(l)) || withheld[packed] {
			continue
		}
		if packed != nil {
			l = packed
			withheld[l] = true
		}
		edits = append(edits, leaf.Whole(l, surrogate.Withheld))
		g.withhold(g.place(name, l, "", ""))
	}
	return m.Splice(edits)
}

// packed returns the outermost value around a leaf that packs a secret, nil if none does. The
// text of a packed message is searched like that of a body.
func (g *gate) packed(l *leaf.Leaf) *leaf.Leaf {
	var found *leaf.Leaf
	for h := l.Packed(); h != nil; h = h.Leaf.Packed() {
		bad, known := g.seen[h]
		if !known {
			style := asText
			if strings.IndexAny(h.Text(), "{[") < strings.IndexByte(h.Text()+"<", '<') {
				style = asNumber
			}
			bad = g.finds(h.Text(), style)
			if g.seen == nil {
				g.seen = map[*leaf.Holder]bool{}
			}
			g.seen[h] = bad
		}
		if bad {
			found = &h.Leaf
		}
	}
	return found
}

// body passes a body, or the body with leaves replaced, or a marker. It returns what is known of the
// body then.
func (g *gate) body(name string, packs bool, h half) (string, texture) {
	g.last = texture{}
	hit := !g.isSearched(h.body) && g.finds(h.body, asText)
	if !hit && !packs {
		return h.body, g.last
	}
	return g.brokenBody(name, hit, h), texture{}
}

// brokenBody is body for one that holds a secret, or that has values which pack something.
func (g *gate) brokenBody(name string, hit bool, h half) string {
	m := g.asRead // of the response
	if m == nil || name != "response" || m.Body != h.body {
		m = leaf.Read(leaf.Message{Header: h.header, Body: h.body})
	}
	style := asNumber // in JSON a dot may be a decimal point, and its strings were read
	if n := len(m.Leaves); n > 0 && m.Leaves[n-1].Place >= leaf.Markup {
		style = asText
	}
	hit = hit || g.keysHold(m)
	if hit {
		cleaned := g.cleanKeys(name, leaf.Message{Header: h.header, Body: h.body})
		m = leaf.Read(cleaned)
	}
	out := g.leaves(name, m)
	if !hit && out.Body == h.body {
		return h.body // it was searched
	}
	if !g.holdsSecret(out.Body, style) && !g.keysHold(leaf.Read(out)) {
		return out.Body
	}
	g.withhold(name + " body")
	return withheld(len(h.body), gateReason)
}

// cleanKeys takes what is secret out of the keys of a message: a number that is a key gets the
// surrogate that it has elsewhere. Keys are no leaves, and few messages have a secret in one.
func (g *gate) cleanKeys(name string, in leaf.Message) leaf.Message {
	in.Keys = true
	m := leaf.Read(in)
	var edits []leaf.Edit
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if !l.Named {
			continue
		}
		for _, sp := range g.spans(l.Value, asText) {
			edits = append(edits, leaf.Edit{Leaf: l, From: sp.from, To: sp.to, Value: sp.Text})
			g.taken.add(sp.Note, func(note string) string {
				return name + " " + l.Place.String() + " key: " + note
			})
			g.fire(sp.rule)
		}
	}
	return m.Splice(edits)
}

// keysHold reports whether a key of the body holds a secret.
func (g *gate) keysHold(m *leaf.Message) bool {
	last := ""
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place == leaf.Header || l.Shape == last {
			continue
		}
		last = l.Shape
		for _, part := range components(l.Shape) {
			if g.finds(part.name, asText) {
				return true
			}
		}
	}
	return false
}

// target passes a URL, or the URL without the leaf, all behind the path, or the path that holds a
// secret.
func (g *gate) target(url string) string {
	hit := g.isNoText(url) || g.finds(url, asText)
	if !hit && !g.packs[0] {
		return url
	}
	m := leaf.Read(leaf.Message{Target: url})
	if hit = hit || g.keysHold(m); hit {
		m = leaf.Read(g.cleanKeys("request", leaf.Message{Target: url}))
	}
	cleaned := g.leaves("request", m).Target
	if !hit && cleaned == url {
		return url // it was searched
	}
	url = cleaned
	if url = scan.Printable(url); !g.holdsSecret(url, asText) {
		return url
	}
	authority, rest := cutAuthority(url)
	g.withhold("request target")
	for _, kept := range []string{authority + pathOf(rest) + "?", authority + "/"} {
		if cut := kept + surrogate.Withheld; !g.holdsSecret(cut, asText) {
			return cut
		}
	}
	return "/" + surrogate.Withheld
}

// header passes a header, or a copy of it without the values that hold a secret, and without the headers
// whose name holds one.
func (g *gate) header(name string, h http.Header) http.Header {
	for key, values := range h {
		if g.badName(key) || slices.ContainsFunc(values, g.badValue) {
			return g.brokenHeader(name, h)
		}
	}
	return h
}

// badName reports whether the name of a header cannot be written. Names were put into canonical case on
// their way, so they are read in lower case too.
func (g *gate) badName(key string) bool {
	return g.isNoText(key) || g.finds(key, asText) || g.finds(strings.ToLower(key), asText)
}

func (g *gate) badValue(v string) bool { return g.finds(v, asText) || g.isNoText(v) }

// brokenHeader is header for one of which something cannot be written.
func (g *gate) brokenHeader(name string, h http.Header) http.Header {
	h = h.Clone()
	for _, key := range slices.Sorted(maps.Keys(h)) {
		if g.badName(key) {
			delete(h, key)
			g.withhold(name + " header " + surrogate.Withheld)
			continue
		}
		for i, v := range h[key] {
			switch {
			case g.finds(v, asText):
				h[key][i] = surrogate.Withheld
				g.withhold(name + " header " + key)
			case g.isNoText(v):
				h[key][i] = surrogate.Withheld
				g.noText(name + " header " + key)
			}
		}
	}
	return h
}
