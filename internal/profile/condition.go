package profile

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Condition holds for an answer that has this status and, at this key, this text; a profile
// lists several where one is enough.
type Condition struct {
	Status int // 0: any
	// AndMore: Status is the lowest that holds.
	AndMore bool
	Key     string // of the first leaf of the body that has it, whatever its case; "": any body
	Value   string // text of the value at Key, whatever its JSON type
	Not     bool   // Value is what must not stand at Key; an absent Key does not hold
	Present bool   // Key is there, whatever its value
}

// Holds reports whether an answer fulfils the condition. find returns the text of the first
// leaf of the answer's body that has a key, compared without regard to case, and whether there
// is one.
func (c Condition) Holds(status int, find func(key string) (string, bool)) bool {
	if c.Status != 0 && status != c.Status && (!c.AndMore || status < c.Status) {
		return false
	}
	if c.Key == "" {
		return true
	}
	value, found := find(c.Key)
	return found && (c.Present || (value == c.Value) != c.Not)
}

// failedByStatus is what a failed call looks like where no profile tells.
var failedByStatus = []Condition{{Status: http.StatusBadRequest, AndMore: true}}

// Failure returns how the answer of a failed call looks, of which one is enough: what the
// operation says, else what its profile says, else a status of 400 and more.
func (c Call) Failure() []Condition {
	switch {
	case c.Operation != nil && c.Operation.Failed != nil:
		return c.Operation.Failed
	case c.Profile != nil && c.Profile.Failed != nil:
		return c.Profile.Failed
	}
	return failedByStatus
}

// Fails reports whether an answer to the call says that the call has failed; find is as in
// Condition.Holds.
func (c Call) Fails(status int, find func(key string) (string, bool)) bool {
	return slices.ContainsFunc(c.Failure(), func(f Condition) bool { return f.Holds(status, find) })
}

// conditionsInto returns a reader of conditions, each with the keys of the table.
func conditionsInto(out *[]Condition, table func(*Condition) []member,
) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if n.Kind != yaml.SequenceNode {
			return p.expected(n, "a list of conditions")
		}
		*out = []Condition{} // an empty list is not nil: no answer is such
		for _, item := range n.Content {
			var c Condition
			if err := p.members(item, table(&c)); err != nil {
				return err
			}
			if err := c.whole(p, item); err != nil {
				return err
			}
			*out = append(*out, c)
		}
		return nil
	}
}

// deniedKeys are what a condition of "denied" may have.
func deniedKeys(c *Condition) []member {
	return []member{
		{"status", false, statusInto(&c.Status)},
		{"key", false, textInto(&c.Key)},
		{"value", false, textInto(&c.Value)},
	}
}

// failedKeys are what a condition of "failed" may have.
func failedKeys(c *Condition) []member {
	status := member{"status", false, func(p place, n *yaml.Node) error {
		lowest, more := *n, strings.HasSuffix(text(n), "+") // "400+"
		lowest.Value, c.AndMore = strings.TrimSuffix(n.Value, "+"), more
		return statusInto(&c.Status)(p, &lowest)
	}}
	return append([]member{status}, append(deniedKeys(c)[1:],
		member{"not", false, func(p place, n *yaml.Node) error {
			if c.Value != "" {
				return p.expected(n, `either "value" or "not"`)
			}
			c.Not = true
			return textInto(&c.Value)(p, n)
		}},
		member{"present", false, func(p place, n *yaml.Node) error {
			if text(n) != "true" {
				return p.expected(n, "true")
			}
			c.Present = true
			return nil
		}})...)
}

// whole complains about a condition that says nothing, or too much.
func (c Condition) whole(p place, n *yaml.Node) error {
	complete := (c.Key != "") == (c.Value != "" || c.Present)
	switch {
	case c.Key == "" && c.Value == "" && c.Status == 0 && !c.Present, !complete:
		return p.fail(n, errors.New(
			"expected a status, or a key and its value, found half a condition"))
	case c.Present && c.Value != "":
		return p.fail(n, errors.New("expected a value or presence of a key, found both"))
	}
	return nil
}

func statusInto(status *int) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		code, err := strconv.Atoi(text(n))
		if *status = code; err != nil || code < 100 || code > 599 {
			return p.expected(n, "an HTTP status code such as "+
				strconv.Itoa(http.StatusUnauthorized))
		}
		return nil
	}
}
