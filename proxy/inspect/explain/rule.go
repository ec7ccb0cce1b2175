package explain

import (
	"fmt"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// The bounds of a rule that is made of an exchange: the fields that it asks for, and the body that it
// answers with, in bytes.
const (
	maxTests    = 5
	maxRuleBody = 16 << 10
)

// rule makes rows for a rules file of an exchange: of a miss the rows that mend it, of an answer from
// tape a rule that takes the same recording again, of any other exchange a rule that gives the same
// answer. It is a beginning: whoever copies it changes it.
func (e *explainer) rule(mends []match.Mend) redact.Safe {
	for _, m := range mends {
		if e.row.Reason != "" && m.Kind == match.MendRules {
			return e.words(m.Code)
		}
	}
	d := rules.Draft{Name: fmt.Sprintf("like-%d", e.row.ID), Where: e.tests()}
	if o := e.call.Operation; o != nil {
		d.Op = o.Name
	} else {
		d.Method = e.x.Exchange().Request.Method
		d.Path, _, _ = strings.Cut(e.x.Exchange().Target(), "?")
	}
	x := e.x.Exchange()
	if proxy.Kind(e.row.Kind) == proxy.Served {
		d.Take = fmt.Sprintf("%s#%d", e.row.Cassette, e.row.Number)
	} else {
		d.Status, d.Media, d.Body = x.Code, x.Response.Headers.Get("Content-Type"), x.Response.Body
		if d.Status == 0 || e.row.Reason != "" {
			// There was no answer that could be given again.
			d.Status, d.Media, d.Body = 200, "application/json", "{}"
		}
		if len(d.Body) > maxRuleBody || strings.Contains(d.Body, "${") {
			d.Body = ""
		}
	}
	return e.x.Derive(func(*leaf.Exchange) string { return e.accepted(d) })
}

// accepted returns the text of a draft that a rules file may have. Values that a rules file refuses,
// such as the number of a card in a body, are left out.
func (e *explainer) accepted(d rules.Draft) string {
	for _, less := range []func(){func() {}, func() { d.Body = "" }, func() { d.Where = nil }} {
		less()
		text := d.Text()
		_, err := rules.Parse("rule.yaml", []byte(text), rules.Source{Profiles: e.Profiles})
		if err == nil {
			return text
		}
	}
	return ""
}

// tests are the first fields of the request that must be equal, with their values.
func (e *explainer) tests() map[string]string {
	const longest = 60
	tests := map[string]string{}
	for i := range e.params {
		p := &e.params[i]
		body := p.Place == leaf.Form || p.Place == leaf.JSON || p.Place == leaf.Query
		if len(tests) == maxTests || !body || !p.Known || p.Field.From != profile.Exact ||
			p.Field.Secret != profile.NotSecret || p.Text == "" || len(p.Text) > longest ||
			strings.ContainsAny(p.Path, "[#") {
			continue
		}
		tests[p.Path] = p.Text
	}
	return tests
}
