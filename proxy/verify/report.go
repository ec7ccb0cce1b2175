package verify

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/paytape/paytape/match/drift"
)

// Report is what a run came to. Its texts have been cleaned.
type Report struct {
	Cassette string       `json:"cassette"`
	Flows    []FlowReport `json:"flows"`
	// Changes are the findings of all exchanges, each once for an operation.
	Changes []drift.Change `json:"changes"`
	// Played is how many exchanges were played, Drifted in how many of these something differs, and
	// NotPlayed how many were not.
	Played    int `json:"played"`
	Drifted   int `json:"drifted"`
	NotPlayed int `json:"notPlayed"`
	// SameFlows is how many flows were left out because others said the same. Callbacks is how many
	// callbacks the tape has in the flows: verify receives none.
	SameFlows int `json:"sameFlows"`
	Callbacks int `json:"callbacks"`
}

// FlowReport is what a flow came to.
type FlowReport struct {
	// Flow is its number on tape; 0 for an exchange of no flow.
	Flow      int              `json:"flow"`
	Support   bool             `json:"support,omitempty"` // it was played because others stand on it
	Exchanges []ExchangeReport `json:"exchanges"`
}

// Name names a flow for people.
func (f *FlowReport) Name() string {
	if f.Flow == 0 {
		return "exchange of no flow"
	}
	return fmt.Sprintf("flow %d", f.Flow)
}

// ExchangeReport is what an exchange came to.
type ExchangeReport struct {
	Number    int             `json:"number"` // on tape
	Operation string          `json:"operation"`
	State     string          `json:"state,omitempty"` // what was done before
	Verdict   string          `json:"verdict"`         // one of the words below
	Why       string          `json:"why,omitempty"`   // it was not played
	Outcome   string          `json:"outcome,omitempty"`
	Findings  []drift.Finding `json:"findings"`
}

// The verdicts.
const (
	Same      = "same"
	Drifted   = "drifted"
	NotPlayed = "not played"
)

// reportOf makes the report of a run.
func (p *player) reportOf(compare *drift.Comparison, now *drift.Tape) *Report {
	flows, callbacks := p.Skipped()
	r := &Report{Cassette: p.tape.Name, Flows: []FlowReport{}, SameFlows: flows, Callbacks: callbacks}
	index, changes := map[int]int{}, drift.Changes{}
	for _, s := range p.steps {
		if is := p.exchange(s, now); is != nil {
			compare.Learn(s.Exchange, is)
		}
	}
	for _, s := range p.steps {
		i, known := index[s.flow]
		if !known {
			i = len(r.Flows)
			index[s.flow] = i
			r.Flows = append(r.Flows, FlowReport{Flow: s.of.Number, Support: s.support})
		}
		x := ExchangeReport{
			Number: s.Number, Operation: s.Operation, State: s.State, Findings: []drift.Finding{},
		}
		done := p.results[s]
		is := p.exchange(s, now)
		switch {
		case is != nil:
			x.Verdict, x.Outcome = Same, is.Words
			x.Findings = append(x.Findings, compare.Answer(s.Exchange, is)...)
			r.Played++
			if len(x.Findings) > 0 {
				x.Verdict = Drifted
				r.Drifted++
			}
		case done != nil && done.late:
			x.Verdict = Drifted
			x.Findings = append(x.Findings, drift.Finding{
				Grade: drift.Removed, Side: drift.SideAnswer, Path: drift.PathBody, Why: done.why,
			})
			r.Played++
			r.Drifted++
		default:
			x.Verdict = NotPlayed
			if x.Why = "the run ended before"; done != nil && done.why != "" {
				x.Why = done.why
			}
			r.NotPlayed++
		}
		changes.Add(x.Operation, x.Number, x.Findings)
		r.Flows[i].Exchanges = append(r.Flows[i].Exchanges, x)
	}
	r.Changes = changes.List()
	return r
}

// exchange returns what came of a step; nil for a step that was not played.
func (p *player) exchange(s *step, now *drift.Tape) *drift.Exchange {
	if done := p.results[s]; done != nil && done.number > 0 {
		return now.Exchange(done.number)
	}
	return nil
}

// The elements of JUnit's XML that build services read.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report in the XML of JUnit: a test case for each exchange, which fails if
// something differs.
func (r *Report) WriteJUnit(w io.Writer) error {
	s := junitSuite{
		Name: "paytape verify " + r.Cassette, Tests: r.Played + r.NotPlayed, Failures: r.Drifted,
		Skipped: r.NotPlayed,
	}
	for _, f := range r.Flows {
		for _, x := range f.Exchanges {
			c := junitCase{
				Class: r.Cassette + "." + f.Name(),
				Name:  fmt.Sprintf("#%d %s", x.Number, x.Operation),
			}
			switch x.Verdict {
			case Drifted:
				var lines []string
				for _, f := range x.Findings {
					lines = append(lines, f.String())
				}
				c.Failure = &junitMessage{lines[0], strings.Join(lines, "\n")}
			case NotPlayed:
				c.Skipped = &junitMessage{Message: x.Why}
			}
			s.Cases = append(s.Cases, c)
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
