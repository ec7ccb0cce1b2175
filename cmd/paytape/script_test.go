package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/raced"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/internal/workload"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	testscript.Main(asUsersHaveIt{m}, map[string]func(){"paytape": main, "client": client})
}

// asUsersHaveIt runs tests whose processes are the program as users have it, beside the race detector too:
// most of them live for a moment, and with the detector each takes a second to start. The deck is watched
// where tests have it in their own process, and by .ci/e2e, whose program has the detector.
type asUsersHaveIt struct{ *testing.M }

func (m asUsersHaveIt) Run() int {
	if !raced.Enabled {
		return m.M.Run() // this process is the program
	}
	dir, err := os.MkdirTemp("", "paytape")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("go", "build", "-o", dir, ".").CombinedOutput(); err != nil {
		log.Fatalf("building paytape: %v:\n%s", err, out)
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return m.M.Run()
}

// TestScripts describes the program: what it prints, writes and returns. Afterwards all that
// the scripts left behind is searched for secrets.
func TestScripts(t *testing.T) {
	t.Parallel()
	left := t.TempDir()
	t.Run("script", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Dir: filepath.Join("testdata", "script"), WorkdirRoot: left,
			RequireExplicitExec: true, RequireUniqueNames: true, UpdateScripts: *update,
			Setup: func(e *testscript.Env) error {
				e.Values[last{}] = &last{}
				e.Values[shopKey{}] = &shop{}
				e.Setenv("BASIC", basic)
				e.Setenv("PAID", paidCard)
				e.Setenv("OTHER", "411111"+"1111111111")
				e.Setenv("PREFIXED", "510510"+"5105105101") // no card by its sum
				e.Setenv("GORACE", "atexit_sleep_ms=0")     // the race detector would wait a second
				return nil
			},
			Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
				"exits": exits, "ready": awaitReady, "http": request, "grab": grab, "await": await,
				"story": tellStories, "plant": plant,
				"shop": openShop, "told": awaitCallback, "counts": awaitCount,
				"secrets": writeSecrets, "foreign": writeForeign,
			},
		})
	})
	checkNoSecrets(t, left)
}

// basic is what version 1 of the built-in sandbox is logged in to with.
var basic = "Basic " + base64.StdEncoding.EncodeToString([]byte("sandbox:sandbox-token"))

// exits is exits CODE PROGRAM [ARG...]: it runs a program that must end with an exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// awaitReady is ready FILE: it waits for a ready file and sets PROXY, SANDBOX, ADMIN and PID to
// what it says, and PORT and CONTROL to the ports of the sandbox and of its control address.
func awaitReady(ts *testscript.TestScript, _ bool, args []string) {
	file := ts.MkAbs(args[0])
	var data []byte
	came := eventually(func() bool {
		var err error
		data, err = os.ReadFile(file)
		return err == nil
	})
	if !came {
		ts.Fatalf("%s did not come", args[0])
	}
	var r ready
	ts.Check(json.Unmarshal(data, &r))
	ts.Setenv("PROXY", r.Proxy)
	ts.Setenv("SANDBOX", r.Sandbox)
	ts.Setenv("ADMIN", r.Admin)
	ts.Setenv("INSPECT", strings.TrimSuffix(r.Inspect, "/")) // with its token
	ts.Setenv("PID", strconv.Itoa(r.PID))
	ts.Setenv("PORT", portOf(r.Sandbox))
	ts.Setenv("CONTROL", portOf(r.Control))
}

// portOf returns what stands behind the last colon of an address.
func portOf(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }

// last is the last answer that a script has had, for grab.
type last struct{ body string }

