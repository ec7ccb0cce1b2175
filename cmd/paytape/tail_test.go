package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/proxy/deck"
)

// storyTapes is the folder of the tape "stories".
var storyTapes = filepath.Join("..", "..", "testdata")

// inspected is a deck with an inspector, as package inspect documents it, whose values want to do
// something to a terminal.
func inspected(t *testing.T) (url string, asked func() []string) {
	t.Helper()
	var all []string
	mux := http.NewServeMux()
	note := func(req *http.Request) {
		all = append(all, strings.TrimPrefix(req.URL.RequestURI(), "/token/api/"))
	}
	mux.HandleFunc("GET /token/api/rows", func(w http.ResponseWriter, req *http.Request) {
		note(req)
		if req.URL.Query().Get("q") == "wrong:" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"column 6: expected a value\u001b[2J"}`)
			return
		}
		fmt.Fprint(w, `{"rows":[{"id":41},{"id":44}],"lost":0}`)
	})
	mux.HandleFunc("GET /token/api/events", func(w http.ResponseWriter, req *http.Request) {
		note(req)
		if req.URL.Query().Get("format") == "text" {
			fmt.Fprint(w, "11:25:02   41 status    \x1b[31mB-1\x1b[m \x1b[2J\n")
			return
		}
		fmt.Fprint(w, "event: status\ndata: {\"mode\":\"replay\"}\n\n: still here\n\n"+
			"event: gap\ndata: {\"lost\":3}\n\nevent: row\nid: 41\ndata: {\"id\":41,\"short\":\"\u202estatus\"}\n\n")
	})
	mux.HandleFunc("GET /token/api/why/{id}", func(w http.ResponseWriter, req *http.Request) {
		note(req)
		if req.PathValue("id") == "9" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"there is no exchange #9"}`)
			return
		}
		fmt.Fprintf(w, "miss: field amount \x1b]0;title\x07\n")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/token", func() []string { return all }
}

// command runs a command, and returns its exit code and what it has written.
func command(args ...string) (code int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	code = run(context.Background(), Env{
		Args: args, Lookup: func(string) (string, bool) { return "", false },
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &diagnostics,
	})
	return code, out.String(), diagnostics.String()
}

func TestTailAndWhy(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string
		asked          string
	}{
		{"the last rows and those to come are text of the deck", []string{"tail"}, 0,
			"11:25:02   41 status    \x1b[31mB-1\x1b[m \\u001b[2J\n", "paytape: the deck has ended\n",
			"rows?n=10 events?after=40&columns=120&format=text"},
		{"a filter goes to the deck", []string{"tail", "-n", "2", "declined order:B-1"}, 0,
			"11:25:02   41 status    \x1b[31mB-1\x1b[m \\u001b[2J\n", "paytape: the deck has ended\n",
			"rows?n=2&q=declined+order%3AB-1 " +
				"events?after=40&columns=120&format=text&q=declined+order%3AB-1"},
		{"no earlier rows are asked for", []string{"tail", "-n", "0", "--json"}, 0,
			"{\"id\":41,\"short\":\"\\u202estatus\"}\n",
			"paytape: warning: 3 exchanges went by unseen: traffic was faster than its reader\n" +
				"paytape: the deck has ended\n", "events?"},
		{"a wrong filter is told of", []string{"tail", "wrong:"}, 1, "",
			"paytape: error: the deck says: column 6: expected a value\\u001b[2J\n", "rows?n=10&q=wrong%3A"},
		{"the last miss", []string{"why"}, 0, "miss: field amount \\u001b]0;title\\u0007\n", "",
			"why/last-miss?columns=120&format=text"},
		{"an exchange, as pages call it", []string{"why", "#52"}, 0,
			"miss: field amount \\u001b]0;title\\u0007\n", "", "why/52?columns=120&format=text"},
		{"an exchange that is not there", []string{"why", "9"}, 1, "",
			"paytape: error: the deck says: there is no exchange #9\n",
			"why/9?columns=120&format=text"},
		{"what is no number", []string{"why", "../status"}, 2, "",
			"paytape: error: ID: expected the number of an exchange or of a callback\npaytape: hint: paytape why 52, or paytape why c1\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			url, asked := inspected(t)
			code, stdout, stderr := command(append(row.args, "--inspect-url", url)...)
			if code != row.code || stdout != row.stdout || stderr != row.stderr {
				t.Errorf("exit %d\nstdout %q\nstderr %q", code, stdout, stderr)
			}
			if got := strings.Join(asked(), " "); got != row.asked {
				t.Errorf("asked %q, want %q", got, row.asked)
			}
		})
	}
}

