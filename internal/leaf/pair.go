package leaf

import (
	"strings"

	"github.com/tidwall/gjson"
)

// nameKeys are the members of an object that may say what its value is, the best first: lists of
// names and values have "name", servers that refuse a field say "field", "param" or "path".
var nameKeys = []string{
	"name", "field", "fieldName", "param", "paramName", "parameter", "property", "propertyPath",
	"attribute", "path", "key", "loc", "label", "id", "type",
}

// refusedKeys are the members that repeat a value which was refused. Beside them "name" may be
// that of the object.
var refusedKeys = []string{
	"rejectedValue", "invalidValue", "attemptedValue", "actualValue", "input", "received",
}

// pairNames is what an object calls its value.
type pairNames struct {
	value   string // of "value"
	refused string // of one of refusedKeys
}

// of returns the name of a member, "" if it is none that has one.
func (p pairNames) of(key string) string {
	switch {
	case p.value == "":
	case strings.EqualFold(key, "value"):
		return p.value
	case contains(refusedKeys, key):
		return p.refused
	}
	return ""
}

// namesIn returns what the members of an object call its value; nothing if it has none.
func namesIn(object gjson.Result) pairNames {
	best, second := len(nameKeys), len(nameKeys)
	var p pairNames
	valued := false
	object.ForEach(func(key, v gjson.Result) bool {
		if strings.EqualFold(key.Str, "value") || contains(refusedKeys, key.Str) {
			valued = true
			return true
		}
		at := indexOf(nameKeys, key.Str)
		name := lastText(v)
		if at < 0 || name == "" {
			return true
		}
		if at < best {
			best, p.value = at, name
		}
		if at > 0 && at < second {
			second, p.refused = at, name
		}
		return true
	})
	if !valued {
		return pairNames{}
	}
	if p.refused == "" {
		p.refused = p.value
	}
	return p
}

// pairForm names the values of a form that has names and values as parameters of their own:
// "field=cvc&value=1", "params[0].name=cvc&params[0].value=1". Of the leaves those of the form
// itself lie in the holder.
func pairForm(form []Leaf, in *Holder) {
	var names map[string]string // by what stands before the last part of a key
	for i := range form {
		l := &form[i]
		if l.in != in || !mayEndValue(l.Key) {
			continue
		}
		before, last := cutKey(l.Key)
		if !strings.EqualFold(last, "value") && !contains(refusedKeys, last) {
			continue
		}
		if names == nil {
			names = namesOfForm(form, in)
		}
		l.Name = names[before]
	}
}

// mayEndValue turns away nearly every key whose last part is neither "value" nor one of refusedKeys:
// those end with "value", "input" or "received".
func mayEndValue(key string) bool {
	key = strings.TrimSuffix(key, "]")
	if key == "" {
		return false
	}
	switch key[len(key)-1] {
	case 'e', 't', 'd', 'E', 'T', 'D':
	default:
		return false // nearly always
	}
	for _, end := range [...]string{"value", "input", "received"} {
		if len(key) >= len(end) && strings.EqualFold(key[len(key)-len(end):], end) {
			return true
		}
	}
	return false
}

func namesOfForm(form []Leaf, in *Holder) map[string]string {
	names, best := map[string]string{}, map[string]int{}
	for i := range form {
		if form[i].in != in {
			continue
		}
		before, last := cutKey(form[i].Key)
		at := indexOf(nameKeys, last)
		if old, known := best[before]; at >= 0 && (!known || at < old) {
			names[before], best[before] = form[i].Value, at
		}
	}
	return names
}

// cutKey cuts the key of a parameter before its last part: "a[0].name" and "a[0][name]" have
// "a[0]" and "name".
func cutKey(key string) (before, last string) {
	key = strings.TrimSuffix(key, "]")
	if at := strings.LastIndexAny(key, ".["); at >= 0 {
		return key[:at], key[at+1:]
	}
	return "", key
}

// lastText returns a string, or the last one of a list: ["body", "card", "cvc"].
func lastText(v gjson.Result) string {
	if !v.IsArray() {
		if v.Type == gjson.String {
			return v.Str
		}
		return ""
	}
	last := ""
	v.ForEach(func(_, item gjson.Result) bool {
		if item.Type == gjson.String {
			last = item.Str
		}
		return true
	})
	return last
}

func contains(keys []string, key string) bool { return indexOf(keys, key) >= 0 }

// indexOf returns where a key is in a list, whatever its case; -1 if it is not.
func indexOf(keys []string, key string) int {
	for i, k := range keys {
		if strings.EqualFold(k, key) {
			return i
		}
	}
	return -1
}
