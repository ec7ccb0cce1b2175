package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/inspect/drawing"
	"github.com/spf13/cobra"
)

const flowsLong = `flows prints what replay understands of the cassette NAME. An entity is a thing that
requests act on and answers show: an order, a card. Entities that belong together are
one flow; a scope (a clientId, a merchant) has members. A write leads an entity from
one own state to the next, and a read is answered in the state in which it was
recorded. A silent change is one between two equal reads that no write explains: in
replay it comes after as many reads. A variable is a value that travels: where it was
born, and where else it stands. Tapes hold no secrets, so neither does this.

--graph prints the state machine that the cassette is: as a flowchart of Mermaid, which
many web pages and editors draw, with --graph=dot in the language of Graphviz, or with
--graph=svg as a picture for a browser, in which a state has the name that answers give
it. Nodes are own states, edges are writes, and dashed edges are silent changes.`

// flows is the command "flows" with its flags.
type flows struct {
	*app
	knowledge
	dir    string
	asJSON bool
	graph  string // mermaid, dot or svg; empty for none
}

// Words of --graph.
const (
	graphMermaid = "mermaid"
	graphDOT     = "dot"
	graphSVG     = "svg"
)

func flowsCommand(a *app) *cobra.Command {
	f := &flows{app: a}
	cmd := &cobra.Command{
		Use:   "flows NAME",
		Short: "show what replay understands of a cassette",
		Long:  flowsLong,
		Example: `  paytape flows checkout
  paytape flows --json checkout | jq '.flows[0].variables[].name'
  paytape flows --graph checkout
  paytape flows --graph=svg checkout > checkout.svg
  paytape flows --graph=dot checkout | dot -Tpdf > checkout.pdf`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return interruptibly(cmd.Context(), func() error { return f.run(args[0]) })
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&f.asJSON, "json", false, "print JSON")
	fs.StringVar(&f.graph, "graph", "", "print the state machine as `WORD`: mermaid, dot or svg")
	fs.Lookup("graph").NoOptDefVal = graphMermaid
	dirFlag(fs, &f.dir)
	f.knowledge.flags(fs)
	f.piiFlag(fs)
	return cmd
}

func (f *flows) check() error {
	switch {
	case !slices.Contains([]string{"", graphMermaid, graphDOT, graphSVG}, f.graph):
		return misused(fmt.Errorf("--graph: expected mermaid, dot or svg, found %q", f.graph))
	case f.graph != "" && f.asJSON:
		return misused(fmt.Errorf("--graph and --json exclude each other"))
	}
	return f.knowledge.check()
}

func (f *flows) run(name string) error {
	if err := f.check(); err != nil {
		return err
	}
	tape, err := f.loadTape(f.dir, name, f.voice.warn)
	if err != nil {
		return err
	}
	o, cassette := match.Options{Profiles: f.profiles()}, cassetteOf(tape)
	switch f.graph {
	case graphMermaid:
		f.print("%s", match.Compile(o, cassette).Mermaid())
		return nil
	case graphDOT:
		f.print("%s", match.Compile(o, cassette).DOT())
		return nil
	case graphSVG:
		ms := drawing.New(drawing.Options{
			Tape: match.Compile(o, cassette), Profiles: f.profiles(), Redactor: f.redactor(),
		})
		m, _ := ms.Machine(cassette.Name) // without exchanges it is empty
		f.print("%s", drawing.SVG(m))
		return nil
	}
	d := match.Describe(o, cassette)
	if !f.asJSON {
		f.print("%s", printable(flowsText(d)))
		return nil
	}
	return writeJSON(f.out, d)
}

// flowsText writes a description for people.
func flowsText(d *match.Description) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s\n", d.Cassette, count.Of(d.Exchanges, "exchange"),
		count.Of(len(d.Flows), "flow"))
	for _, x := range d.LeftOut {
		fmt.Fprintf(&b, "  #%d is not replayed: %s\n", x.Exchange, x.Why)
	}
	for i, f := range d.Flows {
		fmt.Fprintf(&b, "\nflow %d: %s\n", i+1, labels(f.Entities))
		for _, e := range f.Entities {
			entityText(&b, e)
		}
		variablesText(&b, f.Variables)
	}
	if len(d.Scopes) > 0 {
		b.WriteString("\nscopes\n")
	}
	for _, s := range d.Scopes {
		fmt.Fprintf(&b, "\n  %s\n", shortened(s.Label))
		if len(s.Members) > 0 {
			fmt.Fprintf(&b, "    members: %s\n", listed(s.Members))
		}
		stepsText(&b, s.Steps)
	}
	if len(d.Apart) > 0 {
		b.WriteString("\nexchanges that name nothing\n\n")
		stepsText(&b, d.Apart)
	}
	variablesText(&b, d.Variables)
	return b.String()
}

