package rules

import (
	"fmt"
	"strings"
	"time"
)

// value is what an effect writes: text with references in it.
type value []piece

// piece is literal text, or a reference if kind says so.
type piece struct {
	kind    reference
	literal string
	at      place         // of fromRequest and fromAnswer
	add     time.Duration // of theTime
}

// reference is what stands between "${" and "}".
type reference uint8

const (
	literal     reference = iota
	fromRequest           // ${request.F}: the field of the request, as the client sent it
	fromAnswer            // ${answer.F}: the field of the answer, before any rule changed it
	minted                // ${mint}: a new value in the shape of what it replaces
	theTime               // ${now}, ${now+1h}, ${now-30s}: in the form of what it replaces
)

// parseValue reads a value. A dollar sign without a brace is itself.
func parseValue(text string) (value, error) {
	var v value
	for {
		before, rest, found := strings.Cut(text, "${")
		if before != "" {
			v = append(v, piece{literal: before})
		}
		if !found {
			return v, nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, fmt.Errorf("expected a closing brace after %s", quote("${"+name))
		}
		p, err := parseReference(name)
		if err != nil {
			return nil, err
		}
		v, text = append(v, p), after
	}
}

func parseReference(name string) (piece, error) {
	scope, field, _ := strings.Cut(name, ".")
	switch {
	case strings.Contains(field, "${"): // of another reference: this one does not end
	case scope == "request" && field != "":
		return piece{kind: fromRequest, at: parsePlace(field)}, nil
	case scope == "answer" && field != "":
		return piece{kind: fromAnswer, at: parsePlace(field)}, nil
	case name == "mint":
		return piece{kind: minted}, nil
	case name == "now":
		return piece{kind: theTime}, nil
	case strings.HasPrefix(name, "now+"), strings.HasPrefix(name, "now-"):
		if add, err := time.ParseDuration(name[len("now"):]); err == nil {
			return piece{kind: theTime, add: add}, nil
		}
	}
	return piece{}, fmt.Errorf("expected ${request.FIELD}, ${answer.FIELD}, ${mint}, ${now} or "+
		"${now+1h}, found %s", quote("${"+name+"}"))
}

// refers reports whether a value has references.
func (v value) refers() bool {
	for _, p := range v {
		if p.kind != literal {
			return true
		}
	}
	return false
}