// request is http METHOD URL [BODY] [NAME:VALUE...]: it sends a request and prints
// status, headers and body. The body is a form unless it begins with a brace.
func request(ts *testscript.TestScript, neg bool, args []string) {
	body := ""
	if len(args) > 2 {
		body = args[2]
	}
	req, err := http.NewRequest(args[0], args[1], strings.NewReader(body))
	ts.Check(err)
	if body != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if strings.HasPrefix(body, "{") {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, header := range args[min(3, len(args)):] {
		name, value, _ := strings.Cut(header, ":")
		req.Header.Set(name, value)
	}
	transport := plainTransport()
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Do(req)
	if neg {
		if err == nil {
			ts.Fatalf("there was an answer")
		}
		return
	}
	ts.Check(err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	ts.Check(err)
	ts.Value(last{}).(*last).body = string(data)
	fmt.Fprintln(ts.Stdout(), res.Status)
	for _, name := range slices.Sorted(maps.Keys(res.Header)) {
		fmt.Fprintf(ts.Stdout(), "%s: %s\n", name, res.Header.Get(name))
	}
	fmt.Fprintf(ts.Stdout(), "\n%s\n", data)
}

// await is await URL PATTERN: it gets a page until the page matches. The inspector reads what goes
// through a deck behind it, and later where the machine is busy.
func await(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(args[1])
	transport := plainTransport()
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	came := eventually(func() bool {
		res, err := client.Get(args[0])
		ts.Check(err)
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		ts.Check(err)
		return pattern.Match(data)
	})
	if !came {
		ts.Fatalf("no page of %s matches %s", args[0], args[1])
	}
}

// grab is grab NAME PATTERN: it sets a variable to what the group of a pattern
// matches in the last answer.
func grab(ts *testscript.TestScript, _ bool, args []string) {
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.Value(last{}).(*last).body)
	if m == nil {
		ts.Fatalf("the last answer does not match")
	}
	ts.Setenv(args[0], m[1])
}

// tellStories is story URL RUN: it tells the three stories as client A or B and
// prints what they saw fresh.
func tellStories(ts *testscript.TestScript, neg bool, args []string) {
	t := teller(args[0], args[1])
	defer t.HTTP.CloseIdleConnections()
	var failed error
	for _, tell := range stories(t) {
		seen, err := tell(context.Background())
		failed = errors.Join(failed, err)
		for _, v := range seen {
			switch {
			case pan.Digits(v.Text) == v.Text && pan.IsCard(v.Text):
				fmt.Fprintf(ts.Stdout(), "%s %s\n", v.Name, story.ShortMask(v.Text))
			case v.Fresh:
				fmt.Fprintf(ts.Stdout(), "%s %s\n", v.Name, v.Text)
			}
		}
	}
	if neg != (failed != nil) {
		ts.Fatalf("told with error %v", failed)
	}
}

// plant is plant FILE TEXT: it writes a file below planted/, which is not searched, with a live
// card number in place of the word CARD, and the beginning of a broken gzip file of GZIP.
func plant(ts *testscript.TestScript, _ bool, args []string) {
	file := ts.MkAbs(filepath.Join(planted, args[0]))
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o700))
	text := strings.NewReplacer("CARD", paidCard, `\n`, "\n", `\0`, "\x00",
		"GZIP", "\x1f\x8b\x08\xe0").Replace(args[1])
	ts.Check(os.WriteFile(file, []byte(text), 0o600))
}

// writeSecrets is secrets FILE [LINE...]: it writes what the stories send to the built-in sandbox and no
// tape holds, and more lines, into a file below planted/.
func writeSecrets(ts *testscript.TestScript, _ bool, args []string) {
	file := ts.MkAbs(filepath.Join(planted, args[0]))
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o700))
	lines := append([]string{
		"# of the built-in sandbox", "password=sandbox-" + "password", "$PAN=" + paidCard, "$CVC=123",
		"Authorization=sandbox:sandbox-" + "token", "X-Api-Key=sandbox-" + "key",
	}, args[1:]...)
	ts.Check(os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
}

// awaitCount is counts URL TEXT: it asks until an answer holds a text.
func awaitCount(ts *testscript.TestScript, _ bool, args []string) {
	client := &http.Client{Transport: plainTransport(), Timeout: time.Minute}
	defer client.CloseIdleConnections()
	var last []byte
	came := eventually(func() bool {
		res, err := client.Get(args[0])
		if err != nil {
			return false
		}
		defer res.Body.Close()
		last, err = io.ReadAll(res.Body)
		return err == nil && strings.Contains(string(last), args[1])
	})
	if !came {
		ts.Fatalf("%s does not come: %s", args[1], last)
	}
}

// teller returns a client with values of its own.
func teller(base, run string) *story.Teller {
	t := &story.Teller{
		Base: base, HTTP: &http.Client{Transport: plainTransport(), Timeout: time.Minute},
		OrderNumber: "order-" + run, ClientID: "client-" + run, Payee: "Payee " + run,
		Customer: "10000" + strconv.Itoa(len(run)), Card: paidCard, Today: time.Now(),
	}
	if run == "A" {
		t.Card, t.Customer = "400000"+"1111111118", "100077"
	}
	return t
}

// writeForeign is foreign SIZE FILE: it writes a recording of go-vcr of at least so many exchanges.
func writeForeign(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: foreign SIZE FILE")
	}
	size, err := strconv.Atoi(args[0])
	ts.Check(err)
	var raw bytes.Buffer
	r := workload.Recording{Kinds: workload.Kinds, Size: size, Start: time.Now().AddDate(0, -1, 0)}
	_, err = r.Write(&raw)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), raw.Bytes(), 0o600))
}
