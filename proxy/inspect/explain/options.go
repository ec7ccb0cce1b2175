package explain

import (
	"fmt"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// Options are what explanations are made with.
type Options struct {
	Profiles *profile.Set
	// Redactor is that of the hub whose exchanges are explained: surrogates are the same then.
	Redactor *redact.Redactor
	// Rules are those of the run. Nil: there are none.
	Rules *rules.Engine
	// Recorded returns an exchange of a cassette. Nil, or false: what is on tape is told from the
	// compiled tape, and whole messages on tape are not shown.
	Recorded func(cassette string, number int) (redact.Clean, bool)
	// Trace returns how an exchange was answered, for Value. Nil: the profiles tell what kind a value
	// has.
	Trace func(id uint64) *match.Trace
	// Flow returns the rows of the flow of a row, the oldest first, and Held an exchange that is held:
	// they tell in which exchange a thing was issued. Nil: that is not told.
	Flow func(view.Row) []view.Row
	Held func(id uint64) (redact.Clean, bool)
	// Same counts the misses of the run with a reason and an operation. Nil: nobody counts.
	Same func(reason, operation string) int
	// Base is the address of the deck, for commands: "http://127.0.0.1:8080". Empty: the address that
	// the client asked for.
	Base string
}

// explainer explains one exchange.
type explainer struct {
	Options
	row  view.Row
	x    redact.Clean
	call profile.Call
	// params are the parameters of the cleaned request, and sent the texts of them by their paths.
	params []match.Param
	sent   map[string]string
}

func newExplainer(o Options, row view.Row, x redact.Clean) *explainer {
	e := &explainer{Options: o, row: row, x: x, sent: map[string]string{}}
	clean := x.Exchange()
	if clean == nil || o.Profiles == nil {
		return e
	}
	r := match.NewRequest(o.Profiles, clean.Request.Method, clean.Target(), clean.Request.Headers,
		clean.Request.Body)
	e.call, e.params = r.Call, r.Params
	for i := range r.Params {
		e.sent[r.Params[i].Path] = r.Params[i].Text
	}
	return e
}

// words makes a text of ours safe, which may hold values of the tape.
func (e *explainer) words(text string) redact.Safe { return e.Redactor.Text(text) }

// derived returns a text that is part of the cleaned exchange, or a word of ours, as long as a field is
// shown.
func (e *explainer) derived(text string) redact.Safe {
	return e.x.Derive(func(*leaf.Exchange) string { return text }).Clip(MaxText)
}

// live makes a value safe that the client sent as a parameter.
func (e *explainer) live(path string, f profile.Field, v match.Live) redact.Safe {
	if v == "" {
		return redact.Safe{}
	}
	if text, found := e.sent[path]; found {
		return e.derived(text)
	}
	return e.Redactor.Field(f, v.Reveal()).Clip(MaxText)
}

// text makes a sentence safe.
func (e *explainer) text(t match.Text) redact.Safe {
	parts := make([]redact.Safe, 0, len(t))
	for _, p := range t {
		if p.Words != "" {
			parts = append(parts, e.words(p.Words))
		}
		if p.Path == "" {
			continue
		}
		switch v := e.live(p.Path, p.Field, p.Live); {
		case v == (redact.Safe{}):
			parts = append(parts, e.words("(empty)"))
		case v == e.words(p.Beside).Clip(MaxText):
			parts = append(parts, e.words(match.AnotherValue))
		default:
			parts = append(parts, v.Clip(maxInSentence))
		}
	}
	return redact.Join(parts...)
}

// birthOf says in which exchange of the flow the value of a parameter stood first: " in #48". It is
// empty where that is this exchange, or nobody knows.
func (e *explainer) birthOf(path string) string {
	text := e.sent[path]
	if e.Flow == nil || e.Held == nil || text == "" {
		return ""
	}
	s := search{Options: e.Options, text: text, key: lastName(path)}
	rows := e.Flow(e.row)
	for i := range rows[:min(maxSearched, len(rows))] {
		if rows[i].ID >= e.row.ID {
			break
		}
		if x, held := e.Held(rows[i].ID); held && len(s.inExchange(nil, &rows[i], x)) > 0 {
			return fmt.Sprintf(" in #%d", rows[i].ID)
		}
	}
	return ""
}

// maxInSentence bounds a value in a sentence, in bytes.
const maxInSentence = 120
