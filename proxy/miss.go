package proxy

import (
	"net/http"
	"strconv"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/internal/problem"
	"github.com/paytape/paytape/redact"
)

// missBody is the JSON answer to a request that found nothing on tape.
type missBody struct {
	Reason    string     `json:"reason"`
	Operation string     `json:"operation,omitempty"`
	Message   string     `json:"message"`
	Hint      string     `json:"hint,omitempty"`
	Nearest   []nearBody `json:"nearest"`
	Why       string     `json:"why,omitempty"` // where a person finds it explained
	Row       *rowBody   `json:"row,omitempty"`
	Error     errorBody  `json:"error"`
}

// errorBody says once more that this is an error. Some client libraries take every JSON object
// without a member of that name for an answer, whatever its status.
type errorBody struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// rowBody is what would mend a miss in a file.
type rowBody struct {
	For  string `json:"for"`  // rules or profile: which file it is a part of
	Text string `json:"text"` // a whole file, in YAML
}

// nearBody is a recorded exchange that would have answered if the request had been another.
type nearBody struct {
	Exchange  string     `json:"exchange"` // "checkout#3"
	Operation string     `json:"operation,omitempty"`
	State     string     `json:"state,omitempty"` // in which it was recorded: "register.do"
	Differs   []diffBody `json:"differs"`
	More      int        `json:"more,omitempty"` // fields that differ too
}

// maxDiffs and maxText bound what a report repeats of a request, the fields of one exchange
// and the bytes of one text: a client may send as much as --max-body allows.
const (
	maxDiffs = 50
	maxText  = 1 << 10
)

// maxEventFields and maxEventText bound what an event repeats of the fields that differ.
const (
	maxEventFields = 8
	maxEventText   = 100
)

// diffBody is one field that differs: want is what is on tape, got the live value, cleaned.
type diffBody struct {
	Place   string `json:"place"`
	Field   string `json:"field"`
	Problem string `json:"problem"`
	Want    string `json:"want"`
	Got     string `json:"got"`
}

// missed makes the answer to a miss, and tells its event the same.
func (m *Replay) missed(req *http.Request, miss *match.Miss, e *Event) *http.Response {
	m.counter.countMiss(miss)
	teach(m.cleaner, miss.Trace.Secrets())
	e.lineNow()
	e.Kind, e.Reason, e.Miss = Missed, miss.Reason, m.misses.Add(1)
	if e.Exchange != nil {
		e.Exchange.trace = miss.Trace
	}
	e.Text = m.said(miss).Clip(maxText)
	e.Hint = m.cleaner.Text(miss.Hint).Clip(maxText)
	if len(miss.Near) > 0 {
		e.Nearest = placeOf(miss.Near[0])
		for _, d := range miss.Near[0].Diffs[:min(maxEventFields, len(miss.Near[0].Diffs))] {
			e.Fields = append(e.Fields, m.cleaner.Text(d.Path).Clip(maxEventText))
		}
	}
	b := missBody{
		Reason: string(miss.Reason), Operation: m.cleaner.Text(miss.Operation).String(),
		Message: e.Text.String(), Hint: e.Hint.String(),
		Nearest: make([]nearBody, 0, len(miss.Near)),
		Why:     m.explainedAt(e.Miss),
		Error:   errorBody{"paytape_miss", string(miss.Reason), e.Text.String()},
	}
	if row, found := miss.Row(); found {
		b.Row = &rowBody{string(row.Kind), m.cleaner.Text(row.File).Clip(maxText).String()}
		e.Row = m.cleaner.Text(row.Line).Clip(maxText)
	}
	for _, near := range miss.Near {
		b.Nearest = append(b.Nearest, m.near(near))
	}
	body, err := problem.Marshal(b)
	if err != nil {
		body = problemDoor.Body() // strings always marshal
	}
	h := http.Header{
		"Content-Type":   {"application/json"},
		"Content-Length": {strconv.Itoa(len(body))},
		"Cache-Control":  {"no-store"},
		"Paytape-Miss":   {string(miss.Reason)},
	}
	return problem.Respond(req, problem.Answer{
		Code: http.StatusNotImplemented, Header: h, Body: string(body),
	})
}

// said is the sentence of a miss. What was sent stands in it cleaned.
func (m *Replay) said(miss *match.Miss) redact.Safe {
	var parts []redact.Safe
	for _, p := range miss.Said() {
		if p.Path == "" {
			parts = append(parts, m.cleaner.Text(p.Words))
			continue
		}
		sent := m.cleaner.Field(p.Field, p.Live.Reveal())
		switch {
		case sent == (redact.Safe{}):
			sent = m.cleaner.Text("nothing")
		case sent.String() == p.Beside:
			sent = m.cleaner.Text(match.AnotherValue)
		}
		parts = append(parts, sent.Clip(maxEventText))
	}
	return redact.Join(parts...)
}

// explainedAt returns where a person finds the n-th miss explained; "" if nowhere.
func (m *Replay) explainedAt(n uint64) string {
	if m.why == "" {
		return ""
	}
	return m.why + "m" + strconv.FormatUint(n, 10)
}

// placeOf names an exchange as Paytape-Served does.
func placeOf(near match.Near) string { return near.Cassette + "#" + strconv.Itoa(near.Number) }

func (m *Replay) near(near match.Near) nearBody {
	b := nearBody{
		Exchange:  placeOf(near),
		Operation: near.Operation, State: leaf.Clip(near.State, maxState),
		More: max(0, len(near.Diffs)-maxDiffs),
	}
	shown := near.Diffs[:len(near.Diffs)-b.More]
	b.Differs = make([]diffBody, 0, len(shown))
	for _, d := range shown {
		b.Differs = append(b.Differs, m.diff(d))
	}
	return b
}

func (m *Replay) diff(d match.Diff) diffBody {
	got := m.cleaner.Field(d.Field, d.Got.Reveal()).String()
	if got == d.Want && d.Problem == match.Differs {
		got = match.AnotherValue // two surrogates of unlike values may look alike
	}
	return diffBody{
		Place: d.Place.String(), Field: leaf.Clip(m.cleaner.Text(d.Path).String(), maxText),
		Problem: string(d.Problem), Want: leaf.Clip(d.Want, maxText), Got: leaf.Clip(got, maxText),
	}
}
