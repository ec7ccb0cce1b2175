package main

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyCommand returns a command and all below it.
func everyCommand(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, below := range cmd.Commands() {
		all = append(all, everyCommand(below)...)
	}
	return all
}

// chosen are the names that help gives to a value which is one of a few words.
var chosen = []string{"WORD", "WHEN", "LEVEL", "FORMAT"}

// TestWordsOfFlags wants a row for every flag that takes one of a few words, and the words of each
// row to stand in the help of a flag: a row of a flag that has gone is a mistake.
func TestWordsOfFlags(t *testing.T) {
	t.Parallel()
	seen := map[string]map[string]bool{}
	for _, cmd := range everyCommand(testRoot()) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			kind, usage := pflag.UnquoteUsage(f)
			if slices.Contains(chosen, kind) && len(flagWords[f.Name]) < 2 {
				t.Errorf("%s --%s takes a %s, and flagWords does not tell which",
					cmd.CommandPath(), f.Name, kind)
			}
			if seen[f.Name] == nil {
				seen[f.Name] = map[string]bool{}
			}
			for _, word := range strings.FieldsFunc(usage, func(r rune) bool { return !unicode.IsLetter(r) }) {
				seen[f.Name][word] = true
			}
		})
	}
	for name, words := range flagWords {
		for _, word := range words {
			if !seen[name][word] {
				t.Errorf("no help of --%s names its word %q", name, word)
			}
		}
	}
}

// free are names of arguments that nobody but the user knows.
var free = []string{"ARG", "FILTER", "FLAG", "ID", "NUMBER", "ORDER", "ARGUMENT"}

// TestNamesOfArguments wants every name in a usage line to be known: a command that is new says
// what its arguments are.
func TestNamesOfArguments(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, cmd := range everyCommand(testRoot()) {
		for i := range placeholders(cmd) {
			for _, name := range placeholder(cmd, i) {
				used[name] = true
				if argumentKinds[name] == nil && !slices.Contains(free, name) {
					t.Errorf("usage line %q: what is %s?", cmd.UseLine(), name)
				}
			}
		}
	}
	for name := range argumentKinds {
		if !used[name] {
			t.Errorf("no usage line names an argument %s", name)
		}
	}
}

func TestPlaceholder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, use string
		n         int
		want      []string
	}{
		{"the first", "import FILE NAME", 0, []string{"FILE"}},
		{"the second", "import FILE NAME", 1, []string{"NAME"}},
		{"behind the last", "import FILE NAME", 2, nil},
		{"none", "list", 0, nil},
		{"a repeated one", "replay NAME...", 4, []string{"NAME"}},
		{"one that may be left out", "show NAME [NUMBER]", 1, []string{"NUMBER"}},
		{"one of two kinds", "man [COMMAND | TOPIC]", 0, []string{"COMMAND", "TOPIC"}},
		{"behind a flag and its value", "record --to URL NAME", 0, []string{"NAME"}},
		{"behind a short flag", "merge A B -t URL", 2, nil},
		{"behind a switch", "config [--json] [COMMAND [FLAG...]]", 0, []string{"COMMAND"}},
		{"of another command", "run NAME -- COMMAND [ARG...]", 1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cmd := &cobra.Command{Use: test.use}
			cmd.Flags().StringP("to", "t", "", "")
			cmd.Flags().Bool("json", false, "")
			if diff := cmp.Diff(test.want, placeholder(cmd, test.n)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
