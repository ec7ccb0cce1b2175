package gateway

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
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
	return p, wire.DecodeObject(body, &ignored)
}

// readJSON reads the body of a JSON call: its texts, numbers and booleans by name. Of a name
// given twice the last value counts, even if it is none of these.
func readJSON(body []byte) (params, error) {
	if err := wire.DecodeObject(body, &map[string]json.RawMessage{}); err != nil {
		return nil, err
	}
	p := params{}
	gjson.ParseBytes(body).ForEach(func(name, value gjson.Result) bool {
		p[name.String()] = value.String()
		if value.Type == gjson.JSON || value.Type == gjson.Null {
			delete(p, name.String())
		}
		return true
	})
	return p, nil
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

// isFullURL tells whether s is a full address including the protocol (document 3,
// register.do), of at most 512 characters. The protocol may be an app's own.
func isFullURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && u.Host != "" && wire.Within(512)(s)
}

// isEmail tells whether s looks like an address: one "@" between two parts, at most 254
// characters.
func isEmail(s string) bool {
	name, host, found := strings.Cut(s, "@")
	return found && name != "" && host != "" && wire.Within(254)(s) &&
		!strings.ContainsAny(host, "@ ") && !strings.Contains(name, " ")
}

// isSeconds tells whether s is a time to pay, one to nine digits (document 3,
// registerP2P.do).
func isSeconds(s string) bool {
	return wire.IsDigits(s) && len(s) <= 9 && strings.Trim(s, "0") != ""
}

func isLocalTime(s string) bool {
	return wire.IsTime(wire.LocalForm, s)
}

// deadline is when an order registered now times out, as its parameters say: at an explicit
// date, in the zone of the clock, else after sessionTimeoutSecs, else after the default
// (document 3, registerP2P.do and Limits, 2). The parameters were checked.
func (p params) deadline(dateName string, now time.Time) time.Time {
	date, err := time.ParseInLocation(wire.LocalForm, p[dateName], now.Location())
	if err == nil {
		return date
	}
	seconds, err := strconv.Atoi(p["sessionTimeoutSecs"])
	if err == nil {
		return now.Add(time.Duration(seconds) * time.Second)
	}
	return now.Add(orderLifetime)
}

// isObject tells whether s is a JSON object.
func isObject(s string) bool {
	return json.Valid([]byte(s)) && gjson.Parse(s).IsObject()
}

// jsonParams lists the entries of the parameter jsonParams in their order.
func (p params) jsonParams() []wire.NameValue {
	list := []wire.NameValue{}
	gjson.Parse(p["jsonParams"]).ForEach(func(name, value gjson.Result) bool {
		list = append(list, wire.NameValue{Name: name.String(), Value: value.String()})
		return true
	})
	return list
}
