package cassettes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dnaeon/go-vcr/v2/cassette"

	"github.com/paytape/paytape/cassettes/har"
	"github.com/paytape/paytape/internal/leaf"
)

// callbackLine is a callback as a line of JSON:
//
//	{"at":"2026-03-01T10:00:00.5+03:00","method":"GET","url":"https://shop.example/paid?mdOrder=3f...",
//	"headers":{"User-Agent":"sandbox"},"status":200,"responseBody":"OK"}
//
// The value of a header may be a list. What is left out is empty; a status of 0 is no answer.
type callbackLine struct {
	At              time.Time                `json:"at"`
	Method          string                   `json:"method"`
	URL             string                   `json:"url"`
	Headers         map[string]callbackTexts `json:"headers"`
	Body            string                   `json:"body"`
	Status          int                      `json:"status"`
	ResponseHeaders map[string]callbackTexts `json:"responseHeaders"`
	ResponseBody    string                   `json:"responseBody"`
}

// callbackTexts are the values of a header: a text, or a list of texts.
type callbackTexts []string

// UnmarshalJSON reads either.
func (v *callbackTexts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*v = callbackTexts{one}
		return nil
	}
	var all []string
	if json.Unmarshal(data, &all) != nil {
		return errors.New("expected a text or a list of texts")
	}
	*v = all
	return nil
}

// ReadCallbacks reads what a tunnel has exported of the requests that came through it: an HTTP
// archive, or a line of JSON for each. Errors say where something is wrong, and never what stands
// there.
func ReadCallbacks(data []byte) (Recording, error) {
	start := bytes.TrimLeft(data, "\ufeff \t\r\n")
	if len(start) == 0 {
		return Recording{}, errors.New("the file is empty")
	}
	above := bytes.Count(data[:len(data)-len(start)], []byte("\n"))
	switch r, err := recordedHAR(data); {
	case err == nil || !errors.Is(err, har.ErrNotArchive):
		return r, err
	case !isCallbackLine(start):
		return Recording{}, fmt.Errorf("line %d: expected an HTTP archive (log.entries), or a JSON object "+
			"with method and url", above+1)
	}
	var r Recording
	for i, line := range bytes.Split(start, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var c callbackLine
		if err := json.Unmarshal(line, &c); err != nil || c.Method == "" || c.URL == "" {
			return Recording{}, fmt.Errorf("line %d: expected a JSON object with method and url",
				above+i+1)
		}
		if !isStatus(c.Status) {
			return Recording{}, fmt.Errorf("line %d: its status has more than three digits", above+i+1)
		}
		r.exchanges = append(r.exchanges, c.exchange())
	}
	sortByTime(r.exchanges)
	return r, nil
}

// isCallbackLine reports whether a file begins with a line of JSON that is a callback.
func isCallbackLine(data []byte) bool {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	var c struct {
		Method *string `json:"method"`
		URL    *string `json:"url"`
	}
	return json.Unmarshal(line, &c) == nil && (c.Method != nil || c.URL != nil)
}

// exchange returns the callback as what it is everywhere else.
func (c *callbackLine) exchange() *leaf.Exchange {
	target, _, _ := strings.Cut(c.URL, "#") // never sent
	x := &leaf.Exchange{
		Interaction: cassette.Interaction{
			Request: cassette.Request{
				Method: c.Method, URL: target, Headers: headerOf(c.Headers), Body: c.Body,
			},
			Response: cassette.Response{
				Code: c.Status, Headers: headerOf(c.ResponseHeaders), Body: c.ResponseBody,
				Status: strings.TrimSpace(fmt.Sprintf("%d %s", c.Status, http.StatusText(c.Status))),
			},
		},
		Meta: leaf.Meta{At: c.At},
	}
	if c.Status == 0 {
		x.Response.Status = ""
		x.Meta.Failure, x.Meta.Fault = "the export has no answer", leaf.FaultNoAnswer
	}
	return x
}

func headerOf(values map[string]callbackTexts) http.Header {
	h := http.Header{}
	for name, texts := range values {
		for _, text := range texts {
			h.Add(name, text)
		}
	}
	return h
}

// Keep returns those of the exchanges that are kept, which may be changed.
func (r Recording) Keep(keep func(*leaf.Exchange) bool) Recording {
	kept := Recording{ours: r.ours, Warnings: r.Warnings}
	for _, x := range r.exchanges {
		if keep(x) {
			kept.exchanges = append(kept.exchanges, x)
		}
	}
	return kept
}

// Ours reports whether it is a cassette or an archive that paytape has written: what stands in the place
// of secrets are surrogates, which belong to that tape.
func (r Recording) Ours() bool { return r.ours }

// Len returns how many exchanges there are.
func (r Recording) Len() int { return len(r.exchanges) }

// sortByTime sorts exchanges by the beginning of their requests, as far as it is known.
func sortByTime(all []*leaf.Exchange) {
	slices.SortStableFunc(all, func(a, b *leaf.Exchange) int {
		if a.Meta.At.IsZero() || b.Meta.At.IsZero() {
			return 0
		}
		return a.Meta.At.Compare(b.Meta.At)
	})
}
