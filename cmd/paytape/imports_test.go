package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/paytape/paytape/"

// mayImport says which packages of ours a package knows; imports run one way. Test files may
// import testAids too, and their own package.
var mayImport = map[string][]string{
	"internal/leaf":          nil,
	"internal/leaf/leaftest": nil,
	"internal/codec":         {"internal/slab"}, // knows nothing of what it writes
	"internal/count":         nil,
	"internal/digests":       nil,
	"internal/raced":         nil,
	"internal/similar":       nil,
	"internal/trust":         nil,
	"internal/lines":         nil,
	"internal/wordlist":      nil,
	"internal/pan":           nil,
	"internal/parallel":      nil,
	"internal/prefault":      {"internal/parallel"},
	"internal/slab":          nil,
	"internal/profile":       {"internal/similar"},
	"internal/curl":          {"internal/leaf", "internal/profile", "redact/surrogate"},
	"internal/pretty":        {"internal/leaf", "internal/profile", "internal/outcome"},
	"internal/outcome":       {"internal/leaf", "internal/profile", "internal/pan", "match/dates"},
	// The sandbox is the independent witness of what the profiles say: it knows its parts alone.
	"internal/sandbox": {"internal/sandbox/cardv1", "internal/sandbox/cardv2",
		"internal/sandbox/gateway", "internal/sandbox/mint", "internal/sandbox/wire"},
	"internal/sandbox/cardv1":  {"internal/sandbox/mint", "internal/sandbox/wire"},
	"internal/sandbox/cardv2":  {"internal/sandbox/mint", "internal/sandbox/wire"},
	"internal/sandbox/gateway": {"internal/sandbox/mint", "internal/sandbox/wire"},
	"internal/sandbox/mint":    nil,
	"internal/sandbox/wire":    nil,
	"internal/story":           nil, // an ordinary client that knows nothing of paytape
	"internal/story/tour":      {"internal/story"},
	// APIs that no profile knows, with clients of them, and what decides whether a replay is as good.
	"internal/mock":       {"internal/sandbox/mint"},
	"internal/mock/trial": {"internal/mock", "internal/leaf", "cassettes", "proxy/deck"},
	// Traffic for measuring, from outside: flows, the servers that answer them, and a driver.
	"internal/workload":      {"internal/sandbox"},
	"internal/workload/soak": {"internal/workload"},
	// The rooms of redact: by shape, what stands in a secret's place, by name, by value, by
	// a form of their own, all together, and a look at what was written. Each knows those before it.
	"redact/internal/scan": {"internal/leaf", "internal/pan"},
	"redact/surrogate":     slices.Concat(secrets, []string{"redact/internal/scan"}),
	"redact/internal/words": slices.Concat(secrets, []string{"redact/internal/scan", "redact/surrogate",
		"internal/wordlist"}),
	"redact/internal/taint": slices.Concat(secrets, []string{"redact/internal/scan", "redact/surrogate",
		"redact/internal/words"}),
	"redact/internal/credential": slices.Concat(secrets, []string{"redact/internal/scan",
		"redact/surrogate", "redact/internal/words"}),
	"redact": slices.Concat(secrets, []string{"redact/internal/scan", "redact/surrogate",
		"redact/internal/words", "redact/internal/taint", "redact/internal/credential",
		"internal/count", "internal/parallel"}),
	"redact/audit": slices.Concat(secrets, []string{"redact/internal/scan", "redact/surrogate",
		"redact/internal/words", "redact/internal/credential", "redact"}),
	// Surrogates of a tape under other numbers.
	"redact/renumber": slices.Concat(secrets, []string{"redact/internal/scan", "redact/surrogate",
		"redact"}),
	// What a request is, what is guessed of it, what a tape holds, the machine that it is, and the
	// live side: each knows the packages before it, and none knows the redactor.
	"match/request": slices.Concat(matching, []string{"internal/wordlist"}),
	"match/infer":   slices.Concat(matching, []string{"match/request"}),
	"match/tape":    slices.Concat(matching, []string{"match/request", "match/infer", "internal/codec"}),
	"match/machine": slices.Concat(matching, []string{"match/request", "match/infer", "match/tape"}),
	"match/stable": slices.Concat(matching, []string{
		"match/request", "match/infer", "match/tape", "match/machine"}),
	"match/rules": slices.Concat(matching, []string{"match/request", "internal/similar"}),
	"match": slices.Concat(matching, []string{
		"match/request", "match/infer", "match/tape", "match/machine", "internal/similar",
		"internal/codec"}),
	"internal/export": {"internal/curl", "internal/leaf", "internal/profile", "redact"},
	"internal/flow":   {"match", "internal/leaf"},
	// How well a profile fits a tape: it looks at exchanges, and compiles nothing.
	"match/fit":   slices.Concat(matching, []string{"match/request"}),
	"match/dates": {"internal/profile"},
	"match/fresh": {"internal/leaf", "internal/pan", "internal/profile"},
	"cassettes": {"cassettes/har", "redact", "internal/count", "internal/leaf", "internal/parallel",
		"internal/similar"},
	"cassettes/har":   {"internal/leaf"},
	"cassettes/merge": {"cassettes", "redact", "redact/renumber", "internal/leaf", "internal/profile", "redact/surrogate"},
	// Tapes elsewhere, by hash: what a store keeps, a tape in pieces, which tapes a folder has.
	"cassettes/store/blob":     {"internal/count"},
	"cassettes/store/pieces":   {"cassettes/store/blob"},
	"cassettes/store/lockfile": {"cassettes", "cassettes/store/blob", "internal/similar"},
	"cassettes/store/kinds":    {"cassettes/store/blob", "internal/similar"},
	"cassettes/store": {"cassettes/store/blob", "cassettes/store/pieces", "cassettes/store/lockfile",
		"cassettes/store/kinds", "cassettes", "redact", "internal/check", "internal/count",
		"internal/profile", "internal/similar"},
	"internal/check": {"cassettes", "cassettes/har", "redact", "redact/audit", "internal/leaf"},
	// What was inferred of a tape, as a profile.
	"match/draft": slices.Concat(matching, []string{"match/request", "match/infer", "match/tape"}),
	// What differs between two tapes.
	"match/drift": slices.Concat(matching, []string{
		"match/request", "match/infer", "match/tape", "match/machine", "internal/count",
		"internal/outcome"}),
	// What a proxy stands on: certificates, answers of its own, sockets, and HTTP/1 beneath net/http.
	"proxy/internal/authority": nil,
	"proxy/internal/problem":   nil,
	"proxy/internal/socket":    nil,
	"proxy/internal/http1":     {"proxy/internal/problem", "proxy/internal/socket", "internal/leaf"},
	"proxy/internal/transport": {"proxy/internal/http1", "proxy/internal/socket", "internal/leaf"},
	"proxy": {"proxy/internal/authority", "proxy/internal/transport", "proxy/internal/problem",
		"proxy/internal/socket", "proxy/internal/http1", "cassettes", "redact", "match", "match/rules", "internal/count",
		"internal/leaf", "internal/profile", "internal/pan"},
	"proxy/internal/guard": nil, // before addresses at which a deck is looked after
	"proxy/admin":          {"proxy", "proxy/internal/guard", "proxy/callback", "match", "match/rules", "internal/profile"},
	"proxy/hub":            {"proxy", "match", "redact"},
	// A client that plays a tape against the sandbox.
	"proxy/verify": {"proxy", "redact", "redact/surrogate", "match/dates", "match/drift", "match/fresh",
		"match/request", "match/rules", "match/tape", "internal/leaf", "internal/outcome",
		"internal/profile"},
	// What people see of a deck: the shapes of pages, of lines and of JSON.
	"proxy/inspect/explain": {"proxy", "proxy/inspect/view", "match", "match/rules", "redact",
		"redact/surrogate", "internal/count", "internal/curl", "internal/leaf", "internal/outcome",
		"internal/pretty",
		"internal/pan", "internal/profile"},
	"proxy/inspect/view": {"match/rules", "redact"},
	// The language in which people say what they want to see.
	"proxy/inspect/filter": {"proxy", "proxy/inspect/view", "match", "internal/pan", "internal/similar"},
	"proxy/inspect/line":   {"proxy", "proxy/inspect/view", "match", "match/rules", "internal/count", "internal/leaf"},
	// The page stands alone: it knows the API by its addresses.
	"proxy/inspect/web":  nil,
	"proxy/inspect/live": {"proxy/inspect/view", "proxy/inspect/line"},
	// The machine of a tape, and where its states are drawn.
	"proxy/inspect/drawing": {"proxy/inspect/view", "match", "redact", "internal/leaf", "internal/outcome",
		"internal/profile"},
	// What answers people who look: it asks all of those.
	"proxy/inspect": {"proxy", "proxy/callback", "proxy/hub", "proxy/internal/guard",
		"proxy/inspect/explain", "proxy/inspect/line", "proxy/inspect/traffic", "proxy/inspect/view",
		"proxy/inspect/web", "cassettes/har", "match", "match/rules", "redact"},
	// Rows of what happens, the flows that they belong to, and how two flows differ.
	"proxy/inspect/traffic": {"proxy", "proxy/hub", "proxy/inspect/filter", "proxy/inspect/view",
		"redact", "match", "internal/leaf", "internal/outcome", "internal/profile"},
	// What the sandbox says by itself. The modes do not know it: they offer hooks.
	"proxy/callback": {"proxy", "proxy/internal/authority", "proxy/internal/problem",
		"proxy/internal/transport", "redact", "match", "match/rules", "internal/leaf", "internal/profile"},
	// Connections made of messages.
	"proxy/cluster/natsconn": {"internal/leaf"},
	// Sessions that several decks share: requests, answers and a log of them.
	"proxy/cluster": {"proxy", "proxy/cluster/natsconn", "proxy/internal/http1", "proxy/internal/problem",
		"internal/leaf"},
	// A deck is made of parts, which do not know it.
	"proxy/deck": {"proxy", "proxy/cluster", "proxy/admin", "proxy/callback", "proxy/hub", "proxy/inspect",
		"proxy/internal/problem", "proxy/internal/socket",
		"proxy/inspect/drawing", "proxy/inspect/explain", "proxy/inspect/traffic", "proxy/inspect/view",
		"cassettes", "cassettes/har", "redact", "redact/surrogate", "match", "match/rules",
		"match/stable", "redact/renumber", "internal/codec", "internal/count", "internal/leaf", "internal/outcome", "internal/prefault",
		"internal/pan", "internal/profile", "internal/sandbox", "internal/sandbox/gateway"},
	"proxy/proxytest": {"cassettes/store", "proxy", "proxy/callback", "proxy/deck", "match/rules", "cassettes",
		"internal/count"},
	// The demo tells what a user could do, with the means that a program outside has.
	"internal/demo": {"proxy/deck", "cassettes", "redact", "redact/audit", "internal/count",
		"internal/leaf", "internal/pan", "internal/sandbox", "internal/story"},
	"cmd/paytape": {
		"proxy", "proxy/admin", "proxy/callback", "proxy/cluster", "proxy/deck", "proxy/hub",
		"proxy/inspect/drawing", "proxy/inspect/line", "proxy/inspect/live", "proxy/inspect/traffic",
		"proxy/inspect/view", "proxy/verify",
		"cassettes", "cassettes/har", "cassettes/merge", "cassettes/store", "cassettes/store/kinds",
		"cassettes/store/lockfile",
		"redact",
		"match", "match/draft", "match/drift", "match/fit", "match/rules", "match/stable",
		"internal/check", "internal/count", "internal/curl", "internal/demo", "internal/export",
		"internal/flow", "internal/leaf", "internal/lines", "internal/outcome", "internal/pretty",
		"internal/profile", "internal/sandbox", "internal/similar", "internal/trust",
	},
}

