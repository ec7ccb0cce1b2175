package match_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// The payer of a 3-D Secure flow, as the form of the ACS sends the answer.
const (
	payerConfirms = "POST /payment/acs/answer action=confirm&password="
	payerCancels  = "POST /payment/acs/answer action=cancel&password="
)

// TestACredentialTakesAwayItsOwnMarks says of some credentials of a request that they are good. The
// marks of all other fields stay, and a field that decides what becomes of a payment is no
// credential, whatever its name.
func TestACredentialTakesAwayItsOwnMarks(t *testing.T) {
	t.Parallel()
	order := registers("A-1") + registered(oldID)
	refused := strings.Replace(registers("A-0"), "token-1", "token-2", 1) +
		` => {"errorCode":"5","errorMessage":"Access denied"}`
	seToken := strings.Replace(pay, "$PAN=4000000000050002&$CVC=000&$EXPIRY=203012", "seToken=%T", 1)
	paysWithToken := func(token string) string { return strings.Replace(seToken, "%T", token, 1) }
	good := func(name, value string) match.Credential { return match.Credential{Name: name, Value: value} }
	const pin = v1 + `generatePin {"cardIdentification":{"encryptedCardNumber":"e1"},` +
		`"encryptedCardNumber":"%E","pinDeliveryMethod":"SMS"}`
	ownAPI := func(key, otp, says string) string {
		return `POST /own/pay api_key=` + key + `&otp=` + otp + ` => {"says":"` + says + `"}`
	}
	for _, test := range []struct {
		name   string
		tape   []*leaf.Exchange
		known  match.Credentials
		before string // registers an order, if the request needs one
		send   string
		mark   string
	}{
		{"a password says nothing of the card in a token",
			tape(order, paysWithToken("REDACTED-token-2")+oldID+` => {"errorCode":0}`),
			match.Credentials{good("password", "REDACTED-token-1")}, registers("B-1"),
			paysWithToken("live") + "$id$", "assumed=secret"},
		{"a key says nothing of an encrypted card",
			authorized(tape(strings.Replace(pin, "%E", "REDACTED-token-3", 1) + ` => {"responseCode":"00"}`)),
			match.Credentials{good("Authorization", liveLogin)}, "",
			strings.Replace(pin, "%E", "live", 1), "assumed=secret"},
		{"a password says nothing of a login that is not on tape", tape(order),
			match.Credentials{good("password", "REDACTED-token-1")}, "",
			strings.Replace(registers("B-1"), "userName=u", "userName=nobody", 1), "assumed=login"},
		{"a login that is said to be good", tape(order), match.Credentials{good("userName", "another")}, "",
			strings.Replace(registers("B-1"), "userName=u", "userName=another", 1), ""},
		{"a login says nothing of a password", tape(refused, order),
			match.Credentials{good("userName", "u")}, "", registers("B-1"), "ambiguous"},
		{"a password that is said to be good", tape(refused, order),
			match.Credentials{good("password", "REDACTED-token-1")}, "", registers("B-1"), ""},
		{"a login and a password that are said to be good", tape(refused, order),
			match.Credentials{good("userName", "u"), good("password", "REDACTED-token-1")}, "",
			registers("B-1"), ""},
		{"a key says nothing of another secret that decides",
			tape(ownAPI("REDACTED-token-1", "REDACTED-token-2", "yes"),
				ownAPI("REDACTED-token-1", "REDACTED-token-3", "no")),
			match.Credentials{good("api_key", "live")}, "",
			"POST /own/pay api_key=live&otp=123456", "ambiguous"},
		{"a key that decides, and all secrets are said to be good",
			tape(ownAPI("REDACTED-token-1", "REDACTED-token-2", "yes"),
				ownAPI("REDACTED-token-3", "REDACTED-token-2", "no")),
			match.Credentials{good("api_key", "live"), good("otp", "123456")}, "",
			"POST /own/pay api_key=live&otp=123456", ""},
		{"the payer's password, of the name of the shop's",
			tape(payerConfirms + "REDACTED-token-3 => {}"),
			match.Credentials{good("password", "REDACTED-token-1")}, "", payerConfirms + "1234",
			"assumed=secret"},
		{"the payer's password, of the value of the shop's",
			tape(payerConfirms + "REDACTED-token-3 => {}"),
			match.Credentials{good("password", "REDACTED-token-1")}, "",
			payerConfirms + "REDACTED-token-1", "assumed=secret"},
		{"a payer who cancels without a password", tape(payerCancels + " => {}"),
			match.Credentials{good("password", "REDACTED-token-1")}, "", payerCancels, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := replayKnowing(t, test.known, test.tape)
			if test.before != "" {
				s.keep("id", s.hit(test.before), `"orderId":"`)
			}
			a, miss := s.withLogin(test.send)
			if miss != nil {
				t.Fatalf("missed: %s (%s)", miss.Sentence, miss.Hint)
			}
			if a.Mark != test.mark {
				t.Errorf("the answer has the mark %q, want %q", a.Mark, test.mark)
			}
		})
	}
}

