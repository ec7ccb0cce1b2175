package proxytest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// program starts a deck, in a module that is not ours.
const program = `package main

import (
	"context"
	"fmt"

	"github.com/paytape/paytape/proxy/deck"
)

func main() {
	d, err := deck.Start(context.Background(), deck.Options{
		Dir: "testdata/paytape", Cassettes: []string{"checkout"},
	})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	fmt.Println("serving", d.Exchanges(), "at", d.URL)
}
`

// profiled uses what a program outside may have to name: profiles of its own, what a deck knows of
// them, and the types of its summary.
const profiled = `package main

import (
	"testing/fstest"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
)

func knowledge() (*deck.Profiles, *redact.Redactor, error) {
	k, err := deck.NewKnowledge(deck.KnowledgeOptions{
		Profiles: []string{"mine.yaml"},
		FS: fstest.MapFS{"mine.yaml": {Data: []byte("profile: mine\npaths: [/mine/]\n")}},
	})
	if err != nil {
		return nil, nil, err
	}
	var profiles *deck.Profiles = k.Profiles()
	return profiles, redact.New(redact.Options{Profiles: profiles}), nil
}

var _, _, _ = knowledge()
var _ = func(s deck.Summary) (proxy.Stats, []redact.Rule) { return s.Stats, s.Rules }
var _ = deck.Options{
	Play:    deck.Play{Seed: 7, Credentials: match.Credentials{{Name: "password", Value: "x"}}},
	Admin:   &deck.Admin{Listen: "127.0.0.1:0"},
	Observe: func(e proxy.Event) { _ = e.Reason == match.BadField },
}
`

// missing are tests that ask for what is not on tape.
const missing = `package shop_test

import (
	"net/url"
	"testing"

	"github.com/paytape/paytape/proxy/proxytest"
)

func ask(t testing.TB, deck *proxytest.Deck, amount string) {
	res, err := deck.Client().PostForm(deck.URL+"/payment/rest/register.do", url.Values{
		"userName": {"sandbox-api"}, "password": {"another-password"}, "orderNumber": {"B-1"},
		"amount": {amount}, "currency": {"978"}, "returnUrl": {"https://shop.example/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}

func TestMissing(t *testing.T) { ask(t, proxytest.Replay(t, "checkout"), "77700") }

func FuzzMissing(f *testing.F) {
	deck := proxytest.Replay(f, "checkout")
	f.Add("99900")
	f.Fuzz(func(t *testing.T, amount string) { ask(t, deck, amount) })
}
`

// A module outside starts a replay deck in ten lines, and its tests record and replay as the
// README says: what is in the README is what is run. Nothing is fetched for that.
func TestModuleOutside(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not installed")
	}
	readme := read(t, filepath.Join("..", "..", "README.md"))
	test := block(t, readme, "go")
	commands := strings.Split(strings.TrimSpace(block(t, readme, "console")), "\n")
	if len(commands) != 2 || !strings.HasPrefix(commands[0], "PAYTAPE=record go test ") ||
		commands[1] != "go test" {
		t.Fatalf("the README's commands are %q", commands)
	}
	m := newModule(t)
	m.write("checkout_test.go", test)
	m.write("cmd/deck/main.go", program)
	m.write("cmd/profiled/main.go", profiled+"\nfunc main() {}\n")

	out, err := m.run("", "test", "-count=1")
	if err == nil || !strings.Contains(out, "to record it: PAYTAPE=record go test -count=1 -run") {
		t.Errorf("without a cassette: %v:\n%s", err, out)
	}
	record, arguments, _ := strings.Cut(commands[0], " go ")
	if out, err := m.run(record, strings.Fields(arguments)...); err != nil {
		t.Fatalf("%s: %v:\n%s", commands[0], err, out)
	}
	if out, err := m.run("", "test", "-count=1"); err != nil {
		t.Fatalf("%s: %v:\n%s", commands[1], err, out)
	}
	tape := read(t, filepath.Join(m.dir, "testdata", "paytape", "checkout.yaml"))
	if strings.Contains(tape, password) {
		t.Error("the password is on tape")
	}
	out, err = m.run("", "run", "./cmd/deck")
	if err != nil || !strings.Contains(out, "serving 1 at http://127.0.0.1:") {
		t.Errorf("the program: %v:\n%s", err, out)
	}
	if out, err := m.run("", "run", "./cmd/profiled"); err != nil {
		t.Errorf("the program with profiles: %v:\n%s", err, out)
	}

	m.write("missing_test.go", missing)
	out, err = m.run("", "test", "-count=1", "-run", "Missing")
	if err == nil || strings.Count(out, "a miss (field): no recording agrees: amount differs") != 2 ||
		!strings.Contains(out, "FAIL: FuzzMissing") || strings.Contains(out, "panic") ||
		strings.Contains(out, "another-password") {
		t.Errorf("misses: %v:\n%s", err, out)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// block returns the one block of a language in a Markdown text.
func block(t *testing.T, text, language string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(found) != 1 {
		t.Fatalf("%d blocks of %s", len(found), language)
	}
	return found[0][1]
}

// module is a module outside ours.
type module struct {
	*testing.T
	dir string
}

// newModule makes a module that requires ours, and what ours requires.
func newModule(t *testing.T) module {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	ours := read(t, filepath.Join(root, "go.mod"))
	_, requires, found := strings.Cut(ours, "\ngo ")
	if !found {
		t.Fatal("go.mod has no line of Go's version")
	}
	m := module{t, t.TempDir()}
	m.write("go.mod", "module shop.example/shop\n\ngo "+requires+
		"\nrequire github.com/paytape/paytape v0.0.0\n"+
		"\nreplace github.com/paytape/paytape => "+root+"\n")
	m.write("go.sum", read(t, filepath.Join(root, "go.sum")))
	m.write("shop.go", "package shop\n")
	return m
}

func (m module) write(name, text string) {
	m.Helper()
	file := filepath.Join(m.dir, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o600)
	}
	if err != nil {
		m.Fatal(err)
	}
}

// run runs the go command in the module, without a network, and with one more variable if it is not
// empty.
func (m module) run(variable string, args ...string) (string, error) {
	cmd := exec.CommandContext(m.Context(), "go", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off",
		"CI=", "PAYTAPE=")
	if variable != "" {
		cmd.Env = append(cmd.Env, variable)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