// secrets is what all rooms of redact may know.
var secrets = []string{"internal/leaf", "internal/profile", "internal/pan"}

// matching is what all parts of match may know.
var matching = []string{
	"match/dates", "match/fresh", "internal/digests", "internal/parallel", "internal/slab", "internal/leaf",
	"internal/profile", "internal/pan",
	"redact/surrogate", // what stands on a tape, and not who put it there
}

var testAids = []string{
	"internal/sandbox", "internal/story", "internal/story/tour", "internal/leaf/leaftest",
	"proxy/proxytest", "internal/mock", "internal/mock/trial", "internal/raced",
	"cassettes/store/storetest",
}

// testsMayImport is what the tests of a package know beyond it and testAids.
var testsMayImport = map[string][]string{
	// an authority
	"internal/trust": {"proxy"},
	// tests play the whole of it
	"proxy": {"proxy/deck", "proxy/hub"},
	// a redactor that knows the APIs
	"proxy/hub": {"internal/leaf", "internal/profile"},
	// exchanges that were held
	"proxy/inspect/explain": {"proxy/hub"},
	// rows of its own
	"proxy/inspect/filter":  {"redact"},
	"proxy/inspect/traffic": {"proxy/deck"},
	// drafts are replayed, of the stand-ins too
	"match/draft": {"cassettes", "internal/workload", "match/fit", "proxy/deck"},
	"match/tape":  {"cassettes", "internal/workload", "redact"},
	// a tape that is large enough to be kept, and a search for secrets
	"proxy/deck": {"internal/workload", "redact/audit"},
	// for the words of Play, and to push a tape
	"proxy/proxytest": {"match", "internal/check", "redact"},
	// a redactor for files of other programs needs profiles
	"cassettes": {"internal/profile"},
	// tapes are made, and searched
	"cassettes/store": {"internal/leaf"},
	// nothing is found
	"redact":         {"redact/audit", "cassettes", "internal/check"},
	"internal/check": {"internal/profile", "internal/pan"},
	"cmd/paytape":    {"redact/audit", "redact/surrogate", "internal/pan", "internal/workload"},
	// that cleaned tapes replay, and that rows mend a miss, is for tests to show
	"match": {"redact", "match/rules", "match/stable"},
	// values that a terminal would obey
	"proxy/inspect/line": {"redact", "internal/leaf"},
	"proxy/inspect/live": {"redact", "internal/lines"},
	// the same
	"proxy/inspect": {"internal/profile"},
	// a deck of fixtures answers the page
	"proxy/inspect/web": {"proxy/inspect/view", "proxy/callback", "match/rules", "redact",
		"internal/leaf"},
}

