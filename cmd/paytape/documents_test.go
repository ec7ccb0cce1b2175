package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/redact/audit"
)

// setUp is the README's first block, which .ci/run runs as it stands: here it would run the
// tests inside the tests.
const setUp = "go run ./cmd/paytape demo\ngo test ./...\n"

// blocks finds the blocks of shell in a text.
var blocks = regexp.MustCompile("(?s)```sh\n(.*?)```")

// named finds the blocks of other languages whose first line is a comment with the name of a file.
var named = regexp.MustCompile("(?s)```(?:js|python)\n(?://|#) ([\\w.]+)\n.*?```")

// filesOf returns commands that write the named blocks of a text as files.
func filesOf(text string) string {
	var script strings.Builder
	for _, found := range named.FindAllStringSubmatch(text, -1) {
		_, code, _ := strings.Cut(strings.TrimSuffix(found[0], "```"), "\n")
		fmt.Fprintf(&script, "cat >%s <<'END OF FILE'\n%sEND OF FILE\n", found[1], code)
	}
	return script.String()
}

// TestReadme runs every other block of shell in the README, in order, in one shell and an
// empty folder, and looks for what the text promises of them.
func TestReadme(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	text := readText(t, filepath.Join("..", "..", "README.md"))
	found := blocks.FindAllStringSubmatch(text, -1)
	if len(found) < 2 || found[0][1] != setUp {
		t.Fatalf("the first block must be the two set-up commands:\n%s", setUp)
	}
	script := ""
	for _, b := range found[1:] {
		script += b[1]
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	script = strings.Replace(script, "go build -o paytape", "go -C "+root+" build -o $PWD/paytape", 1)
	wantAll(t, shell(t, script, ""), `"orderId"`, "recorded 1 exchange to cassettes/checkout.yaml",
		"replayed 1 request from tape, 0 misses", "found 0", "sha256", `"orderStatus":6`,
		"declined: 3 exchanges, 1 flow", "flowchart TD", "found no mistakes in 1 rule and 0 rows",
		"#1 register.do, attempt 1", "1      2        register-flaky",
		"sent 9900, on tape 12500", "send amount=12500", "order A-1", "125.00 EUR")
}

// TestPages runs the blocks of shell in every page of the reference as TestReadme does. A page
// finds paytape in PATH, the cassette checkout of the README, and the files that it names.
func TestPages(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	promised := map[string][]string{
		"admin": {`paytape_misses_total{mode="replay",reason="field"} 0`, `"does": "answer 503"`},
		"callbacks": {"told: deposited", "shop said 200", "called back 1: sent 1, accepted 1",
			"accepted  1         200"},
		"configuration": {"environment", "paytape.yaml:2"},
		"doors":         {"pay.example", "sha256", "replayed 1 request from tape, 0 misses"},
		"drift": {"no difference in 1 exchange", "password  token  REDACTED-token-1  register.do/password", "ended with 2",
			"&password=<secret password>", "played 1 exchange: 1 same, 0 drifted; 0 not played"},
		"exit-codes": {"clean\n", "the command ended with 7", "wrong usage is 2"},
		"node": {"pass 2\n", "recorded 2 exchanges to cassettes/suite.yaml", "not on tape:",
			"amount differs (sent 9900, on tape 12500)",
			"the tests failed, as they should", "replayed 2 requests from tape, 0 misses"},
		"python": {"Ran 2 tests", "recorded 2 exchanges to cassettes/suite.yaml",
			"AssertionError: not on tape:", "amount differs (sent 9900, on tape 12500)",
			"the tests failed, as they should", "replayed 2 requests from tape, 0 misses"},
		"install": {"wrote ", "/man1/paytape-replay.1", "/man7/paytape-rules.7", "paytape "},
		"performance": {"process_cpu_seconds_total ", "process_resident_memory_bytes ",
			"go_goroutines "},
		"profiles": {"gateway", "born in the answer of #1, asked in #2", "found nothing wrong"},
		"inspect": {`"misses":1`, `"sign":"miss"`, "no call of refund.do", `"mermaid":"flowchart TD`,
			`"message":"sent again as #2"`},
		"ready-file": {`"sandbox":"http://127.0.0.1:`, `"control":"http://127.0.0.1:`, `"pid":`,
			"the sandbox is at http://127.0.0.1:", "nothing is ready"},
		"recording": {"register.do", "registered 125.00 EUR", "orderNumber=A-1", "sealed",
			`--data-urlencode 'password='"$PASSWORD"`, "recorded 1 exchange to cassettes/both.yaml", "imported 1 exchange",
			"recorded again, and no line is another"},
		"redaction": {"KIND", "found 0"},
		"replaying": {`"amount"`, "missed 1: field", "checkout: 1 exchange, 1 flow", "flowchart TD",
			"replayed 1 request from tape, 0 misses"},
		"rules": {"found no mistakes in 1 rule and 0 rows", "#1 register.do, attempt 1",
			"Paytape-Rules: register-flaky(1/1)", `"orderId"`},
		"store": {"pushed checkout: 1 exchange", "recorded: 20", "pulled checkout: 1 exchange",
			"replayed 1 request from tape, 0 misses", "1 cassette here already", "1 cassette in the store already"},
		"scale": {"Paytape-Served: checkout#1; state=nothing done yet; session=one",
			"Paytape-Miss: state", "names a thing that is there already",
			`operation="register.do",outcome="recorded",profile="gateway"} 2`,
			"recorded 1 exchange to cassettes/together.yaml, which holds 3"},
		"team": {"merged checkout and refund into cassettes/shop.yaml: 2 exchanges", "shop is sealed",
			"sealed cassettes/shop.yaml: 2 exchanges", "flow 2: order 2", "took 1 exchange off shop, 1 stay",
			"recorded flow 1 of cassettes/checkout.yaml anew: 1 exchange in the place of 1",
			"wrote 1 exchange of cassette \"checkout\" to checkout.sh", "client->>s1: 1 register.do"},
		"test-cards": {"declined: insufficient funds"},
	}
	bin := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("building paytape: %v:\n%s", err, out)
	}
	all, err := topics()
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range all {
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			script := "export PATH=" + bin + ":$PATH\n" + `paytape run --upstream sandbox checkout -- \
				sh -c 'curl -sS "$PAYTAPE_URL/payment/rest/register.do" -d userName=sandbox-api \
				-d password=sandbox-password -d orderNumber=A-1 -d amount=12500 -d currency=978 \
				-d returnUrl=https://shop.example/' 2>/dev/null` + "\n"
			script += filesOf(page.text)
			for _, b := range blocks.FindAllStringSubmatch(page.text, -1) {
				script += b[1]
			}
			for _, program := range []string{"python3", "node", "nats-server", "openssl"} {
				if strings.Contains(script, program+" ") {
					needProgram(t, program)
				}
			}
			if len(promised[page.name]) == 0 {
				t.Error("the test does not say what the page's commands print")
			}
			wantAll(t, shell(t, script, freeAddress(t)), promised[page.name]...)
		})
	}
}

