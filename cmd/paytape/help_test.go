package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// inProcess runs a command line without a process and returns what it wrote.
func inProcess(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, diagnostics bytes.Buffer
	code = run(t.Context(), Env{
		Args: args, Lookup: func(string) (string, bool) { return "", false },
		Stdout: &out, Stderr: &diagnostics,
	})
	return code, out.String(), diagnostics.String()
}

// commands returns the paths of a command and of all below it.
func commands(cmd *cobra.Command) [][]string {
	all := [][]string{strings.Fields(cmd.CommandPath())[1:]}
	for _, c := range cmd.Commands() {
		all = append(all, commands(c)...)
	}
	return all
}

func testRoot() *cobra.Command {
	return newRoot(&app{}, func(string) (string, bool) { return "", false })
}

// TestHelp compares the help of every command with a golden file.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, path := range commands(testRoot()) {
		name := strings.Join(append([]string{"paytape"}, path...), "-")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, got, stderr := inProcess(t, append(path, "--help")...)
			if code != exitDone || stderr != "" {
				t.Fatalf("exit code %d, stderr %q", code, stderr)
			}
			golden(t, filepath.Join("testdata", "help", name+".txt"), apart(got))
			for line := range strings.Lines(got) {
				if len(line) > 110 {
					t.Errorf("a line is too long to read: %q", line)
				}
			}
		})
	}
}

// cardNumber is a test card as help shows it.
var cardNumber = regexp.MustCompile(`\b(\d{6})(\d{10})\b`)

// apart writes card numbers in two parts, so that a search for them passes golden files by.
func apart(help string) string { return cardNumber.ReplaceAllString(help, "$1|$2") }

// golden compares text with a file, or writes the file under -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("differs from %s (-want +got), see -update:\n%s", file, diff)
	}
}

// TestEveryCommandIsDescribed wants of each a line, a text in full where it has flags, and
// examples that are commands which exist, with flags that exist.
func TestEveryCommandIsDescribed(t *testing.T) {
	t.Parallel()
	for _, path := range commands(testRoot()) {
		root := testRoot()
		cmd, _, err := root.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		if cmd.Short == "" || cmd.HasLocalFlags() && cmd.Long == "" {
			t.Errorf("%s is not described", cmd.CommandPath())
		}
		if cmd.Example == "" && cmd.Name() != "help" {
			t.Errorf("%s has no examples", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			checkExample(t, line)
		}
	}
}

// checkExample parses an example as far as a shell would hand it to paytape.
func checkExample(t *testing.T, line string) {
	t.Helper()
	words := strings.Fields(line)
	if words[0] != "paytape" {
		return // another program's part of what is shown
	}
	for i, word := range words {
		if strings.HasPrefix(word, "#") || strings.HasPrefix(word, ">") || word == "|" {
			words = words[:i]
			break
		}
	}
	cmd, rest, err := testRoot().Find(words[1:])
	if err != nil || cmd.ParseFlags(rest) != nil {
		t.Errorf("example %q is no command line: %v", line, err)
		return
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		t.Errorf("example %q: %v", line, err)
	}
}