// confined are modules that belong in some folders alone; a folder includes those below it.
var confined = map[string][]string{
	"github.com/spf13/cobra": {"cmd"},
	"github.com/spf13/pflag": {"cmd"},
	// where files are read
	"go.yaml.in/yaml": {"internal/profile", "match/rules", "internal/check", "internal/mock/trial", "cassettes", "cmd"},
	// What is counted is kept to the words of one table.
	"github.com/prometheus": {"proxy/admin"},
	"gopkg.in/yaml.v3":      nil, // go-vcr needs it, we do not
}

// parsers are the only modules of others that some folders take besides the standard library; a
// folder includes those below it.
var parsers = map[string][]string{
	"internal/leaf": {"github.com/tidwall/gjson", "github.com/klauspost/compress",
		"github.com/andybalholm/brotli", "golang.org/x/text/encoding/charmap",
		"golang.org/x/text/encoding/htmlindex",
		"github.com/dnaeon/go-vcr"}, // the form of a recorded exchange
	"internal/pan":     nil,
	"internal/profile": {"go.yaml.in/yaml"},
	"internal/sandbox": {"github.com/tidwall/gjson"},
}

// testParsers are what the tests of those folders take too: comparisons, and a browser for pages.
var testParsers = []string{"github.com/google/go-cmp", "github.com/santhosh-tekuri/jsonschema", "github.com/chromedp"}

