package leaf

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Elements returns where in a JSON body the elements of an array lie: the offsets at which each
// begins and ends. The shape is that of the array, names joined by dots; "" is the body itself. It
// returns false for a body that is no single JSON document, or has no array there.
func Elements(body, shape string) ([][2]int, bool) {
	if len(body) > MaxJSON || !looksJSON(body) {
		return nil, false
	}
	documents := split(nil, body, 0)
	if len(documents) != 1 {
		return nil, false
	}
	at := documents[0].from
	array := gjson.Parse(body[at:documents[0].to])
	for name := range strings.SplitSeq(shape, ".") {
		if name != "" {
			array, at = member(array, name, at)
		}
	}
	if !array.IsArray() {
		return nil, false
	}
	// Between two elements is nothing but a comma and white space, so each is found where its text
	// comes first behind the one before.
	spans, behind := [][2]int{}, 1
	array.ForEach(func(_, element gjson.Result) bool {
		behind += strings.Index(array.Raw[behind:], element.Raw)
		spans = append(spans, [2]int{at + behind, at + behind + len(element.Raw)})
		behind += len(element.Raw)
		return true
	})
	return spans, true
}

// member returns the member of an object, whatever characters its name has, and where it lies: the
// object lies at an offset.
func member(object gjson.Result, name string, at int) (gjson.Result, int) {
	var found gjson.Result
	if !object.IsObject() {
		return found, at
	}
	behind := 0
	object.ForEach(func(key, value gjson.Result) bool {
		behind += strings.Index(object.Raw[behind:], key.Raw) + len(key.Raw)
		behind += strings.Index(object.Raw[behind:], value.Raw)
		if key.String() == name {
			found = value
			return false
		}
		behind += len(value.Raw)
		return true
	})
	return found, at + behind
}
