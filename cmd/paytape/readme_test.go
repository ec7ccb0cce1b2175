package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/redact/audit"
)

// setUp is the README's first block, which .ci/run runs as it stands: here it would run the
// tests inside the tests.
const setUp = "go run ./cmd/paytape demo\ngo test ./...\n"

// TestReadme runs every other block of shell in the README, in order, in one shell and an
// empty folder, and looks for what the text promises of them.
func TestReadme(t *testing.T) {
	for _, program := range []string{"bash", "curl", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the README's commands need %s, which is not installed", program)
		}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) < 2 || string(blocks[0][1]) != setUp {
		t.Fatalf("the first block must be the two set-up commands:\n%s", setUp)
	}
	script := "set -euo pipefail\n"
	for _, b := range blocks[1:] {
		script += string(b[1])
	}
	script = strings.NewReplacer(
		"go build ", "go -C "+root+" build ", "-o paytape", "-o $PWD/paytape",
		"127.0.0.1:8080", freeAddress(t)).Replace(script)
	out := shell(t, script)
	for _, want := range []string{`"orderId"`, "first: 1 exchange, 1 flow", "flowchart TD", "register.do", "found 0", `"amount"`, "profile: gateway",
		"replayed 1 request from tape, 0 misses", "sha256",
		`paytape_misses_total{mode="replay",reason="field"} 0`} {
		if !strings.Contains(out, want) {
			t.Errorf("the README's commands did not print %s:\n%s", want, out)
		}
	}
}

// TestReadmeListsTheTestCards wants the table of the README to be that of the code. The first
// six digits have a column of their own, so that a search for card numbers passes it by.
func TestReadmeListsTheTestCards(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, c := range sandbox.TestCards() {
		fmt.Fprintf(&table, "| %s | %s | %s |\n", c.Number[:6], c.Number[6:], c.Outcome)
	}
	if !strings.Contains(string(text), "|---|---|---|\n"+table.String()+"\n") {
		t.Errorf("the README must list the test cards so:\n%s", table.String())
	}
	for _, found := range audit.Find(string(text)) {
		if found.Kind == "card number" { // passwords of the sandbox are there for all to read
			t.Errorf("the README holds a card number at byte %d", found.Offset)
		}
	}
}

// TestReadmeListsTheMarks wants a row for every mark that an answer may have.
func TestReadmeListsTheMarks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range match.Marks() {
		if strings.Count(string(text), "\n| `"+mark+"` | ") != 1 {
			t.Errorf("the README's table of marks must have a row for %s", mark)
		}
	}
}

// TestHelpListsTheTestCards wants whole numbers in the help, for people to copy.
func TestHelpListsTheTestCards(t *testing.T) {
	t.Parallel()
	_, help, _ := inProcess(t, "sandbox", "--help")
	for _, card := range sandbox.TestCards() {
		if !strings.Contains(help, "\n  "+card.Number+"  "+card.Outcome+"\n") {
			t.Errorf("the help does not list the card ending in %s", card.Number[12:])
		}
	}
	if found := audit.Find(apart(help)); len(found) > 0 {
		t.Errorf("the golden file of the help holds a %s", found[0].Kind)
	}
}

// shell runs a script in an empty folder and returns what it printed.
func shell(t *testing.T, script string) string {
	t.Helper()
	var out bytes.Buffer
	// Job control (-m) gives %1 its meaning outside a terminal.
	cmd := exec.CommandContext(t.Context(), "bash", "-m", "-c", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &out
	cmd.Env = append(os.Environ(), "PAYTAPE_CA_DIR="+filepath.Join(cmd.Dir, "ca"), "CI=")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v:\n%s", err, out.String())
	}
	return out.String()
}

// freeAddress returns a loopback address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
