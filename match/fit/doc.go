// Package fit tells how well a profile fits a tape: what of the profile the tape never uses, and
// what of the tape the profile does not know.
//
// A profile is written against documents, a memory, or one recording. A row with a misspelt key is
// as silent as a row for a field that happens not to be on tape, and a path with a letter too many
// leaves its calls to inference. A tape brings both to light. For a shop whose profile says
// "orderNo" where the API says "orderNumber":
//
//	mine.yaml:14:7: row never used: no request of register on tape has the field "orderNo"
//	register: request orderNumber has no row (#1, 12 times)
//
// A finding is a place where the two do not meet, and not yet a mistake: a tape of three calls uses
// a few rows of a good profile. Only rows of operations that are on tape are looked for, and only
// rows that the user has written: those of a profile of ours, on top of which the user's lies, are
// ours.
package fit

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/paytape/paytape/internal/profile"
)

// Kind says what does not fit.
type Kind string

// The kinds of findings, in the order in which they are listed.
const (
	// Broken: the file cannot be read as a profile.
	Broken Kind = "mistake"
	// UnusedOperation: no exchange has the path and one of the methods of an operation.
	UnusedOperation Kind = "operation-unused"
	// UnusedRow: no exchange of the operation has the field.
	UnusedRow Kind = "row-unused"
	// UnboundNoun: requests name something that no answer mints and no client brings.
	UnboundNoun Kind = "noun-unbound"
	// UnknownCall: a call lies below the paths of the profile, and no operation has it.
	UnknownCall Kind = "call-unknown"
	// UncoveredSecret: cleaning found a secret by its look or its name, and no row says so.
	UncoveredSecret Kind = "secret-uncovered"
	// FieldWithoutRow: no row says what a field is.
	FieldWithoutRow Kind = "field-without-row"
)

// Finding is a place where a profile and a tape do not meet.
type Finding struct {
	Kind Kind `json:"kind"`
	// File, Line and Column are where the profile says what the finding is about. They are missing
	// where the profile says nothing.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Operation is the name of an operation, or the method and path of a call without one.
	Operation string `json:"operation,omitempty"`
	Side      string `json:"side,omitempty"`  // request or response
	Field     string `json:"field,omitempty"` // as the key of a row
	Noun      string `json:"noun,omitempty"`
	// Exchange is the number of the first exchange that shows it, and Times at how many places the
	// tape does.
	Exchange int `json:"exchange,omitempty"`
	Times    int `json:"times,omitempty"`
	// Text says it all in words, without a value of the tape.
	Text string `json:"text"`
	// Row is a row of a profile that would mend it; empty where nobody knows one.
	Row string `json:"row,omitempty"`
}

// broken is an error of package profile: "mine.yaml:2:7: expected ...".
var broken = regexp.MustCompile(`^(.+?):(\d+):(\d+): (.*)$`)

// Mistakes are the findings of a file that cannot be read as a profile. The error says where the
// mistakes are.
func Mistakes(err error) []Finding {
	var all []Finding
	for _, err := range profile.EachMistake(err) {
		all = append(all, mistake(err))
	}
	return all
}

func mistake(err error) Finding {
	f := Finding{Kind: Broken, Text: err.Error()}
	if at := broken.FindStringSubmatch(f.Text); at != nil {
		f.File, f.Text = at[1], at[4]
		f.Line, _ = strconv.Atoi(at[2])
		f.Column, _ = strconv.Atoi(at[3])
	}
	return f
}

// String writes the finding on a line, as compilers do.
func (f Finding) String() string {
	if f.File == "" {
		return f.Text
	}
	return profile.Origin{File: f.File, Line: f.Line, Column: f.Column}.Position() + ": " + f.Text
}

// seen counts the places at which something is on tape.
type seen struct{ first, times int }

func (s *seen) at(number int) {
	if s.times++; s.times == 1 {
		s.first = number
	}
}

// where says at which places something is on tape.
func (s seen) where() string {
	if s.times == 1 {
		return fmt.Sprintf("(#%d)", s.first)
	}
	return fmt.Sprintf("(#%d, %d times)", s.first, s.times)
}

// sideOf names the half of an exchange as a profile does.
func sideOf(d profile.Direction) string {
	if d == profile.Request {
		return "request"
	}
	return "response"
}