func needPrograms(t *testing.T) {
	t.Helper()
	for _, program := range []string{"bash", "curl", "go"} {
		needProgram(t, program)
	}
}

func needProgram(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("the commands need %s, which is not installed", program)
	}
}

func wantAll(t *testing.T, out string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(out, want) {
			t.Errorf("the commands did not print %s:\n%s", want, out)
		}
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPagesAreListed wants every page in the list of the README, no page with the name of a command
// whose help leads elsewhere, lines that fit a terminal, and a title.
func TestPagesAreListed(t *testing.T) {
	t.Parallel()
	all, err := topics()
	if err != nil {
		t.Fatal(err)
	}
	readme := readText(t, filepath.Join("..", "..", "README.md"))
	for command, name := range topicOf {
		isPage := func(page topic) bool { return page.name == name }
		if cmd, _, err := testRoot().Find([]string{command}); err != nil || !cmd.HasParent() ||
			!slices.ContainsFunc(all, isPage) {
			t.Errorf("the help of %q leads to %q: command or topic is not there", command, name)
		}
	}
	for _, page := range all {
		row := fmt.Sprintf("\n| [`%s`](cmd/paytape/help/%s.md) | ", page.name, page.name)
		if strings.Count(readme, row) != 1 {
			t.Errorf("the README's table of topics must have a row for %s", page.name)
		}
		cmd, _, err := testRoot().Find([]string{page.name})
		if err == nil && cmd.HasParent() && topicOf[cmd.Name()] != page.name {
			t.Errorf("topic %s has the name of command %s", page.name, cmd.CommandPath())
		}
		if !strings.HasPrefix(page.text, "# ") {
			t.Errorf("topic %s has no title", page.name)
		}
		for line := range strings.Lines(page.text) {
			if len(line) > 130 && !strings.HasPrefix(line, "|") {
				t.Errorf("topic %s: a line is too long to read: %q", page.name, line)
			}
		}
	}
}

// TestReadyFileIsDescribed wants a row of the page for every key of the ready file.
func TestReadyFileIsDescribed(t *testing.T) {
	t.Parallel()
	page := readText(t, filepath.Join("help", "ready-file.md"))
	for _, key := range readyKeys() {
		if strings.Count(page, "\n| `"+key+"` | ") != 1 {
			t.Errorf("the page has no row for %s", key)
		}
	}
}

// TestPageListsTheTestCards wants the table of the page to be that of the code. The first
// six digits have a column of their own, so that a search for card numbers passes it by.
func TestPageListsTheTestCards(t *testing.T) {
	t.Parallel()
	text := readText(t, filepath.Join("help", "test-cards.md"))
	var table strings.Builder
	for _, c := range sandbox.TestCards() {
		fmt.Fprintf(&table, "| %s | %s | %s |\n", c.Number[:6], c.Number[6:], c.Outcome)
	}
	if !strings.Contains(text, "|---|---|---|\n"+table.String()) {
		t.Errorf("the page must list the test cards so:\n%s", table.String())
	}
	for _, found := range audit.Find(text + readText(t, filepath.Join("..", "..", "README.md"))) {
		if found.Kind == "card number" { // passwords of the sandbox are there for all to read
			t.Errorf("page or README hold a card number at byte %d", found.Offset)
		}
	}
}

// TestPageListsTheMarks wants a row for every mark that an answer may have.
func TestPageListsTheMarks(t *testing.T) {
	t.Parallel()
	text := readText(t, filepath.Join("help", "replaying.md"))
	for _, mark := range match.Marks() {
		if strings.Count(text, "\n| `"+mark+"` | ") != 1 {
			t.Errorf("the table of marks must have a row for %s", mark)
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

// shell runs a script in an empty folder and returns what it printed. An address stands in for
// the one that the texts name, unless it is empty.
func shell(t *testing.T, script, address string) string {
	t.Helper()
	if address != "" {
		script = strings.ReplaceAll(script, "127.0.0.1:8080", address)
	}
	script = "set -euo pipefail\n" + script
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
