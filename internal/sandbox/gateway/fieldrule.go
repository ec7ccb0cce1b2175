package gateway

import (
	"github.com/paytape/paytape/internal/sandbox/wire"
	"github.com/tidwall/gjson"
)

// kind is the JSON type of a field. Which types the gateway tells apart is not shown. Here a
// number may stand for a text and a text of digits for an integer, since one table asks for
// amount as an Integer and the next as a String (document 3, registerP2P.do, verifyP2P.do);
// nothing else is taken for something that it is not.
type kind int

const (
	kindText    kind = iota
	kindInteger      // without sign, fraction or exponent
	kindBoolean
	kindObject
	kindList // of objects
)

// fieldRule is what a field of a JSON call must be, after a row of a table in document 3.
type fieldRule struct {
	name     string
	kind     kind
	required bool              // absent, null or empty is errorCode 4
	ok       func(string) bool // of a value that is given; nil allows any
	refusal  *refusal          // when the value is wrong; nil means errValue
	fields   []fieldRule       // of an object, or of each item of a list
}

// checkFields applies the rules to an object in their order and reports the first breach.
// Fields without a rule are passed over, as unknown parameters are in form calls.
func checkFields(object gjson.Result, rules []fieldRule) error {
	given := members(object)
	for _, rule := range rules {
		value := given[rule.name]
		switch {
		case isBlank(value) && rule.required:
			return errMissing.about(rule.name)
		case isBlank(value):
			continue
		}
		if err := rule.check(value); err != nil {
			return err
		}
	}
	return nil
}

// check looks at a value that is not blank.
func (f fieldRule) check(value gjson.Result) error {
	switch {
	case !f.kind.covers(value) || f.ok != nil && !f.ok(value.String()):
		if f.refusal != nil {
			return f.refusal.about(f.name)
		}
		return errValue.about(f.name)
	case f.kind == kindObject:
		return checkFields(value, f.fields)
	case f.kind == kindList:
		for _, item := range value.Array() {
			if !item.IsObject() {
				return errValue.about(f.name)
			}
			if err := checkFields(item, f.fields); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k kind) covers(value gjson.Result) bool {
	switch k {
	case kindText:
		return value.Type == gjson.String || value.Type == gjson.Number
	case kindInteger:
		return wire.IsDigits(digitsOf(value))
	case kindBoolean:
		return value.IsBool()
	case kindObject:
		return value.IsObject()
	}
	return value.IsArray()
}

// digitsOf is the number as it was written: 1e3 and 1.0 are no Integers.
func digitsOf(value gjson.Result) string {
	if value.Type == gjson.Number {
		return value.Raw
	}
	return value.Str
}

// members reads an object. Of a name given twice the last value counts, as in readJSON.
func members(object gjson.Result) map[string]gjson.Result {
	given := map[string]gjson.Result{}
	if object.IsObject() {
		object.ForEach(func(name, value gjson.Result) bool {
			given[name.String()] = value
			return true
		})
	}
	return given
}

// isBlank tells whether a value counts as absent.
func isBlank(value gjson.Result) bool {
	return value.Type == gjson.Null || value.Type == gjson.String && value.Str == ""
}

// pairs reads a list of {name, value} objects, which is never nil.
func pairs(list gjson.Result) []wire.NameValue {
	read := []wire.NameValue{}
	for _, item := range list.Array() {
		given := members(item)
		read = append(read, wire.NameValue{
			Name: given["name"].String(), Value: given["value"].String(),
		})
	}
	return read
}