// TestDeckIsFound shows where a command looks for the inspector of a deck.
func TestDeckIsFound(t *testing.T) {
	t.Parallel()
	url, _ := inspected(t)
	mounted := httptest.NewServer(http.RedirectHandler(url, http.StatusFound)) // a deck redirects nobody
	t.Cleanup(mounted.Close)
	for _, row := range []struct {
		name, ready, want string
		code              int
	}{
		{"the address of the inspector", `{"inspect":"` + url + `/","admin":"http://127.0.0.1:1/"}`, "", 0},
		{"below the admin address", `{"admin":"http://127.0.0.1:1/t"}`, "asking the deck: ", 1},
		{"a deck without either", `{"proxy":"http://127.0.0.1:1"}`,
			"the deck has no inspector\npaytape: hint: start it with --inspect 127.0.0.1:0", 1},
		{"what is no ready file", `ready`, "is no ready file", 2},
		{"another server", `{"inspect":"` + mounted.URL + `"}`, "the deck says: ", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "ready.json")
			if err := os.WriteFile(file, []byte(row.ready), 0o600); err != nil {
				t.Fatal(err)
			}
			code, _, stderr := command("why", "--ready-file", file)
			if code != row.code || !strings.Contains(stderr, row.want) {
				t.Errorf("exit %d: %s", code, stderr)
			}
		})
	}
}

// TestTailAndWhyOfADeck asks a deck that replays: at the address of its inspector, and below that of
// its admin.
func TestTailAndWhyOfADeck(t *testing.T) {
	t.Parallel()
	d, err := deck.Start(t.Context(), deck.Options{
		Cassettes: []string{"stories"}, Dir: storyTapes, Inspect: &deck.Inspect{}, Admin: &deck.Admin{},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	teller := teller(d.URL, "B")
	defer teller.HTTP.CloseIdleConnections()
	if _, err := teller.Checkout(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		res, err := teller.HTTP.Get(d.URL + "/nothing/of/the/kind")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	at := []string{"--inspect-url", d.Inspector}
	below := []string{"--admin-url", d.Admin}
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"why"}, "#7 "},
		{[]string{"why", "1"}, "#1 register.do, order order-B, "},
		{[]string{"why", "--json", "6"}, `"reason":"path"`},
	} {
		for _, address := range [][]string{at, below} {
			code, stdout, stderr := command(append(row.args, address...)...)
			if code != 0 || !strings.Contains(stdout, row.want) {
				t.Errorf("%q: exit %d\n%s%s", row.args, code, stdout, stderr)
			}
		}
	}
	var tails sync.WaitGroup
	for _, args := range [][]string{
		append([]string{"tail", "-n", "3"}, at...),
		append([]string{"tail", "--json", "-n", "1", "op:register"}, below...),
	} {
		out := &awaited{text: "register", came: make(chan struct{})}
		if args[1] == "-n" {
			out.text = "! miss: path GET nothing/of/the/kind"
		}
		var code int
		ended := make(chan struct{})
		tails.Go(func() {
			defer close(ended)
			code = run(t.Context(), Env{
				Args: args, Lookup: func(string) (string, bool) { return "", false },
				Stdin: strings.NewReader(""), Stdout: out, Stderr: io.Discard,
			})
		})
		select {
		case <-out.came:
		case <-ended:
			t.Errorf("%q: exit %d:\n%s", args, code, out.String())
		}
		t.Cleanup(func() {
			if <-ended; code != 0 {
				t.Errorf("%q: exit %d", args, code)
			}
			if lines := strings.Count(out.String(), "\n"); strings.Contains(out.String(), "\x1b") || lines == 0 {
				t.Errorf("%q:\n%s", args, out.String())
			}
			t.Logf("%q:\n%s", args, out.String())
		})
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	tails.Wait() // a tail ends with its deck
}

// awaited is a stream that tells when a text was written to it.
type awaited struct {
	text string
	came chan struct{} // closed then

	mu  sync.Mutex // guards the rest
	all bytes.Buffer
	is  bool
}

func (a *awaited) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all.Write(p)
	if !a.is && bytes.Contains(a.all.Bytes(), []byte(a.text)) {
		a.is = true
		close(a.came)
	}
	return len(p), nil
}

func (a *awaited) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all.String()
}
