package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/paytape/paytape/match/rules"
)

// ruleHandler answers a request about the rules of the deck, or says why it cannot.
type ruleHandler func(e *rules.Engine, w http.ResponseWriter, req *http.Request) error

// refusal is why a request cannot be answered: a status and a sentence of ours, which may hold what
// a rules file may hold.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return r.text }

func refuse(code int, format string, args ...any) error {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

// withRules makes a handler of one that needs the rules of the deck.
func (a *Admin) withRules(h ruleHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		d := a.deck.Load()
		if d == nil || d.Rules == nil {
			http.Error(w, "starting", http.StatusServiceUnavailable)
			return
		}
		err := h(d.Rules, w, req)
		if r, ok := errors.AsType[*refusal](err); ok {
			http.Error(w, r.text, r.code)
		}
	}
}

// listRules answers GET /rules.
func listRules(e *rules.Engine, w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, e.Report())
}

// showRule answers GET /rules/NAME.
func showRule(e *rules.Engine, w http.ResponseWriter, req *http.Request) error {
	s, err := statusOf(e, req.PathValue("name"))
	if err != nil {
		return err
	}
	return writeJSON(w, s)
}

// statusOf returns the status of a rule in force.
func statusOf(e *rules.Engine, name string) (rules.Status, error) {
	for _, s := range e.Report() {
		if s.Name == name {
			return s, nil
		}
	}
	return rules.Status{}, refuse(http.StatusNotFound, "%s: see rules", rules.ErrUnknown)
}

// maxRule bounds the body of a request that puts a rule in force, in bytes.
const maxRule = 1 << 20

// putRule answers PUT /rules/NAME. The body is one rule, or a rules file with one. Whoever asks here
// may be on another machine, so it cannot name files of this one.
func (a *Admin) putRule(e *rules.Engine, w http.ResponseWriter, req *http.Request) error {
	name := req.PathValue("name")
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxRule))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return refuse(http.StatusRequestEntityTooLarge, "a rule has %d bytes at most", maxRule)
	} else if err != nil {
		return err // nobody is left to read an answer
	}
	f, err := rules.ParseSome(string(rules.FromAdmin), body, name, rules.Source{Profiles: a.profiles})
	if err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	if len(f.Rules) != 1 || f.Rules[0].Name != name {
		return refuse(http.StatusBadRequest, "expected one rule with the name %q", name)
	}
	err = a.apply(e, Change{Do: Add, Origin: rules.FromAdmin, Name: name, Text: string(body)})
	if err != nil {
		return refuse(http.StatusConflict, "%v", err) // the name is that of a rule from elsewhere
	}
	s, err := statusOf(e, name)
	if err != nil {
		return err // somebody has removed it meanwhile
	}
	doubts := f.Doubts()
	if tell := a.deck.Load().Doubts; tell != nil && len(doubts) > 0 {
		tell(doubts)
	}
	return writeJSON(w, struct {
		rules.Status
		Warnings []string `json:"warnings,omitempty"` // what may be a mistake, with its place
	}{s, doubts})
}

// armRule answers POST /rules/NAME/arm. Without "times" the rule fires once; -1 is for good.
func (a *Admin) armRule(e *rules.Engine, w http.ResponseWriter, req *http.Request) error {
	times := 1
	if text := req.URL.Query().Get("times"); text != "" {
		var err error
		if times, err = strconv.Atoi(text); err != nil || times < -1 {
			return refuse(http.StatusBadRequest,
				"times: expected a number, 0 to disarm the rule or -1 for good")
		}
	}
	return changed(w, a.apply(e, Change{Do: Arm, Name: req.PathValue("name"), Times: times}))
}

// disarmRule answers POST /rules/NAME/disarm.
func (a *Admin) disarmRule(e *rules.Engine, w http.ResponseWriter, req *http.Request) error {
	return changed(w, a.apply(e, Change{Do: Disarm, Name: req.PathValue("name")}))
}

// changed answers when a rule has been armed or disarmed, or could not be.
func changed(w http.ResponseWriter, err error) error {
	switch {
	case errors.Is(err, rules.ErrUnknown):
		return refuse(http.StatusNotFound, "%s: see rules", err)
	case err != nil:
		return refuse(http.StatusConflict, "%v", err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// removeRule answers DELETE /rules/NAME.
func (a *Admin) removeRule(e *rules.Engine, w http.ResponseWriter, req *http.Request) error {
	name := req.PathValue("name")
	s, err := statusOf(e, name)
	if err != nil {
		return err
	}
	if s.Origin != rules.FromAdmin {
		return refuse(http.StatusConflict, "rule %q was not put in force here: it is in %s:%d",
			name, s.File, s.Line)
	}
	return changed(w, a.apply(e, Change{Do: Remove, Origin: rules.FromAdmin, Name: name}))
}

// removeRules answers DELETE /rules.
func (a *Admin) removeRules(e *rules.Engine, w http.ResponseWriter, _ *http.Request) error {
	return changed(w, a.apply(e, Change{Do: Remove, Origin: rules.FromAdmin}))
}

// writeJSON answers with a value.
func writeJSON(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v) // who has gone needs no answer
}
