package gateway

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/sandbox/wire"
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

// The headers of a signed call (domain facts, Signing).
const (
	headerHash      = "X-Hash"
	headerSignature = "X-Signature"
)

// checkSignature checks a call when the shop's public key is known. OCT integrations must sign
// their calls (document 3, Authentication, 2); the calls of other areas may come unsigned, but
// a signature that they bear must be right. What is wrong is denied like a wrong password.
func (op operation) checkSignature(key *rsa.PublicKey, c call) error {
	hash, signature := c.header.Get(headerHash), c.header.Get(headerSignature)
	unsigned := hash == "" && signature == ""
	if key == nil || unsigned && !op.signed {
		return nil
	}
	sum := sha256.Sum256(c.body)
	if !isBase64Of(hash, sum[:]) {
		return errDenied.about(headerHash)
	}
	sealed, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return errDenied.about(headerSignature)
	}
	// RSA-SHA256 signs the 32 bytes of the hash, which are hashed once more for that.
	twice := sha256.Sum256(sum[:])
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, twice[:], sealed) != nil {
		return errDenied.about(headerSignature)
	}
	return nil
}

func isBase64Of(s string, want []byte) bool {
	got, err := base64.StdEncoding.DecodeString(s)
	return err == nil && bytes.Equal(got, want)
}