const goproxy = "github.com/elazarl/goproxy"

// broken returns the rule that an import breaks, "" if it breaks none.
func broken(file, imported string) string {
	dir := filepath.ToSlash(filepath.Dir(file))
	ours, ok := strings.CutPrefix(imported, module)
	if !ok {
		return brokenByOther(file, imported)
	}
	if under(ours, "cmd") {
		return "nobody imports cmd"
	}
	allowed, known := mayImport[dir]
	if !known {
		return fmt.Sprintf("package %s has no row in the table of who may import whom", dir)
	}
	if strings.HasSuffix(file, "_test.go") {
		allowed = slices.Concat(allowed, testAids, testsMayImport[dir], []string{dir})
	}
	if !slices.Contains(allowed, ours) {
		return fmt.Sprintf("%s may import of ours only %v", dir, allowed)
	}
	return ""
}

// brokenByOther is broken for an import that is not ours.
func brokenByOther(file, imported string) string {
	dir := filepath.ToSlash(filepath.Dir(file))
	for path, folders := range confined {
		in := func(folder string) bool { return under(dir, folder) }
		if under(imported, path) && !slices.ContainsFunc(folders, in) {
			return fmt.Sprintf("only %v may import %s", folders, path)
		}
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return "" // the standard library
	}
	for folder, allowed := range parsers {
		if strings.HasSuffix(file, "_test.go") {
			allowed = slices.Concat(allowed, testParsers)
		}
		of := func(path string) bool { return under(imported, path) }
		if under(dir, folder) && !slices.ContainsFunc(allowed, of) {
			return fmt.Sprintf("%s may import of others only %v", folder, allowed)
		}
	}
	return ""
}

