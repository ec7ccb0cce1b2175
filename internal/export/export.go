// Package export writes what is on a tape for other programs: as a script of curl, as a collection of
// Postman, and as a sequence diagram of Mermaid. Package har writes HTTP archives.
//
// All three take the tape flow by flow. Register, pay, status and a callback come out as
//
//	script      curl "$BASE/payment/rest/register.do" --data-urlencode "password=$PASSWORD" ...
//	            three commands, and above them what $BASE is and what $PASSWORD stands for
//	collection  a folder for the flow, with three requests; each has the recorded answer for an example
//	diagram     four arrows and their answers: client to pay.example, and pay.example to the shop
//
// A callback is sent by the sandbox, so a script and a collection have none.
//
// What is written holds no secret: it takes exchanges that were cleaned, and words about these. In the
// place of a secret stands a variable, whose value the reader sets (package curl). The ids of a tape
// stand as they were recorded, so the calls of a flow agree with each other: "paytape replay --ids
// recorded" answers them.
//
// Texts of a tape come from a sandbox and from clients, and may be made to do harm. In a script they
// stand in quotes, and in comments on one line without control characters. In a diagram all but
// letters, digits and a few signs are written by number. In a collection they cannot be taken for
// variables: two braces in a row are written as an escape of the address, the form, the JSON or the
// XML that they stand in. A header and a plain text know no escapes, and get a space between the
// braces.
package export

import (
	"strings"
	"unicode"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

// Tape is what is exported.
type Tape struct {
	Name     string
	Flows    []Flow
	Profiles *profile.Set // that know which fields are secrets
}

// Flow is calls that belong together.
type Flow struct {
	Title string // "flow 1: order A-1 - paid 125.00 EUR"
	Calls []Call
}

// Call is an exchange, with the words for it.
type Call struct {
	Exchange redact.Clean
	Name     string // "register.do"
	Outcome  string // "registered 125.00 EUR"; empty if nobody knows
}

// isCallback reports whether the sandbox has sent the request.
func (c Call) isCallback() bool { return c.Exchange.Exchange().Meta.Callback != nil }

// origin returns scheme, host and the path of the upstream.
func origin(x *leaf.Exchange) string { return x.URL[:len(x.URL)-len(x.Target())] }

// line returns a text on one line, without what a terminal would obey.
func line(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	}), " ")
}
