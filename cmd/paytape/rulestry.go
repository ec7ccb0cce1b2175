package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/spf13/cobra"
)

const checkRulesLong = `check reads rules files as a deck would that is given all of them, and prints what is
wrong as FILE:LINE:COLUMN: TEXT. It ends with 2 if anything is; a warning is what may be
a mistake, such as a field that no profile knows.`

func checkRulesCommand(a *app) *cobra.Command {
	k := &knowledge{}
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "look for mistakes in rules files",
		Long:  checkRulesLong,
		Example: `  paytape rules check retries.yaml
  paytape rules check --profile mybank.yaml rules/*.yaml`,
		Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, files []string) error {
			if err := k.check(); err != nil {
				return err
			}
			return checkRules(a, k, files)
		},
	}
	k.flags(cmd.Flags())
	return cmd
}

// checkRules prints the mistakes in rules files, as compilers do, or what is in the files.
func checkRules(a *app, k *knowledge, files []string) error {
	_, read, err := k.known.WithRules(files...)
	if err != nil {
		mistakes := strings.Split(err.Error(), "\n")
		for _, text := range mistakes {
			a.print("%s\n", printable(text))
		}
		return withHint(misused(fmt.Errorf("found %s", count.Of(len(mistakes), "mistake"))),
			"paytape help rules")
	}
	n, rows := 0, 0
	for _, f := range read {
		n, rows = n+len(f.Rules), rows+len(f.Rewrite)
		for _, w := range f.Warnings {
			a.print("%s:%d:%d: warning: %s\n", printable(w.File), w.Line, w.Column, printable(w.Text))
		}
	}
	a.print("found no mistakes in %s and %s\n", count.Of(n, "rule"), count.Of(rows, "row"))
	return nil
}

const tryRulesLong = `try tells, without a deck, what the rules of FILE would do with the exchanges of the
cassette NAME if they came again in their order: which exchanges each rule would hit, at
which attempt, and what it would change. Rules that wait to be asked for are taken to be
asked for. Of a rule that declines or takes it tells which exchange would be served, or
that the profile answers or nobody. What a rule does beside fields, such as to lose an
answer, its effects tell.`

// ruleTrial is the command "rules try" with its flags.
type ruleTrial struct {
	*app
	knowledge
	dir    string
	asJSON bool
}

func tryRulesCommand(a *app) *cobra.Command {
	r := &ruleTrial{app: a}
	cmd := &cobra.Command{
		Use:   "try FILE NAME",
		Short: "tell which recorded exchanges each rule of a file would hit",
		Long:  tryRulesLong,
		Example: `  paytape rules try retries.yaml checkout
  paytape rules try --json retries.yaml checkout | jq '.[].hits[].number'`,
		Args: arguments(2, 2),
		RunE: func(_ *cobra.Command, args []string) error { return r.run(args[0], args[1]) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&r.asJSON, "json", false, "print JSON")
	dirFlag(fs, &r.dir)
	r.knowledge.flags(fs)
	r.piiFlag(fs)
	return cmd
}

// triedRule is a rule with what it would do with a cassette.
type triedRule struct {
	runRule
	Hits []rules.Hit `json:"hits"`
	// Failed is the test or condition that failed most often.
	Failed string `json:"failed,omitempty"`
}

func (r *ruleTrial) run(file, name string) error {
	if err := r.check(); err != nil {
		return err
	}
	known, read, err := r.known.WithRules(file)
	if err != nil {
		return withHint(misused(err), "paytape rules check %s", shellWord(file))
	}
	r.known = known
	tape, err := r.loadTape(r.dir, name, r.voice.warn)
	if err != nil {
		return err
	}
	var now time.Time // that of the exchange
	engine := rules.New(rules.Options{
		Profiles: known.Profiles(), Seed: 1, Now: func() time.Time { return now },
	})
	if err := engine.Set(rules.FromFile, read...); err != nil {
		return err
	}
	cleaner := r.redactor()
	clean := func(x *leaf.Exchange) *leaf.Exchange { return cleaner.Reclean(x).Exchange() }
	cassette := cassetteOf(tape)
	compiled := match.Compile(match.Options{Profiles: known.Profiles(), Seed: 1}, cassette)
	hits := map[string][]rules.Hit{}
	for i, c := range tape.Exchanges {
		x := *c.Exchange()
		x.Meta.Number, now = numberOf(c, i), x.Meta.At
		branch := func(c *match.Choice) (int, bool) {
			taken, found := compiled.Branch(cassette.Name, x.Meta.Number, c)
			return taken.Number, found
		}
		for _, h := range engine.Try(&x, rules.TryOptions{Clean: clean, Branch: branch}) {
			hits[h.Rule] = append(hits[h.Rule], h)
		}
	}
	all := []triedRule{}
	for _, s := range engine.Report() {
		all = append(all, triedRule{
			runRule{s.Name, s.File, s.Line, s.Does}, append([]rules.Hit{}, hits[s.Name]...), s.Failed,
		})
	}
	return r.tell(all)
}

func (r *ruleTrial) tell(all []triedRule) error {
	if r.asJSON {
		enc := json.NewEncoder(r.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(all)
	}
	for _, one := range all {
		r.print("%s", printable(one.text()))
	}
	return nil
}

// text tells of a rule and its hits: a line for each, and a line for each field that changes.
func (t triedRule) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s:%d): %s\n", t.Name, t.File, t.Line, t.Does)
	if len(t.Hits) == 0 {
		b.WriteString("  hits nothing on tape")
		if t.Failed != "" {
			fmt.Fprintf(&b, ": what fails most often is %q", t.Failed)
		}
		b.WriteString("\n")
	}
	for _, h := range t.Hits {
		fmt.Fprintf(&b, "  #%d %s, %s\n", h.Number, h.Operation, occasion(h))
		for _, c := range h.Changes[:min(maxFields, len(h.Changes))] {
			side := ""
			if c.Request {
				side = "request "
			}
			fmt.Fprintf(&b, "    %s%s: %s -> %s\n", side, c.Field, shortened(c.Was), shortened(c.Is))
		}
		if more := len(h.Changes) - maxFields; more > 0 {
			fmt.Fprintf(&b, "    and %s more\n", count.Of(more, "field"))
		}
	}
	return b.String()
}

// occasion says when a rule would fire.
func occasion(h rules.Hit) string {
	switch {
	case h.Attempt == 0:
		return "after the decline"
	case h.Outranked:
		return fmt.Sprintf("attempt %d, outranked by a rule before it", h.Attempt)
	case h.Branch == rules.ByProfile:
		return fmt.Sprintf("attempt %d, answered by the profile: the tape has no such branch", h.Attempt)
	case h.Branch == rules.ByNobody:
		return fmt.Sprintf("attempt %d, a miss: the tape has no such branch", h.Attempt)
	case h.Branch != "":
		return fmt.Sprintf("attempt %d, answered by %s", h.Attempt, h.Branch)
	}
	return fmt.Sprintf("attempt %d", h.Attempt)
}
