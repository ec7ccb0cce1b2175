package redact

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
)

// Clean cleans an exchange as captured: bodies still content-coded, every number live. The
// exchange itself is not changed.
func (r *Redactor) Clean(x *leaf.Exchange) Clean { return r.s.clean(x, live) }

// Reclean cleans an exchange from a file that is not sealed. Surrogates and fakes recognise
// themselves and stay, so what Clean returned is returned byte for byte.
func (r *Redactor) Reclean(x *leaf.Exchange) Clean {
	r.Note(x)
	return r.reclean(x)
}

// reclean is Reclean of an exchange that was noted.
func (r *Redactor) reclean(x *leaf.Exchange) Clean { return r.s.clean(x, ours) }

// clean cleans a copy of an exchange. Where the gate finds what another exchange has taught meanwhile, the
// exchange is cleaned once more: a page shows a password, and a client sends it while the page is cleaned.
func (s *state) clean(x *leaf.Exchange, as trust) Clean {
	const tries = 4 // there is an end, whatever others teach
	for n := 1; ; n++ {
		d := s.draft(x, as)
		d.clean()
		d.gate(d.y, d.call)
		if d.fired.of(ruleGate) == 0 || d.learned == s.tape.learnedCount() || n == tries {
			return d.finish()
		}
	}
}

// draft is an exchange on its way through cleaning. What is done first, taking it apart, asks nothing of
// the tape, and what is done last, the gate, tells the tape nothing: see together.
type draft struct {
	cleaning
	x       *leaf.Exchange // as it came
	y       *leaf.Exchange // what becomes of it
	call    profile.Call
	parts   [3]*message // request, response and trailers, while they are cleaned
	before  int         // how much the tape had learned before the draft was cleaned
	learned int         // and before it was written: what is learned later may be left in it
}

// draft decodes a copy of an exchange and takes the copy apart.
func (s *state) draft(x *leaf.Exchange, as trust) *draft {
	y := *x
	d := &draft{cleaning: cleaning{state: s, trust: as}, x: x, y: &y}
	d.setBudget(len(x.URL) + len(x.Request.Body) + len(x.Response.Body))
	var values [2]int // of the bodies
	sent := half{header: x.Request.Headers, body: x.Request.Body}
	y.Request.Body = d.decodeBody(
		codingNotes{"request", &y.Meta.RequestCoding, &y.Meta.RequestCharset, &values[0]}, &sent)
	got := half{header: x.Response.Headers, body: x.Response.Body}
	y.Response.Body = d.decodeBody(
		codingNotes{"response", &y.Meta.Coding, &y.Meta.Charset, &values[1]}, &got)
	y.Request.Headers, y.Response.Headers = sent.header, got.header
	d.parts = d.messages(&y, x, values)
	d.call = d.parts[0].call
	return d
}

// clean takes out of a draft what is secret, and learns it. Request, answer and trailers teach before
// any of them is written, because an answer repeats what a request said, and a request what an answer
// said.
func (d *draft) clean() {
	c, y := &d.cleaning, d.y
	d.before = c.tape.learnedCount()
	for i, m := range d.parts {
		c.learnFields(m)
		if i < len(c.packs) {
			c.packs[i] = m.packs
		}
	}
	skip := len(y.URL) - len(y.Target())
	learned, fired := c.learnedCount(), c.fired
	c.fired = nil
	server := c.cleanServer(y.URL[:skip]) // for what it teaches
	nothingFired := c.fired == nil
	c.fired = fired
	for _, m := range d.parts {
		c.searchLeaves(m)
	}

	d.learned = c.tape.learnedCount() // before the last search: another exchange may teach meanwhile
	// What is written is not held any longer: a list has many times its size in leaves.
	cleaned := c.write(d.parts[0])
	c.takeBack(d.parts[0])
	d.parts[0] = nil
	if !nothingFired || learned != c.learnedCount() {
		server = c.cleanServer(y.URL[:skip])
	}
	y.URL = server + cleaned.Target[skip:]
	y.Request.Headers, y.Request.Body = cleaned.Header, cleaned.Body
	cleaned = c.write(d.parts[1])
	if c.packs[1] && cleaned.Body == d.parts[1].Body {
		c.asRead = d.parts[1].Message
	} else {
		c.takeBack(d.parts[1])
	}
	d.parts[1] = nil
	y.Response.Headers, y.Response.Body = cleaned.Header, cleaned.Body
	y.Meta.Trailers = c.write(d.parts[2]).Header
	d.parts[2] = nil
	c.cleanStrings(y, d.call)
}

