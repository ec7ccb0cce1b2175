package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Bounds of one JSON request. Documents 1 and 2 state none (document 1, Limits, 4); these
// are generous, so that only what is plainly oversized is refused.
const (
	maxText   = 255  // of a text, in characters
	maxSealed = 4096 // of a text that is encrypted
	maxList   = 1000 // of a list, in items
)

// sealedFields may be as long as an encrypted value.
var sealedFields = map[string]bool{
	"encryptedCardNumber": true, "encryptedPinValue": true, "newPinData": true,
	"token": true, "pin": true,
}

// level is an object or a list that a reader is inside of.
type level struct {
	object bool
	name   string // of the field that it is the value of
	named  bool   // of an object: a name was read, its value comes next
	field  string // that name
	items  int    // of a list
}

// DecodeSized reads a JSON object and refuses an oversized one.
func DecodeSized(body []byte, into any) error {
	if err := DecodeObject(body, into); err != nil {
		return err
	}
	return checkSizes(body)
}

// checkSizes reports the first field of a valid JSON document that is oversized. Unknown
// fields count too. It reads token by token, so depth costs nothing.
func checkSizes(body []byte) error {
	tokens := json.NewDecoder(bytes.NewReader(body))
	tokens.UseNumber()
	open := []level{{}}
	for {
		token, err := tokens.Token()
		if err != nil {
			return nil // the end; what is no JSON was refused before
		}
		top := &open[len(open)-1]
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if name, isText := token.(string); isText && top.object && !top.named {
			top.field, top.named = name, true
			continue
		}
		name := top.take()
		if err := checkSize(name, token, top.items); err != nil {
			return err
		}
		if delim, isDelim := token.(json.Delim); isDelim {
			open = append(open, level{object: delim == '{', name: name})
		}
	}
}

// take counts a value and tells the name it goes by: items go by the name of their list.
func (l *level) take() string {
	if l.object {
		l.named = false
		return l.field
	}
	l.items++
	return l.name
}

func checkSize(name string, token json.Token, items int) error {
	limit := maxText
	if sealedFields[name] {
		limit = maxSealed
	}
	text, isText := token.(string)
	switch {
	case isText && !Within(limit)(text):
		return errors.New(shown(name) + " is too long")
	case items > maxList:
		return errors.New(shown(name) + " has too many items")
	}
	return nil
}

// shown names a field, if the name looks like one: a client may have put anything there.
func shown(name string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	word := strings.TrimRight(name, "0123456789")
	if word == "" || strings.Trim(word, letters) != "" || len(name)-len(word) > 2 || len(name) > 40 {
		return "a field"
	}
	return "field " + name
}
