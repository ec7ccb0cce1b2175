package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match"
	"github.com/spf13/cobra"
)

const flowsLong = `flows prints what replay understands of the cassette NAME. A thread is what one
request started; threads that share ids are one flow. In each thread a write leads
from one state to the next, and a read is answered in the state in which it was
recorded. A change between two equal reads that no write explains comes, in replay,
after as many reads. A variable is a value that travels: where it was born, and
where else it stands. Tapes hold no secrets, so neither does this.`

// flows is the command "flows" with its flags.
type flows struct {
	*app
	knowledge
	dir    string
	asJSON bool
}

func flowsCommand(a *app) *cobra.Command {
	f := &flows{app: a}
	cmd := &cobra.Command{
		Use:   "flows NAME",
		Short: "show what replay understands of a cassette",
		Long:  flowsLong,
		Example: `  paytape flows checkout
  paytape flows --json checkout | jq '.flows[0].variables[].name'`,
		Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return f.run(args[0]) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&f.asJSON, "json", false, "print JSON")
	dirFlag(fs, &f.dir)
	f.knowledge.flags(fs)
	f.piiFlag(fs)
	return cmd
}

func (f *flows) run(name string) error {
	if err := f.check(); err != nil {
		return err
	}
	tapes, err := loadTapes(shelf{&f.knowledge, f.dir}, []string{name}, f.voice.warn)
	if err != nil {
		return err
	}
	d := understood(&f.knowledge, tapes[0])
	if !f.asJSON {
		f.print("%s", printable(flowsText(d)))
		return nil
	}
	enc := json.NewEncoder(f.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

func understood(k *knowledge, t *cassettes.Tape) *match.Description {
	return match.Describe(match.Options{Profiles: k.profiles}, cassettesOf([]*cassettes.Tape{t})[0])
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
		fmt.Fprintf(&b, "\nflow %d: %s\n", i+1, count.Of(len(f.Threads), "thread"))
		for _, t := range f.Threads {
			threadText(&b, t)
		}
		variablesText(&b, f.Variables)
	}
	return b.String()
}

func threadText(b *strings.Builder, t match.Thread) {
	if t.Silent {
		fmt.Fprintf(b, "\n  thread %d: exchanges without values\n", t.Number)
	} else {
		fmt.Fprintf(b, "\n  thread %d: opened by %s #%d\n", t.Number, t.Operation, t.Opener)
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, s := range t.Steps {
		does := "read"
		if s.Writes {
			does = "write"
		}
		fmt.Fprintf(w, "    state %d\t#%d\t%s\t%s%s\n", s.State, s.Exchange, s.Operation, does,
			others(s))
	}
	_ = w.Flush() // a strings.Builder takes everything
	for _, c := range t.Hidden {
		changeText(b, c)
	}
}

// others tells of the other threads of an exchange.
func others(s match.Step) string {
	text := ""
	if len(s.Joins) > 0 {
		text += ", joins thread " + ranges(s.Joins)
	}
	if len(s.Ties) > 0 {
		text += ", shows values of thread " + ranges(s.Ties)
	}
	return text
}

// maxFields bounds the fields of a change that are shown.
const maxFields = 8

func changeText(b *strings.Builder, c match.Change) {
	fmt.Fprintf(b, "    no write explains the change in state %d, after %s of %s (#%d, #%d):\n",
		c.State, count.Of(c.Reads, "read"), c.Operation, c.From, c.To)
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