// finish returns a draft that has passed the gate, or of which the gate has withheld what was left.
func (d *draft) finish() Clean {
	y, x := d.y, d.x
	y.Request.Headers = withLength(y.Request.Headers, half{header: x.Request.Headers, body: x.Request.Body},
		y.Request.Body)
	y.Response.Headers = withLength(y.Response.Headers, half{header: x.Response.Headers, body: x.Response.Body},
		y.Response.Body)
	if x.Meta.Fault == leaf.FaultCut {
		keepMissingLength(&y.Response, &x.Response)
	}
	y.Request.Form = Form(y)
	d.report(y)
	clean := Clean{x: y, learned: d.learned, bodies: d.bodies, hidden: d.hidden}
	if d.tape.learnedCount() == d.before {
		clean.taught = nothing
	}
	return clean
}

// cleanStrings cleans what is no leaf, and notes the call. What Meta says of a live exchange was
// written by us; in a file anyone may have written it.
func (c *cleaning) cleanStrings(y *leaf.Exchange, call profile.Call) {
	for _, s := range []*string{
		&y.Method, &y.Response.Status, &y.Meta.Failure, &y.Meta.Profile, &y.Meta.Operation,
		&y.Meta.Base, &y.Meta.Host, &y.Meta.RequestCoding, &y.Meta.Coding, &y.Meta.RequestCharset,
		&y.Meta.Charset, &y.Meta.Withheld, &y.Meta.Fault, &y.Meta.Relayed,
	} {
		*s = c.cleanCounted(scan.Printable(*s))
	}
	for _, names := range []*[]string{&y.Meta.Aliases, &y.Meta.Rules, &y.Meta.Profiles} {
		*names = slices.Clone(*names)
		for i, name := range *names {
			(*names)[i] = c.cleanCounted(scan.Printable(name))
		}
	}
	if told := y.Meta.Callback; told != nil {
		copied := *told
		for _, s := range []*string{&copied.Operation, &copied.Via, &copied.Checksum} {
			*s = c.cleanCounted(scan.Printable(*s))
		}
		y.Meta.Callback = &copied
	}
	told := y.Meta.Redactions
	y.Meta.Redactions = nil
	if c.trust == ours {
		for _, line := range told {
			y.Meta.Redactions = append(y.Meta.Redactions, c.text(scan.Printable(line)))
		}
	}
	if call.Profile != nil {
		y.Meta.Profile, y.Meta.Operation = call.Profile.Name, ""
	}
	if call.Operation != nil {
		y.Meta.Operation = call.Operation.Name
	}
}

// report writes what was taken out, after what a file already says.
func (c *cleaning) report(y *leaf.Exchange) {
	y.Meta.Redactions = append(y.Meta.Redactions, c.taken.list()...)
	c.state.counts.count(c.fired)
	for _, line := range c.told {
		if c.Report != nil {
			c.Report(line)
		}
	}
	for _, reason := range c.lost {
		if y.Meta.Withheld != "" {
			y.Meta.Withheld += "; "
		}
		y.Meta.Withheld += reason
	}
}

// pathOf returns the raw path of a request target.
func pathOf(target string) string {
	if end := strings.IndexAny(target, "?#"); end >= 0 {
		return target[:end]
	}
	return target
}

// cutAuthority cuts a URL behind its host. A target without scheme has none.
func cutAuthority(target string) (authority, rest string) {
	scheme := strings.Index(target, "://")
	if scheme < 0 || strings.ContainsAny(target[:scheme], "/?#") {
		return "", target
	}
	begin := scheme + len("://")
	if end := strings.IndexAny(target[begin:], "/?#"); end >= 0 {
		return target[:begin+end], target[begin+end:]
	}
	return target, ""
}

// cleanServer cleans what stands in a URL before the path that a client asks for: scheme, host,
// the password before it, and the base path of the upstream. The user name is no secret.
func (c *cleaning) cleanServer(url string) string {
	authority, base := cutAuthority(url)
	scheme, host, found := strings.Cut(authority, "://")
	if found {
		scheme = c.text(scheme) + "://"
	}
	user := ""
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		user, host = c.cleanUserInfo(host[:at])+"@", host[at+1:]
	}
	return scheme + user + c.cleanCounted(host) + c.cleanCounted(base)
}

// cleanUserInfo cleans the user information of a URL.
func (c *cleaning) cleanUserInfo(info string) string {
	name, password, found := strings.Cut(info, ":")
	name = c.cleanCounted(name)
	if !found {
		return name
	}
	if got := c.replace(profile.Token, fieldValue{text: decoded(password)}); got.Note != "" {
		password = got.Text
		c.fire(ruleUserInfo)
	}
	return name + ":" + password
}