// A wrong password of the payer, the right one and a cancelled payment are answered with a file of
// credentials as without it.
func TestThePayerIsAnsweredAsWithoutAFile(t *testing.T) {
	t.Parallel()
	xs := tape(payerConfirms+"REDACTED-token-2 => wrong password", payerConfirms+"REDACTED-token-3 => goes on",
		payerCancels+" => cancelled")
	var without []string
	for _, known := range []match.Credentials{nil, {{Name: "password", Value: "hunter2"}}} {
		s := replayKnowing(t, known, xs)
		var got []string
		for _, line := range []string{payerConfirms + "1", payerConfirms + "1234", payerCancels} {
			a, miss := s.serve(line)
			if miss != nil {
				t.Fatalf("missed: %s", miss.Sentence)
			}
			a.Delivered(true)
			got = append(got, a.Body+" "+a.Mark)
		}
		if known == nil {
			without = got
		} else if !slices.Equal(got, without) {
			t.Errorf("with a file %q, without it %q", got, without)
		}
	}
}

// A refusal is served to a login of which nothing is known, though a refusal is all that the tape has;
// the right password of the file gets none.
func TestARefusalIsNoAnswerToGoodCredentials(t *testing.T) {
	t.Parallel()
	xs := tape(strings.Replace(registers("A-0"), "token-1", "token-2", 1) +
		` => {"errorCode":"5","errorMessage":"Access denied"}`)
	for name, served := range map[string]bool{"userName": true, "password": false} {
		value := map[string]string{"userName": "u", "password": "REDACTED-token-1"}[name]
		s := replayKnowing(t, match.Credentials{{Name: name, Value: value}}, xs)
		if _, miss := s.serve(registers("B-1")); (miss == nil) != served {
			t.Errorf("%s is good: served %v, want %v", name, miss == nil, served)
		}
	}
}

// replayKnowing is replay with credentials of which something is known.
func replayKnowing(t *testing.T, known match.Credentials, xs []*leaf.Exchange) *session {
	t.Helper()
	s := replay(t, xs)
	s.opts.Credentials = known
	s.player = match.NewPlayer(match.Compile(s.opts, match.Cassette{Name: "t", Exchanges: xs}))
	return s
}

// liveLogin is the header Authorization of a live request: user "u", password "p" (RFC 7617).
const liveLogin = "Basic dTpw"

// authorized gives recorded requests the header Authorization, as it stands on a tape.
func authorized(xs []*leaf.Exchange) []*leaf.Exchange {
	for _, x := range xs {
		x.Request.Headers = http.Header{"Authorization": {"Basic REDACTED-token-1"}}
	}
	return xs
}

// withLogin is serve of a request that has the header Authorization, which counts for APIs whose profile
// names it.
func (s *session) withLogin(line string) (*match.Answer, *match.Miss) {
	s.t.Helper()
	for name, v := range s.ids {
		line = strings.ReplaceAll(line, "$"+name+"$", v)
	}
	method, target, body := requestLine(line)
	header := http.Header{"Authorization": {liveLogin}}
	a, miss := s.player.Serve(match.NewRequest(s.opts.Profiles, method, target, header, body))
	explained(s.t, a, miss)
	return a, miss
}
