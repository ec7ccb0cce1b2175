package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
)

const sealLong = `seal puts the seal on a cassette again after an editor, a merge or a script has changed
its file. The file is read; where it is no cassette, or something would be lost, such as
a key that is unknown, line and reason are told and the file stays as it is. All of it
is cleaned, so that no secret survives that was typed by hand; it is searched as check
does; it is laid out as a recording lays it out, without comments, with forms as the
bodies say, and replaced by one rename. What was taken out is told. A file that is
sealed stays as it is. A FILE ends in .yaml; any other word is the NAME of a cassette of
the folder.

With --stable the text of the cassette comes to depend on what was said and not on when,
as with record --stable; a file that is sealed is made so too.

With --check nothing is written: the exit code is 1 if a seal does not hold, and why and
each line that a seal would lose is told.`

// sealer is the command "seal" with its flags.
type sealer struct {
	tapeEditor
	onlyLooks bool
	stable    bool
}

func sealCommand(a *app) *cobra.Command {
	s := &sealer{tapeEditor: tapeEditor{app: a}}
	cmd := &cobra.Command{
		Use:   "seal FILE|NAME...",
		Short: "clean, check and seal a cassette that was edited",
		Long:  sealLong,
		Example: `  paytape seal checkout
  paytape seal cassettes/*.yaml
  paytape seal --check cassettes/*.yaml
  paytape seal --stable checkout`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.ctx = cmd.Context()
			return s.run(args)
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&s.onlyLooks, "check", false, "write nothing, and exit with 1 if a seal does not hold")
	stableFlag(fs, &s.stable)
	dirFlag(fs, &s.dir)
	s.knowledge.flags(fs)
	s.piiFlag(fs)
	return cmd
}

func (s *sealer) run(args []string) error {
	if s.onlyLooks && s.stable {
		return misused(errors.New("--check and --stable exclude each other"))
	}
	if err := s.check(); err != nil {
		return err
	}
	var failed error // one file that cannot be sealed keeps no other from it
	open := 0
	for _, arg := range args {
		held, err := s.look(s.find(arg))
		failed = errors.Join(failed, err)
		if err == nil && !held {
			open++
		}
	}
	if s.onlyLooks && open > 0 {
		failed = errors.Join(failed, withHint(fmt.Errorf("the seal of %s does not hold",
			count.Of(open, "cassette")), "paytape seal %s", shellWord(args[0])))
	}
	return failed
}

// look reports whether the seal of a cassette holds. If it does not, and something is to be written,
// the cassette is sealed.
func (s *sealer) look(f tapeFile) (bool, error) {
	library, err := cassettes.OpenExisting(f.dir)
	if err != nil {
		return false, hintFolder(err)
	}
	defer library.Close()
	reader, err := library.Read(f.name, s.redactor())
	if err != nil {
		return false, err
	}
	holds, why := reader.Sealed() && reader.Left() == 0, reader.Warnings
	if err := reader.Close(); err != nil {
		return false, err
	}
	switch {
	case s.onlyLooks && !holds:
		why, more := reasons(why, f.name)
		s.print("%s is not sealed: %s\n", f.given, why)
		for _, w := range more {
			s.print("%s: %s\n", f.given, w)
		}
		return false, nil
	case !holds:
		err = s.seal(f)
	case !s.stable:
		s.print("%s is sealed\n", f.given)
	}
	if err == nil && s.stable {
		err = s.stabilise(library, f)
	}
	return holds, err
}

// stabilise makes a sealed cassette stable.
func (e *tapeEditor) stabilise(library *cassettes.Library, f tapeFile) error {
	done, err := library.Stabilise(f.name, e.redactor(), e.known.Stabilise)
	if err != nil {
		return err
	}
	e.warnOfUnstable(done)
	e.print("made %s stable: %s\n", done.File, count.Of(done.Exchanges, "exchange"))
	return nil
}

// reasons returns why a file is not sealed, and what else is told of reading it.
func reasons(warnings []string, name string) (why string, more []string) {
	if len(warnings) == 0 {
		return "there is no seal", nil
	}
	var told []string
	for _, w := range warnings {
		told = append(told, strings.TrimPrefix(w, fmt.Sprintf("cassette %q: ", name)))
	}
	why, _, _ = strings.Cut(told[0], "; ")
	return why, told[1:]
}

// mostLines bounds the lines of a file that are listed.
const mostLines = 20

// listOf lists lines of a file.
func listOf(lines []int) string {
	var told []string
	for _, n := range lines[:min(len(lines), mostLines)] {
		told = append(told, strconv.Itoa(n))
	}
	if len(lines) > len(told) {
		told = append(told, "...")
	}
	return strings.Join(told, ", ")
}

// seal seals a cassette, and tells what was taken out.
func (s *sealer) seal(f tapeFile) error {
	var tape *cassettes.Tape
	file, err := s.edit(f, func(t *cassettes.Tape) ([]redact.Clean, error) {
		tape = t
		return t.Exchanges, t.Refusal()
	})
	if err != nil {
		return err
	}
	for _, w := range tape.Warnings {
		s.voice.warn(w)
	}
	if lines := tape.StrayForms(); len(lines) > 0 {
		s.print("%s: made %s anew from the body, which counts: line %s\n", f.given,
			count.Of(len(lines), "form"), listOf(lines))
	}
	if lines := tape.Comments; len(lines) > 0 {
		s.print("%s: left out %s, which no cassette keeps: line %s\n", f.given,
			count.Of(len(lines), "comment"), listOf(lines))
	}
	places := 0
	for _, taken := range tape.Taken {
		for _, line := range taken.Lines {
			s.print("%s: exchange %d: took out %s\n", f.given, taken.Exchange, printable(line))
			places++
		}
	}
	s.print("sealed %s: %s", file, count.Of(len(tape.Exchanges), "exchange"))
	if places > 0 {
		s.print(", %s cleaned", count.Of(places, "place"))
	}
	s.print("\n")
	return nil
}
