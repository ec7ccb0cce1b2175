package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/cobra"
)

const rulesLong = `rules lists what replay makes of values: for every row of a profile that rewrites one,
the operation, the side, the field, what is done (fresh, follows the client, moves with
the clock, mask of card, leads to the deck, kept) and where the row is written. Rows of
rules files lie on top of those of profiles. Then come the rules of the files for a run.

With the name of a cassette it tells at how many places on tape a row is followed, and
in which operations; a row that never applies is marked with "never".`

// ruleLister is the command "rules" with its flags.
type ruleLister struct {
	*app
	knowledge
	dir    string
	files  []string
	asJSON bool
}

func rulesCommand(a *app) *cobra.Command {
	l := &ruleLister{app: a}
	cmd := &cobra.Command{
		Use:   "rules [NAME]",
		Short: "list what is rewritten, and what rules files say of a run",
		Long:  rulesLong,
		Example: `  paytape rules
  paytape rules checkout
  paytape rules --rules retries.yaml --json | jq '.rules[].name'
  paytape rules check retries.yaml`,
		Args: arguments(0, 1),
		RunE: func(_ *cobra.Command, args []string) error { return l.run(args) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&l.asJSON, "json", false, "print JSON")
	rulesFlag(fs, &l.files)
	dirFlag(fs, &l.dir)
	l.knowledge.flags(fs)
	l.piiFlag(fs)
	cmd.AddCommand(checkRulesCommand(a), tryRulesCommand(a), rulesSchemaCommand(a))
	return cmd
}

// rulesList is what there is to tell of rules.
type rulesList struct {
	Rewriting []rewritingRow `json:"rewriting"`
	Rules     []runRule      `json:"rules"`
}

// rewritingRow is a row that rewrites a value.
type rewritingRow struct {
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Profile    string   `json:"profile"`
	Operations []string `json:"operations,omitempty"` // none: all of the profile
	Side       string   `json:"side"`                 // request or answer
	Header     bool     `json:"header,omitempty"`
	Field      string   `json:"field"`
	Does       string   `json:"does"`
	// Places is at how many places on a cassette the row is followed, and Applied where. Both are
	// missing if no cassette is named.
	Places  *int           `json:"places,omitempty"`
	Applied map[string]int `json:"applied,omitempty"`

	at match.RowAt
}

// runRule is a rule of a file.
type runRule struct {
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
	Does string `json:"does"`
}

func (l *ruleLister) run(names []string) error {
	if err := l.check(); err != nil {
		return err
	}
	known, engine, err := l.rulesOf(l.files)
	if err != nil {
		return err
	}
	l.known = known
	list := rulesList{rewriting(l.profiles(), l.files), []runRule{}}
	for _, s := range engine.Report() {
		list.Rules = append(list.Rules, runRule{s.Name, s.File, s.Line, s.Does})
	}
	if len(names) == 1 {
		tape, err := l.loadTape(l.dir, names[0], l.voice.warn)
		if err != nil {
			return err
		}
		list.apply(match.RowUses(l.profiles(), cassetteOf(tape)))
	}
	if l.asJSON {
		enc := json.NewEncoder(l.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(list)
	}
	return l.table(list)
}

// rulesOf reads rules files. It returns what is known with their rows on top, and their rules.
func (k *knowledge) rulesOf(files []string) (*deck.Knowledge, *rules.Engine, error) {
	known, read, err := k.known.WithRules(files...)
	if err != nil {
		return nil, nil, withHint(misused(err), "paytape help rules")
	}
	engine := rules.New(rules.Options{Profiles: known.Profiles(), Seed: 1})
	return known, engine, engine.Set(rules.FromFile, read...)
}

// rewriting lists the rows that rewrite values. What is written once is one row, whatever the number
// of the operations for which it holds.
func rewriting(set *deck.Profiles, files []string) []rewritingRow {
	type place struct {
		profile string
		at      match.RowAt
	}
	index := map[place]int{}
	all := []rewritingRow{}
	for _, r := range set.Rows() {
		ours := slices.Contains(files, r.Origin.File)
		does := rewrites(r, ours)
		if does == "" {
			continue
		}
		p := place{r.Profile, match.RowAt{Origin: r.Origin, Dir: r.Dir}}
		i, found := index[p]
		if !found {
			i = len(all)
			index[p] = i
			all = append(all, rewritingRow{
				File: r.Origin.File, Line: r.Origin.Line, Profile: r.Profile, Side: sideOf(r.Dir),
				Header: r.Header, Field: r.Origin.Key, Does: does, at: p.at,
			})
		}
		if r.Operation != nil {
			all[i].Operations = append(all[i].Operations, r.Operation.Name)
		}
	}
	// Rows of one file stand together, in its order; rules files come first.
	slices.SortStableFunc(all, func(a, b rewritingRow) int {
		rank := func(r rewritingRow) int {
			if slices.Contains(files, r.File) {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line))
	})
	return all
}

// sideOf names the half of an exchange.
func sideOf(d profile.Direction) string {
	if d == profile.Request {
		return "request"
	}
	return "answer"
}

// rewrites says in a few words what a row does to a value in replay; empty for a row that leaves the
// value as it is, unless somebody has put the row on top of another.
func rewrites(r profile.Row, onTop bool) string {
	f := r.Field
	switch f.From {
	case profile.Minted:
		return "fresh " + f.Of
	case profile.Unique, profile.Shared:
		return "follows the client"
	case profile.Date:
		return "moves with the clock"
	case profile.Rendering:
		return f.Form.String() + " of " + f.Of
	}
	switch {
	case f.Address:
		return "leads to the deck"
	case onTop && f.From == profile.Ignored && r.Dir == profile.Request:
		return "not compared"
	case onTop:
		return "kept"
	}
	return ""
}

// apply notes at how many places of a cassette the rows are followed.
func (l *rulesList) apply(uses map[match.RowAt]map[string]int) {
	for i := range l.Rewriting {
		r := &l.Rewriting[i]
		n := 0
		for _, m := range uses[r.at] {
			n += m
		}
		r.Places, r.Applied = &n, uses[r.at]
	}
}

// table prints the list for people.
func (l *ruleLister) table(list rulesList) error {
	t := tabwriter.NewWriter(l.out, 0, 0, 2, ' ', 0)
	head := "WHERE\tOPERATION\tSIDE\tFIELD\tDOES"
	if len(list.Rewriting) > 0 && list.Rewriting[0].Places != nil {
		head += "\tPLACES\tON TAPE"
	}
	fmt.Fprintln(t, head)
	for _, r := range list.Rewriting {
		fmt.Fprintln(t, printable(r.row()))
	}
	if err := t.Flush(); err != nil || len(list.Rules) == 0 {
		return err
	}
	fmt.Fprintf(t, "\nWHERE\tRULE\tDOES\n")
	for _, r := range list.Rules {
		fmt.Fprintf(t, "%s:%d\t%s\t%s\n", printable(r.File), r.Line, r.Name, printable(r.Does))
	}
	return t.Flush()
}

// row is the row as a line of the table.
func (r rewritingRow) row() string {
	field := r.Field
	if r.Header {
		field = "header:" + field
	}
	cells := []string{
		r.File + ":" + strconv.Itoa(r.Line), r.operations(), r.Side, field, r.Does,
	}
	if r.Places != nil {
		where := "never"
		if *r.Places > 0 {
			where = appliedText(r.Applied)
		}
		cells = append(cells, strconv.Itoa(*r.Places), where)
	}
	return strings.Join(cells, "\t")
}

// operations tells for which operations the row holds.
func (r rewritingRow) operations() string {
	switch {
	case len(r.Operations) == 1:
		return r.Operations[0]
	case len(r.Operations) > 1:
		return count.Of(len(r.Operations), "operation")
	case r.Profile == "http":
		return "every API"
	}
	return "all of " + r.Profile
}

// maxApplied bounds the operations of a row that are shown.
const maxApplied = 3

// appliedText lists where a row is followed: "register.do 4, refund.do 1".
func appliedText(applied map[string]int) string {
	names := slices.SortedFunc(maps.Keys(applied), func(a, b string) int {
		return cmp.Or(applied[b]-applied[a], cmp.Compare(a, b))
	})
	var parts []string
	for _, name := range names[:min(maxApplied, len(names))] {
		parts = append(parts, fmt.Sprintf("%s %d", name, applied[name]))
	}
	if more := len(names) - maxApplied; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}
