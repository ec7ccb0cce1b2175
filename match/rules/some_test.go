package rules_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match/rules"
)

func TestParseSome(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	for _, test := range []struct {
		name, alone, text string
		want              string // names of the rules, or part of the error
	}{
		{"one rule", "", "name: a\nop: register.do\nthen: {status: 500}", "a"},
		{"one rule that gets its name", "b", "then: {status: 500}", "b"},
		{"a name of its own stays", "b", "{name: a, then: {status: 500}}", "a"},
		{"a list", "", "- {name: a, then: {status: 500}}\n- {name: b, then: {drip: 1s}}", "a b"},
		{"a file", "x", "# paytape rules 1\nrules:\n- {name: a, then: {status: 500}}", "a"},
		{"JSON with tabs", "", "{\n\t\"name\": \"a\",\n\t\"then\":\t{\"status\": 500}\n}", "a"},
		{"no name", "", "then: {status: 500}", "some:1:1: expected a name"},
		{"a key that is none", "x", "op: register.do\nthan: {status: 500}",
			`some:2:1: unknown key "than": did you mean "then"?`},
		{"rows of profiles", "", "rules: []\nrewrite:\n  register.do: {}",
			"some:3:3: expected rules alone"},
		{"nothing", "x", " \n", "some:1:1: expected a rule, found none"},
		{"a word", "x", "rules", "some:1:1: expected a rule, found none"},
		{"a file of a body", "x", "then: {answer: {file: /etc/passwd}}", "cannot read files"},
		{"a card number", "x", "then: {set: {pan: '411111" + "1111111111'}}", "expected no card number"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f, err := rules.ParseSome("some", []byte(test.text), test.alone,
				rules.Source{Profiles: set})
			if err != nil {
				if !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %q, want %q", err, test.want)
				}
				return
			}
			var names []string
			for _, r := range f.Rules {
				names = append(names, r.Name)
			}
			if diff := cmp.Diff(test.want, strings.Join(names, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
