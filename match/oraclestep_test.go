package match_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// oracleStep is one call of a client, as data. Its texts hold ${NAME} for what is not known
// before it is played: values of earlier answers, and values that the client chooses anew for
// each playing. oracleNames says which names there are.
type oracleStep struct {
	call string // what is called: "register.do", "v1 creditCard", "v2 GET /cards/${card}"
	send string // parameters: a form "a=1&b=${x}" or JSON; empty for none
	keep string // values to keep of the answer, NAME=PATH: "order=orderId form=formUrl"
	as   string // whose credentials it carries: "" good ones, "bad" wrong ones, "none"
	// off says that the call does not pass the deck, as of a payer's browser that visits its
	// bank directly: it is not on tape, and replay does not see it.
	off bool
	// broken says that the sandbox was out of order, once: on tape it is a 503, live it is no step.
	broken bool
	// lost says that the client does not get the answer of replay: it sends the same again.
	lost bool
}

// oracleRequest is a step with all its names filled in.
type oracleRequest struct {
	method, target, body string
	header               http.Header
	lost                 bool // the answer does not arrive
}

// Credentials of the stand-ins and the mock APIs.
const (
	oracleUser, oraclePassword = "sandbox-api", "sandbox-password"
	oracleV1User, oracleV1Key  = "sandbox", "sandbox-token"
	oracleV2Key                = "sandbox-key"
	oracleWrong                = "wrong-secret-1"
)

// family returns the first word of a call that says which API it is for, and the rest. A call of
// one word is a form of the gateway.
func (s oracleStep) family() (api, rest string) {
	if api, rest, ok := strings.Cut(s.call, " "); ok {
		return api, rest
	}
	return "form", s.call
}

// isForm reports whether the call is a form of the gateway.
func (s oracleStep) isForm() bool { return !strings.Contains(s.call, " ") }

// operation names the call in counts: without values and without its query.
func (s oracleStep) operation() string {
	name, _, _ := strings.Cut(oracleName.ReplaceAllString(s.call, "{}"), "?")
	return name
}

// waits returns how long a step waits that is no call.
func (s oracleStep) waits() (time.Duration, bool) {
	api, rest := s.family()
	if api != "wait" {
		return 0, false
	}
	d, err := time.ParseDuration(rest)
	return d, err == nil
}

// oracleReads are the calls that change nothing at a stand-in, as far as their names do not tell.
// A job of the REST mock counts who asks for it: that is no read here.
var oracleReads = regexp.MustCompile(`^(get|v1 get|v1 is|v1 cardStatusInquiry|v2 GET|page GET` +
	`|acme GET (/customers|/payments|/refunds|\$\{below)|p2p get|p2p verify` +
	`|ledger .*\.(get|list|nonce))`)

// reads reports whether the call changes nothing: a missed one is asked of the stand-in as well.
func (s oracleStep) reads() bool { return oracleReads.MatchString(s.call) }

// issues reports whether the call may issue a card, or a card anew.
func (s oracleStep) issues() bool {
	return strings.HasPrefix(s.call, "v2 P") || s.call == "v1 createVirtualCard"
}

// oracleName is a name in a text of a step.
var oracleName = regexp.MustCompile(`\$\{([^}]*)\}`)

// uses lists the names that a step holds.
func (s oracleStep) uses() []string {
	var names []string
	for _, m := range oracleName.FindAllStringSubmatch(s.call+" "+s.send, -1) {
		names = append(names, m[1])
	}
	return names
}

// request fills the names in; look must know all of them.
func (s oracleStep) request(look func(name string) string) oracleRequest {
	fill := func(text string, escape func(string) string) string {
		return oracleName.ReplaceAllStringFunc(text, func(name string) string {
			return escape(look(name[2 : len(name)-1]))
		})
	}
	asIs := func(text string) string { return text }
	api, rest := s.family()
	r := oracleRequest{method: "POST", header: http.Header{}, lost: s.lost}
	if strings.HasPrefix(s.send, "{") {
		r.body = fill(s.send, inOracleJSON)
		r.header.Set("Content-Type", "application/json")
	} else if s.send != "" {
		r.body = fill(s.send, url.QueryEscape)
		r.header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if method, path, ok := strings.Cut(rest, " "); ok {
		r.method, rest = method, fill(path, asIs)
	}
	switch api {
	case "form":
		r.target = "/payment/rest/" + rest
		if s.as != "none" {
			r.body = "userName=" + oracleUser + "&password=" + s.secret(oraclePassword) + "&" + r.body
		}
	case "json": // calls of the gateway that take JSON
		r.target, r.body = "/payment/"+rest, s.logIn(r.body, "userName")
	case "p2p":
		r.target, r.body = "/payment/rest/api/p2p/"+rest, s.logIn(r.body, "username")
	case "page":
		r.target = "/payment/" + rest
	case "v1":
		r.target = "/v1/apigate/ws/rest/" + rest
		pair := oracleV1User + ":" + s.secret(oracleV1Key)
		r.header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
	case "v2":
		r.target = "/v2" + rest
		r.header.Set("X-API-KEY", s.secret(oracleV2Key))
	case "acme":
		r.target = acmePath + rest
		r.header.Set("Authorization", "Bearer "+s.secret(acmeKey))
	case "ledger":
		r.target = ledgerPath
		r.body = `{"method":"` + rest + `","params":` + r.body + `}`
	}
	if s.as == "none" {
		r.header.Del("Authorization")
		r.header.Del("X-Api-Key")
	}
	return r
}

// secret is a password as the step says it.
func (s oracleStep) secret(good string) string {
	if s.as == "bad" {
		return oracleWrong
	}
	return good
}

// logIn puts credentials into a JSON body.
func (s oracleStep) logIn(body, user string) string {
	return `{"` + user + `":"` + oracleUser + `","password":"` + s.secret(oraclePassword) + `",` +
		strings.TrimPrefix(body, "{")
}

func inOracleJSON(text string) string {
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}