// labels lists entities by their labels.
func labels(es []match.TapeEntity) string {
	var all []string
	for _, e := range es {
		all = append(all, e.Label)
	}
	return listed(all)
}

// maxListed bounds the labels in a line.
const maxListed = 20

func listed(labels []string) string {
	more := ""
	if n := len(labels) - maxListed; n > 0 {
		labels, more = labels[:maxListed], fmt.Sprintf(" and %d more", n)
	}
	short := make([]string, len(labels))
	for i, l := range labels {
		short[i] = shortened(l)
	}
	return strings.Join(short, ", ") + more
}

func entityText(b *strings.Builder, e match.TapeEntity) {
	fmt.Fprintf(b, "\n  %s", e.Label)
	if of := append(append([]string{}, e.Wholes...), e.Scopes...); len(of) > 0 {
		fmt.Fprintf(b, " of %s", listed(of))
	}
	if e.Born > 0 {
		fmt.Fprintf(b, ", born in #%d by %s\n", e.Born, e.By)
	} else {
		b.WriteString(", there from the start\n")
	}
	for _, n := range e.Names {
		fmt.Fprintf(b, "    %s %s\n", n.Noun, shortened(n.Text))
	}
	stepsText(b, e.Steps)
	for _, c := range e.Silent {
		changeText(b, c)
	}
}

// stepsText writes steps as a table.
func stepsText(b *strings.Builder, steps []match.Step) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, s := range steps {
		row := fmt.Sprintf("    #%d\t%s\t%s\t%s\t%s", s.Exchange, s.Operation, s.Does, transition(s),
			circumstances(s))
		fmt.Fprintln(w, strings.TrimRight(row, "\t"))
	}
	_ = w.Flush() // a strings.Builder takes everything
}

// transition says in which state a step finds its entity, and to which it leads.
func transition(s match.Step) string {
	switch {
	case s.State == 0 && s.To == 0:
		return ""
	case s.State == 0:
		return fmt.Sprintf("-> state %d", s.To)
	case s.State == s.To:
		return fmt.Sprintf("state %d", s.State)
	}
	return fmt.Sprintf("state %d -> %d", s.State, s.To)
}

// circumstances says what else there is to know of a step.
func circumstances(s match.Step) string {
	var parts []string
	if s.Words != "" {
		parts = append(parts, "after "+s.Words)
	}
	if s.Cards != "" {
		parts = append(parts, "card "+s.Cards)
	}
	if len(s.With) > 0 {
		parts = append(parts, "with "+listed(s.With))
	}
	if s.Overlapped {
		parts = append(parts, "while a write was under way")
	}
	if s.Missed {
		parts = append(parts, "after a call that is missing on tape")
	}
	if s.Lost {
		parts = append(parts, "its answer was lost")
	}
	return strings.Join(parts, "; ")
}

// maxFields bounds the fields of a change that are shown.
const maxFields = 8

func changeText(b *strings.Builder, c match.Change) {
	fmt.Fprintf(b, "    silent change from state %d to %d, after %s of %s (#%d, #%d):\n",
		c.State, c.Behind, count.Of(c.Reads, "read"), c.Operation, c.From, c.To)
	for _, f := range c.Fields[:min(maxFields, len(c.Fields))] {
		fmt.Fprintf(b, "      %s: %s -> %s\n", f.Path, shortened(f.Was), shortened(f.Is))
	}
	if more := len(c.Fields) - maxFields; more > 0 {
		fmt.Fprintf(b, "      and %s more\n", count.Of(more, "field"))
	}
}

// maxValue bounds the values that are shown, in characters.
const maxValue = 60

func shortened(value string) string {
	if value == "" {
		return "(none)"
	}
	if rs := []rune(value); len(rs) > maxValue {
		return string(rs[:maxValue]) + "..."
	}
	return value
}

func variablesText(b *strings.Builder, vs []match.Variable) {
	if len(vs) > 0 {
		b.WriteString("\n  variables\n")
	}
	for _, v := range vs {
		fmt.Fprintf(b, "    %s (%s) %s\n", v.Name, v.Kind, shortened(v.Value))
		fmt.Fprintf(b, "      born in #%d, %s %s\n", v.Born.Exchange, v.Born.Side, v.Born.Placed())
		usesText(b, v.Used)
	}
}

// usesText writes uses, those of one field in one line.
func usesText(b *strings.Builder, us []match.Use) {
	var order []string
	numbers := map[string][]int{}
	for _, u := range us {
		text := fmt.Sprintf("%s %s (%s)", u.Side, u.Placed(), u.How)
		if numbers[text] == nil {
			order = append(order, text)
		}
		numbers[text] = append(numbers[text], u.Exchange)
	}
	for _, text := range order {
		fmt.Fprintf(b, "      in %s: #%s\n", text, ranges(numbers[text]))
	}
}
