package match_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

func packed(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// deflated packs a message as 3-D Secure 1 does.
func deflated(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// The ids of a recorded authentication.
const (
	tdsID = "8a880dc0-d2d2-4067-bcb1-b08d1690b26e"
	acsID = "d7c1ee99-9478-44a6-b1f2-391e29c6b340"
)

func challenge(tds, acs string) string {
	return packed(`{"threeDSServerTransID":"` + tds + `","acsTransID":"` + acs +
		`","messageType":"CReq","messageVersion":"2.1.0"}`)
}

func result(tds, acs string) string {
	return packed(`{"threeDSServerTransID":"` + tds + `","acsTransID":"` + acs +
		`","messageType":"CRes","transStatus":"Y"}`)
}

const (
	post     = "POST /payment/acs/challenge creq="
	finishes = "POST /payment/rest/finish3dsVer2Payment.do userName=u&password=REDACTED-token-1&threeDSServerTransId="
)

// authentication is a payment with a challenge: the packed message in an answer, posted to
// the ACS by the browser, whose page posts the result.
func authentication() []*leaf.Exchange {
	return tape(
		registers("A-1")+registered(oldID),
		pay+oldID+` => {"errorCode":0,"threeDSServerTransId":"`+tdsID+`","packedCReq":"`+
			challenge(tdsID, acsID)+`","acsUrl":"https://sandbox.example/payment/acs/challenge"}`,
		post+challenge(tdsID, acsID)+` => <html><form action="https://sandbox.example/payment/done"`+
			` method=post><input type="hidden" name="cres" value="`+result(tdsID, acsID)+
			`"><input name=MD value='`+oldID+`'></form></html>`,
		"POST /payment/done cres="+result(tdsID, acsID)+"&MD="+oldID+" => <p>done</p>",
		finishes+tdsID+` => {"errorCode":0,"redirect":"https://shop.example/r?orderId=`+oldID+`"}`,
	)
}

// unpacked reads what stands in a body between before and the next quote, and decodes it.
func unpacked(t *testing.T, body, before string) (raw, text string) {
	t.Helper()
	_, rest, found := strings.Cut(body, before)
	if !found {
		t.Fatalf("no %q in %s", before, body)
	}
	raw = rest[:strings.IndexAny(rest, `"'`)]
	b, err := base64.RawURLEncoding.DecodeString(raw)
	if err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return raw, string(b)
}

// TestIDsAgreeInsideAndOutside plays the authentication twice at once: every id is fresh, and
// the one inside a message is the one outside.
func TestIDsAgreeInsideAndOutside(t *testing.T) {
	s := replay(t, authentication())
	seen := map[string]bool{tdsID: true, acsID: true}
	for _, number := range []string{"B-1", "B-2"} {
		s.keep("id", s.hit(registers(number)), `"orderId":"`)
		paid := s.hit(pay + "$id$")
		s.keep("tds", paid, `"threeDSServerTransId":"`)
		if seen[s.ids["tds"]] {
			t.Errorf("%s is not fresh", s.ids["tds"])
		}
		seen[s.ids["tds"]] = true
		creq, text := unpacked(t, paid, `"packedCReq":"`)
		s.keep("acs", text, `"acsTransID":"`)
		if want := challenge(s.ids["tds"], s.ids["acs"]); creq != want || seen[s.ids["acs"]] {
			t.Errorf("the message holds %s", text)
		}
		page := s.hit(post + packed(text))
		cres, text := unpacked(t, page, `name="cres" value="`)
		if cres != result(s.ids["tds"], s.ids["acs"]) {
			t.Errorf("the result holds %s", text)
		}
		if !strings.Contains(page, `name=MD value='`+s.ids["id"]+`'`) {
			t.Errorf("the page is %s", page)
		}
		s.hit("POST /payment/done cres=" + cres + "&MD=$id$")
		if got := s.hit(finishes + "$tds$"); !strings.Contains(got, s.ids["id"]) {
			t.Errorf("finished with %s", got)
		}
	}
}

func TestMissNamesThePlaceInside(t *testing.T) {
	s := replay(t, authentication())
	s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
	_, text := unpacked(t, s.hit(pay+"$id$"), `"packedCReq":"`)
	m := s.miss(post + packed(strings.Replace(text, "2.1.0", "2.2.0", 1)))
	if !strings.Contains(m.Sentence, "creq>messageVersion differs") {
		t.Errorf("%s: %s", m.Reason, m.Sentence)
	}
}

// TestCompressedMessages renews the ids and the addresses in a message of 3-D Secure 1.
func TestCompressedMessages(t *testing.T) {
	message := func(origin, id string) string {
		return `<ThreeDSecure><Message id="7"><PAReq><Merchant><url>u</url></Merchant><TermUrl>` +
			origin + `/payment/x</TermUrl><orderId>` + id + `</orderId></PAReq></Message></ThreeDSecure>`
	}
	s := replay(t, tape(
		registers("A-1")+registered(oldID),
		pay+oldID+` => {"errorCode":0,"paReq":"`+deflated(t, message("https://sandbox.example", oldID))+
			`"}`,
	))
	s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
	_, target, body := requestLine(pay + s.ids["id"])
	r := match.NewRequest(s.opts.Profiles, "POST", target, http.Header{}, body)
	r.Deck = "http://deck.test"
	a, miss := s.player.Serve(r)
	if miss != nil {
		t.Fatal(miss.Sentence)
	}
	m := leaf.Read(leaf.Message{Body: a.Body})
	for i := range m.Leaves {
		if h := m.Leaves[i].Packed(); h != nil {
			if want := message("http://deck.test", s.ids["id"]); h.Text() != want {
				t.Errorf("got %s, want %s", h.Text(), want)
			}
			return
		}
	}
	t.Errorf("nothing is packed in %s", a.Body)
}
