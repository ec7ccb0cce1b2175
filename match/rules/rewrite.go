package rules

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/profile"
)

// rewrite reads rows on top of those of the profiles: by operation, then by request, response,
// requestHeaders or responseHeaders, then by field.
func (r *reader) rewrite(n *yaml.Node) []profile.Override {
	var all []profile.Override
	r.rewritten = map[string]bool{}
	r.pairs(n, "rows by operation", func(key, value *yaml.Node) {
		p, ok := r.operation(key)
		if !ok {
			return
		}
		for _, api := range r.set.Profiles() {
			for _, o := range api.Operations {
				if p.means(o) {
					all = append(all, r.rewriteOf(o, value)...)
				}
			}
		}
	})
	return all
}

// rewriteOf reads the rows of one operation.
func (r *reader) rewriteOf(o *profile.Operation, n *yaml.Node) []profile.Override {
	var all []profile.Override
	rows := func(dir profile.Direction, header bool) func(*yaml.Node) {
		return func(n *yaml.Node) {
			r.pairs(n, `rows such as "rrn: minted rrn"`, func(key, value *yaml.Node) {
				row, ok := r.text(value, `a row such as "minted rrn", or keep`)
				if !ok {
					return
				}
				f, err := profile.ParseRow(strings.TrimSpace(row))
				if err != nil {
					r.wrong(value, "%v, or keep", err)
					return
				}
				if !header {
					r.rewritten[strings.ToLower(key.Value)] = true
				}
				all = append(all, profile.Override{
					Operation: o, Dir: dir, Header: header, Key: key.Value, Field: f,
					File: r.file, Line: key.Line,
				})
			})
		}
	}
	r.mapping(n, "request or response", keys{
		"request": rows(profile.Request, false), "response": rows(profile.Response, false),
		"requestHeaders":  rows(profile.Request, true),
		"responseHeaders": rows(profile.Response, true),
	})
	return all
}
