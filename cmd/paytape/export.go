package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/har"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/export"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/spf13/cobra"
)

const exportLong = `export writes the cassette NAME for another program: as an HTTP archive (HAR 1.2), as a
script of curl, as a collection of Postman (format 2.1), or as a sequence diagram of
Mermaid. All of it is cleaned again on its way, whatever the file was.

An archive goes back by paytape import, and becomes a cassette that replays the same. A
script and a collection send the calls again, flow by flow, with variables in place of
secrets and cards: $PASSWORD, {{PASSWORD}}. Ids stand as they were recorded, so a deck
that plays them back is started with --ids recorded. Callbacks are the sandbox's, and are
in archives and diagrams alone.`

// exporter is the command "export" with its flags.
type exporter struct {
	tapeEditor
	har, curl, postman, mermaid bool
	flows                       []int
	out                         string
}

func exportCommand(a *app) *cobra.Command {
	e := &exporter{tapeEditor: tapeEditor{app: a}}
	cmd := &cobra.Command{
		Use:   "export NAME --har|--curl|--postman|--mermaid",
		Short: "write a cassette for another program",
		Long:  exportLong,
		Example: `  paytape export checkout --har -o checkout.har
  paytape export checkout --curl --flow 2 > refund.sh
  paytape export checkout --postman -o checkout.postman_collection.json
  paytape export checkout --mermaid`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e.ctx = cmd.Context()
			return e.run(args[0])
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&e.har, "har", false, "write an HTTP archive (HAR 1.2)")
	fs.BoolVar(&e.curl, "curl", false, "write a script that sends the requests with curl")
	fs.BoolVar(&e.postman, "postman", false, "write a collection of Postman (format 2.1)")
	fs.BoolVar(&e.mermaid, "mermaid", false, "write a sequence diagram of Mermaid")
	fs.IntSliceVar(&e.flows, "flow", nil, "only flow `N`, as paytape flows numbers them; repeatable")
	fs.StringVarP(&e.out, "output", "o", "", "`FILE` to write; without it, standard output")
	dirFlag(fs, &e.dir)
	e.knowledge.flags(fs)
	e.piiFlag(fs)
	return cmd
}

func (e *exporter) run(name string) error {
	ways := 0
	for _, asked := range []bool{e.har, e.curl, e.postman, e.mermaid} {
		if asked {
			ways++
		}
	}
	if ways != 1 {
		return misused(errors.New("expected one of --har, --curl, --postman and --mermaid"))
	}
	if err := e.check(); err != nil {
		return err
	}
	tape, err := e.load(e.find(name))
	if err != nil {
		return err
	}
	lines, err := interruptible(e.ctx, func() ([]*entry, error) { return e.lines(tape) })
	if err != nil {
		return err
	}
	text, err := e.text(tape.Name, lines)
	if err != nil {
		return fmt.Errorf("exporting cassette %q: %w", tape.Name, err)
	}
	if e.out == "" || e.out == "-" {
		_, err := e.app.out.Write(text)
		return err
	}
	if err := noCassette("--output", e.out); err != nil {
		return err
	}
	if info, err := os.Stat(e.out); err == nil && !info.Mode().IsRegular() {
		return misused(errors.New("--output: expected the name of a file"))
	}
	if err := cassettes.WriteFile(e.out, text); err != nil {
		return err
	}
	e.voice.say("wrote %s of cassette %q to %s", count.Of(len(lines), "exchange"), tape.Name, e.out)
	return nil
}

// lines returns the exchanges that were asked for, cleaned again, with their flows and outcomes.
func (e *exporter) lines(tape *cassettes.Tape) ([]*entry, error) {
	xs := make([]*leaf.Exchange, len(tape.Exchanges))
	for i, c := range tape.Exchanges {
		xs[i] = c.Exchange()
	}
	if told := tape.HeadProfiles(); len(told) > 0 && len(xs) > 0 { // an archive has no head
		first := *xs[0]
		first.Meta.Profiles = slices.Concat(told, first.Meta.Profiles)
		xs[0] = &first
	}
	tape.Exchanges = e.redactor().RecleanAll(xs)
	parts := flowsOf(e.profiles(), tape)
	wanted := map[int]bool{}
	for _, n := range e.flows {
		of := parts.Exchanges(n)
		if of == nil {
			return nil, noFlow(tape.Name, n, parts.Count())
		}
		for _, number := range of {
			wanted[number] = true
		}
	}
	all := flowLines(e.profiles(), cassetteOf(tape), tape.Exchanges)
	if len(e.flows) == 0 {
		return all, nil
	}
	return only(all, func(l *entry) bool { return wanted[l.Number] }), nil
}

// text writes exchanges in the way that was asked for.
func (e *exporter) text(name string, lines []*entry) ([]byte, error) {
	if e.har {
		xs := make([]*leaf.Exchange, len(lines))
		for i, l := range lines {
			xs[i] = l.clean.Exchange()
		}
		return har.Write(har.Creator{Name: har.OwnCreator, Version: version()}, xs...)
	}
	tape := export.Tape{Name: name, Profiles: e.profiles(), Flows: inFlows(lines)}
	switch {
	case e.curl:
		return []byte(export.Script(tape)), nil
	case e.postman:
		return export.Postman(tape)
	}
	return []byte(export.Sequence(tape)), nil
}

// inFlows puts exchanges into their flows. A flow stands where its first exchange does, and what is of
// no flow stands where it was recorded, by itself.
func inFlows(lines []*entry) []export.Flow {
	var flows []export.Flow
	at := map[int]int{} // by number of the flow
	for _, l := range lines {
		call := export.Call{Exchange: l.clean, Name: calledOf(l.clean.Exchange()), Outcome: l.outcome()}
		i, known := at[l.Flow]
		last := len(flows) - 1
		switch {
		case l.Flow > 0 && known:
		case l.Flow == 0 && last >= 0 && flows[last].Title == "":
			i = last
		default:
			i = len(flows)
			title := ""
			if l.Flow > 0 {
				at[l.Flow] = i
				title = flowTitle(only(lines, func(o *entry) bool { return o.Flow == l.Flow }))
			}
			flows = append(flows, export.Flow{Title: title})
		}
		flows[i].Calls = append(flows[i].Calls, call)
	}
	return flows
}

// outcome returns the words for what the exchange came to.
func (l *entry) outcome() string {
	if l.Callback != nil {
		return l.found.Event
	}
	return l.found.Words
}
