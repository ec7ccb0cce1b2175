package workload

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"
)

// Recording is a recording that is made of flows.
type Recording struct {
	Kinds []Kind // of the flows, in turns
	Size  int    // exchanges; a flow that is under way at Size is recorded whole
	Seed  uint64 // of what the server mints
	// Start is when the first exchange happens. A cassette of go-vcr does not tell it, so a list
	// that is asked for by its period (kind issued) is found in replay only if Start is today.
	Start time.Time
}

// Write writes the recording as a cassette of go-vcr, with all its secrets, and returns how many
// flows are in it: of each kind the variants from 0 on. Between two exchanges pass some
// milliseconds or up to two seconds, so that two dates of a flow are sometimes equal.
func (r Recording) Write(to io.Writer) (flows int, err error) {
	w := bufio.NewWriterSize(to, 1<<20)
	fmt.Fprint(w, "---\nversion: 1\ninteractions:\n")
	now, steps := r.Start, rand.New(rand.NewPCG(r.Seed, 3))
	d := &direct{handler: NewServer(r.Seed+1, func() time.Time { return now })}
	d.done = func(req *http.Request, sent string, answer *httptest.ResponseRecorder) {
		writeExchange(w, req, sent, answer)
		now = now.Add(time.Duration(5+steps.IntN(2000)) * time.Millisecond)
	}
	c := &Client{Base: "http://sandbox.test", HTTP: d, Run: fmt.Sprintf("R%d", r.Seed),
		Today: r.Start}
	for ; c.Sent < r.Size; flows++ {
		err := c.Play(r.Kinds[flows%len(r.Kinds)], flows/len(r.Kinds))
		if err != nil {
			return flows, err
		}
	}
	return flows, w.Flush()
}

// direct is a connection to a handler without a network.
type direct struct {
	handler http.Handler
	done    func(r *http.Request, sent string, answer *httptest.ResponseRecorder)
}

// RoundTrip implements http.RoundTripper.
func (d *direct) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	served := r.Clone(r.Context())
	served.Body = io.NopCloser(strings.NewReader(string(sent)))
	served.Host, served.RemoteAddr = r.URL.Host, "127.0.0.1:1"
	answer := httptest.NewRecorder()
	d.handler.ServeHTTP(answer, served)
	d.done(r, string(sent), answer)
	return answer.Result(), nil
}

func writeExchange(w io.Writer, r *http.Request, sent string, answer *httptest.ResponseRecorder) {
	fmt.Fprintf(w, "- request:\n    body: %s\n    form: {}\n", quoted(sent))
	writeHeaders(w, r.Header)
	fmt.Fprintf(w, "    url: %s\n    method: %s\n  response:\n    body: %s\n", quoted(r.URL.String()),
		r.Method, quoted(answer.Body.String()))
	writeHeaders(w, answer.Header())
	fmt.Fprintf(w, "    status: %d %s\n    code: %[1]d\n    duration: 1ms\n", answer.Code,
		http.StatusText(answer.Code))
}

func writeHeaders(w io.Writer, h http.Header) {
	fmt.Fprint(w, "    headers:\n")
	for _, name := range slices.Sorted(maps.Keys(h)) {
		fmt.Fprintf(w, "      %s: [%s]\n", name, quoted(h.Get(name)))
	}
}

// quoted is a text as JSON, which YAML reads as the same text.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return `""` // a string can always be written
	}
	return string(b)
}
