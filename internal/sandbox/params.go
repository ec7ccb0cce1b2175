package sandbox

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// params are the parameters of a gateway call, query and form in one map.
type params map[string]string

// readParams accepts the five forms of one call (domain facts, On the wire): a form body,
// or everything in the query beside an empty body or the body {}. The method and the
// Content-Type decide nothing, since real clients get both wrong. Of a name given twice the
// first value counts, the query before the body.
func readParams(query string, body []byte) (params, error) {
	p := params{}
	p.addPairs(query)
	body = bytes.TrimSpace(body)
	if !bytes.HasPrefix(body, []byte("{")) {
		p.addPairs(string(body))
		return p, nil
	}
	// The operations here take no JSON; a JSON body only has to be one.
	var ignored map[string]json.RawMessage
	return p, decodeObject(body, &ignored)
}

// addPairs reads name=value pairs joined by "&". A pair that cannot be percent-decoded
// counts as absent; ";" is an ordinary character, as in the containers such gateways run on.
func (p params) addPairs(raw string) {
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil || name == "" {
			continue
		}
		value, err = url.QueryUnescape(value)
		if _, given := p[name]; err == nil && !given {
			p[name] = value
		}
	}
}

// paramRule is what a parameter must be.
type paramRule struct {
	name     string
	required bool              // absent or empty is errorCode 4
	ok       func(string) bool // of a value that is given
	refusal  *refusal          // when ok says no; nil means errValue
}

// check applies the rules in order and reports the first breach.
func (p params) check(rules []paramRule) error {
	for _, rule := range rules {
		value := p[rule.name]
		switch {
		case value == "" && rule.required:
			return errMissing.about(rule.name)
		case value == "" || rule.ok(value):
		case rule.refusal != nil:
			return rule.refusal.about(rule.name)
		default:
			return errValue.about(rule.name)
		}
	}
	return nil
}

// within makes a rule of a length limit, in characters.
func within(limit int) func(string) bool {
	return func(s string) bool { return len([]rune(s)) <= limit }
}

// oneOf makes a rule of a list of values.
func oneOf(values ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(values, s) }
}

// isFullURL tells whether s is a full address including the protocol (document 3,
// register.do), of at most 512 characters. The protocol may be an app's own.
func isFullURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && u.Host != "" && within(512)(s)
}

// isObject tells whether s is a JSON object.
func isObject(s string) bool {
	return json.Valid([]byte(s)) && gjson.Parse(s).IsObject()
}

// nameValue is an item of merchantOrderParams and attributes.
type nameValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// jsonParams lists the entries of the parameter jsonParams in their order.
func (p params) jsonParams() []nameValue {
	list := []nameValue{}
	gjson.Parse(p["jsonParams"]).ForEach(func(name, value gjson.Result) bool {
		list = append(list, nameValue{name.String(), value.String()})
		return true
	})
	return list
}