// under reports whether a path is a folder or below it.
func under(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// TestImportsRunOneWay reads all Go files of the module, of every platform, against the rules
// (design, section 2).
func TestImportsRunOneWay(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	packages, forward := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != root && (d.Name()[0] == '.' || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(file) != ".go" {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		packages[filepath.ToSlash(filepath.Dir(name))] = true
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if rule := broken(name, imported); rule != "" {
				t.Errorf("%s imports %s: %s", name, imported, rule)
			}
			if under(imported, goproxy) {
				forward[name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range slices.Concat(slices.Collect(maps.Keys(mayImport)),
		slices.Collect(maps.Keys(parsers))) {
		if !packages[dir] {
			t.Errorf("a table has a row for %s, which has no Go files", dir)
		}
	}
	if len(forward) > 1 {
		t.Errorf("goproxy is imported by %v: it belongs in one file", forward)
	}
}

func TestBrokenRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, imported string
		want                 string // part of the rule; "" for an import that is right
	}{
		{"a package that may", "redact/a.go", module + "internal/leaf", ""},
		{"the standard library", "internal/leaf/a.go", "net/http", ""},
		{"match and redact", "match/a.go", module + "redact", "match may import of ours only"},
		{"the tape and what it is read with", "match/tape/a.go", module + "match/infer", ""},
		{"the tape and the machine", "match/tape/a.go", module + "match/machine",
			"match/tape may import of ours only"},
		{"the machine and the live side", "match/machine/a.go", module + "match",
			"match/machine may import of ours only"},
		{"match and what stands on a tape", "match/tape/a.go", module + "redact/surrogate", ""},
		{"redact and match", "redact/a.go", module + "match", "redact may import of ours only"},
		{"a room of redact and redact", "redact/internal/words/a.go", module + "redact",
			"redact/internal/words may import of ours only"},
		{"by name and by value", "redact/internal/words/a.go", module + "redact/internal/taint",
			"redact/internal/words may import of ours only"},
		{"the redactor and the audit", "redact/a.go", module + "redact/audit",
			"redact may import of ours only"},
		{"leaf knows nothing", "internal/leaf/a.go", module + "internal/pan", "internal/leaf may"},
		{"an archive and a cassette", "cassettes/har/a.go", module + "cassettes",
			"cassettes/har may import of ours only"},
		{"the other way", "cassettes/a.go", module + "proxy", "cassettes may import of ours only"},
		{"a stand-in and its tools", "internal/sandbox/gateway/a.go",
			module + "internal/sandbox/mint", ""},
		{"a tool and a stand-in", "internal/sandbox/wire/a.go", module + "internal/sandbox/gateway",
			"internal/sandbox/wire may import of ours only []"},
		{"one stand-in and another", "internal/sandbox/cardv2/a.go",
			module + "internal/sandbox/cardv1", "internal/sandbox/cardv2 may import of ours only"},
		{"a parser", "internal/sandbox/cardv1/a.go", "github.com/tidwall/gjson", ""},
		{"a module beyond the parsers", "internal/sandbox/mint/a.go", "github.com/google/uuid",
			"internal/sandbox may import of others only [github.com/tidwall/gjson]"},
		{"a subpackage of a parser", "internal/leaf/a.go", "github.com/klauspost/compress/zstd", ""},
		{"a codec that belongs elsewhere", "internal/profile/a.go", "github.com/andybalholm/brotli",
			"internal/profile may import of others only"},
		{"a folder with no parsers", "internal/pan/a.go", "github.com/tidwall/gjson",
			"internal/pan may import of others only []"},
		{"a folder that may choose", "proxy/a.go", "github.com/google/uuid", ""},
		{"a comparison in a test", "internal/pan/a_test.go", "github.com/google/go-cmp/cmp", ""},
		{"a comparison in the product", "internal/pan/a.go", "github.com/google/go-cmp/cmp",
			"internal/pan may import of others only"},
		{"a part of the sandbox", "cmd/paytape/a.go", module + "internal/sandbox/mint",
			"cmd/paytape may import of ours only"},
		{"cmd", "proxy/a.go", module + "cmd/paytape", "nobody imports cmd"},
		{"a part and the proxy", "proxy/internal/http1/a.go", module + "proxy",
			"proxy/internal/http1 may import of ours only"},
		{"a deck and a part of it", "proxy/deck/a.go", module + "proxy/admin", ""},
		{"a part and the deck", "proxy/admin/a.go", module + "proxy/deck",
			"proxy/admin may import of ours only"},
		{"the demo and a deck", "internal/demo/a.go", module + "proxy/deck", ""},
		{"a deck and the demo", "proxy/deck/a.go", module + "internal/demo",
			"proxy/deck may import of ours only"},
		{"a tour in the product", "internal/demo/a.go", module + "internal/story/tour",
			"internal/demo may import of ours only"},
		{"the deck and its command", "proxy/deck/a.go", module + "cmd/paytape", "nobody imports cmd"},
		{"a test's aid", "match/a_test.go", module + "internal/story", ""},
		{"an aid in the product", "proxy/a.go", module + "internal/story", "proxy may import"},
		{"a test of its package", "redact/a_test.go", module + "redact", ""},
		{"a test with a row", "match/a_test.go", module + "redact", ""},
		{"a test that takes more", "match/a_test.go", module + "proxy", "match may import"},
		{"a new package", "tapes/a.go", module + "redact", "tapes has no row"},
		{"flags in cmd", "cmd/paytape/a.go", "github.com/spf13/pflag", ""},
		{"flags elsewhere", "proxy/a.go", "github.com/spf13/pflag", "only [cmd] may import"},
		{"YAML where files are read", "cassettes/a.go", "go.yaml.in/yaml/v3", ""},
		{"YAML elsewhere", "match/a.go", "go.yaml.in/yaml/v3", "may import go.yaml.in/yaml"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := broken(test.file, test.imported)
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("got rule %q, want %q", got, test.want)
			}
		})
	}
}
