package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/paytape/paytape/cassettes/har"
	"github.com/paytape/paytape/internal/curl"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
)

const showLong = `show prints what is on the cassette NAME: a line for every exchange with what it came
to, by flow, or the whole exchange NUMBER. An outcome that is bad has an x before it,
and one that waits for somebody else a dot. Tapes hold no secrets, so neither does this.

--order, --failed and --op choose exchanges. A NAME is a number, an id, the beginning of
an id, or the mask of a card. What is chosen is printed whole with --pretty, as commands
with --curl, and as an HTTP archive with --har. With --pretty there are dates beside
epochs, amounts and words beside codes, and 3-D Secure messages are opened. A command
has variables of the shell in place of secrets and card numbers, such as $PASSWORD.`

// tapePrinter is the command "show" with its flags.
type tapePrinter struct {
	*app
	knowledge
	dir    string
	asJSON bool

	order  string // number or id of an order; empty: any
	failed bool
	op     string // glob; empty: any

	pretty, curl, har bool
}

func showCommand(a *app) *cobra.Command {
	s := &tapePrinter{app: a}
	cmd := &cobra.Command{
		Use:   "show NAME [NUMBER]",
		Short: "show what is on a cassette",
		Long:  showLong,
		Example: `  paytape show checkout
  paytape show checkout 3
  paytape show --order B-1045 --pretty checkout
  paytape show --failed --op '*Status*' checkout
  paytape show --curl checkout 3
  paytape show --json checkout | jq '.[].outcome.words'`,
		Args: arguments(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return interruptibly(cmd.Context(), func() error { return s.run(args) })
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&s.order, "order", "", "only flows with a `NAME` of an order, card or customer")
	fs.BoolVar(&s.failed, "failed", false, "only exchanges that failed or were declined")
	fs.StringVar(&s.op, "op", "", "only operations whose name or short name agrees with a `GLOB`")
	fs.BoolVar(&s.pretty, "pretty", false, "print exchanges whole, with bodies laid out")
	fs.BoolVar(&s.curl, "curl", false, "print commands of curl that send the requests again")
	fs.BoolVar(&s.har, "har", false, "print an HTTP archive (HAR 1.2)")
	fs.BoolVar(&s.asJSON, "json", false, "print JSON")
	dirFlag(fs, &s.dir)
	s.knowledge.flags(fs)
	s.piiFlag(fs)
	return cmd
}

func (s *tapePrinter) run(args []string) error {
	number := 0
	if len(args) == 2 {
		var err error
		if number, err = strconv.Atoi(args[1]); err != nil || number < 1 {
			return misused(fmt.Errorf("expected the NUMBER of an exchange, found %q", args[1]))
		}
	}
	ways := 0
	for _, asked := range []bool{s.pretty, s.curl, s.har, s.asJSON} {
		if asked {
			ways++
		}
	}
	if ways > 1 {
		return misused(errors.New("--pretty, --curl, --har and --json exclude each other"))
	}
	if _, err := path.Match(s.op, ""); err != nil {
		return misused(fmt.Errorf("--op: expected a pattern such as '*Status*', found %q", s.op))
	}
	if err := s.check(); err != nil {
		return err
	}
	tape, err := s.loadTape(s.dir, args[0], s.voice.warn)
	if err != nil {
		return err
	}
	shown := flowLines(s.profiles(), cassetteOf(tape), tape.Exchanges)
	if number > 0 {
		shown = only(shown, func(l *entry) bool { return l.Number == number })
		if len(shown) == 0 {
			return withHint(fmt.Errorf("cassette %q has no exchange %d", args[0], number),
				"paytape show %s", args[0])
		}
	}
	return s.show(s.chosen(shown), number)
}

// chosen returns the exchanges that the flags choose.
func (s *tapePrinter) chosen(all []*entry) []*entry {
	ordered := map[int]bool{}
	for _, l := range all {
		if s.order != "" && l.Flow > 0 && l.isNamed(s.order) {
			ordered[l.Flow] = true
		}
	}
	return only(all, func(l *entry) bool {
		return (s.order == "" || ordered[l.Flow] || l.Flow == 0 && l.isNamed(s.order)) &&
			(!s.failed || l.bad()) && (s.op == "" || l.isOperation(s.op))
	})
}

// only returns the lines for which a condition holds.
func only(all []*entry, holds func(*entry) bool) []*entry {
	some := make([]*entry, 0, len(all))
	for _, l := range all {
		if holds(l) {
			some = append(some, l)
		}
	}
	return some
}

// show prints lines in the way that the flags ask for. number is that of the one exchange which was
// asked for, and 0 if none was.
func (s *tapePrinter) show(lines []*entry, number int) error {
	switch {
	case s.asJSON && number > 0 && len(lines) == 1:
		return writeJSON(s.out, lines[0].whole())
	case s.asJSON:
		return writeJSON(s.out, lines)
	case s.har:
		return s.archive(lines)
	case s.curl:
		for i, l := range lines {
			s.separate(i)
			s.print("%s\n", printable(s.command(l).String()))
		}
		return nil
	case s.pretty || number > 0:
		for i, l := range lines {
			s.separate(i)
			s.print("%s", printable(s.text(l).String()))
		}
		return nil
	}
	s.print("%s", printable(listText(lines)))
	return nil
}

// separate prints an empty line before all but the first of several things.
func (s *tapePrinter) separate(i int) {
	if i > 0 {
		s.print("\n")
	}
}

func (s *tapePrinter) command(l *entry) redact.Safe {
	return l.clean.Derive(func(x *leaf.Exchange) string {
		return curl.Command(x, curl.Options{Profiles: s.profiles()})
	})
}

func (s *tapePrinter) archive(lines []*entry) error {
	exchanges := make([]*leaf.Exchange, len(lines))
	for i, l := range lines {
		exchanges[i] = l.clean.Exchange()
	}
	archive, err := har.Write(har.Creator{Name: har.OwnCreator, Version: version()}, exchanges...)
	if err != nil {
		return fmt.Errorf("writing an archive: %w", err)
	}
	s.print("%s", archive)
	return nil
}

// writeJSON writes JSON for programs and for people.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// isNamed reports whether the exchange names a thing so: whole, by the beginning of a long id, or by a
// card's mask.
func (l *entry) isNamed(text string) bool {
	const least = 6 // characters of a beginning
	if mask, ok := outcome.MaskOf(text); ok {
		text = mask
	}
	for _, n := range l.found.Names {
		if n.Text == text || len(text) >= least && strings.HasPrefix(n.Text, text) {
			return true
		}
	}
	return false
}

// isOperation reports whether the name or the short name of the operation agrees with a pattern. Case
// does not count.
func (l *entry) isOperation(glob string) bool {
	for _, name := range []string{l.Operation, l.Short} {
		// A slash is a character like any other here: "GET /cards/{id}".
		agrees, _ := path.Match(flat(glob), flat(name)) // run has looked at the pattern
		if agrees && name != "" {
			return true
		}
	}
	return false
}

func flat(s string) string { return strings.ReplaceAll(strings.ToLower(s), "/", "\x00") }
