package match_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// wrappings put a packed message into an address, as sandboxes redirect a browser with one.
var wrappings = map[string]func(string) string{
	"a parameter": func(v string) string { return "https://acs.example/auth?creq=" + v + "&l=en" },
	"two levels": func(v string) string {
		return "https://shop.example/x?a=b&to=" + url.QueryEscape("https://acs.example/auth?creq="+
			v+"&l=en")
	},
	"three levels": func(v string) string {
		return "https://shop.example/x?to=" + url.QueryEscape("https://y.example/?to="+
			url.QueryEscape("https://acs.example/auth?creq="+v))
	},
	"a form in a string": func(v string) string { return "MD=7&creq=" + v },
}

// carriers put an address into an answer to a payment.
var carriers = map[string]func(x *leaf.Exchange, address string){
	"a field": func(x *leaf.Exchange, a string) {
		x.Response.Body = `{"errorCode":0,"redirect":"` + a + `","threeDSServerTransId":"` + tdsID + `"}`
	},
	"a field no profile knows": func(x *leaf.Exchange, a string) {
		x.Response.Body = `{"threeDSServerTransId":"` + tdsID + `","next":{"go":"` + a + `"}}`
	},
	"a page": func(x *leaf.Exchange, a string) {
		x.Response.Body = `<html><iframe src="` + strings.ReplaceAll(a, "&", "&amp;") +
			`"></iframe></html>`
	},
	"a header": func(x *leaf.Exchange, a string) {
		x.Response.Body = `{"errorCode":0}`
		x.Response.Headers.Add("Location", a)
	},
	"the second value of a header": func(x *leaf.Exchange, a string) {
		x.Response.Headers.Add("Link", "<https://gw.example/help>; rel=help")
		x.Response.Headers.Add("Link", "<"+a+">; rel=next")
	},
	"text": func(x *leaf.Exchange, a string) { x.Response.Body = "continue at " + a },
}

// TestMessagesInAddresses plays a payment whose answer leads to the ACS by an address that holds
// a packed message. The ids in it are those of this run, and the browser is recognised by them.
func TestMessagesInAddresses(t *testing.T) {
	for how, wrap := range wrappings {
		for where, carry := range carriers {
			t.Run(how+" in "+where, func(t *testing.T) {
				xs := tape(registers("A-1")+registered(oldID), pay+oldID+" => ",
					"GET /payment/acs/challenge?creq="+challenge(tdsID, acsID)+" => <p>challenge</p>",
					finishes+tdsID+` => {"errorCode":0,"redirect":"https://shop.example/r?orderId=`+oldID+`"}`)
				carry(xs[1], wrap(challenge(tdsID, acsID)))
				s := replay(t, xs)
				s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
				a, miss := s.serve(pay + "$id$")
				if miss != nil {
					t.Fatal(miss.Sentence)
				}
				m := leaf.Read(leaf.Message{Header: a.Header, Body: a.Body})
				live := map[string]string{}
				var h *leaf.Holder
				for i := range m.Leaves {
					if l := &m.Leaves[i]; l.Passage() != nil {
						live[l.Key], h = l.Value, l.Passage()
					}
				}
				tds, acs := live["threeDSServerTransID"], live["acsTransID"]
				if h == nil || tds == tdsID || acs == acsID || len(tds)+len(acs) != 72 {
					t.Fatalf("the message holds %q and %q: %s %v", tds, acs, a.Body, a.Header)
				}
				if want := challenge(tds, acs); h.Leaf.Value != want {
					t.Errorf("the message is %s, want %s", h.Leaf.Value, want)
				}
				if strings.Contains(a.Body, tdsID) ||
					strings.Contains(a.Body, "threeDSServerTransId") && !strings.Contains(a.Body, tds) {
					t.Errorf("another id outside than inside: %s", a.Body)
				}
				s.hit("GET /payment/acs/challenge?creq=" + h.Leaf.Value)
				if got := s.hit(finishes + tds); !strings.Contains(got, s.ids["id"]) {
					t.Errorf("finished with %s", got)
				}
			})
		}
	}
}

// TestAddressesSentBack sends the address of an answer on to an API that no profile knows. What
// is packed in it is compared by what it holds.
func TestAddressesSentBack(t *testing.T) {
	address := func(message string) string { return "https://acs.example/auth?data=" + message + "&l=en" }
	opens := func(message string) string {
		return `POST /browser/open {"url":"` + address(message) + `","wait":5}`
	}
	s := replay(t, tape(
		registers("A-1")+registered(oldID),
		pay+oldID+` => {"errorCode":0,"redirect":"`+address(challenge(tdsID, acsID))+`"}`,
		opens(challenge(tdsID, acsID))+` => {"opened":"`+acsID+`"}`,
	))
	s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
	s.keep("data", s.hit(pay+"$id$"), "data=")
	raw, text := unpacked(t, `"`+s.ids["data"]+`"`, `"`)
	s.keep("acs", text, `"acsTransID":"`)
	other := packed(strings.Replace(text, "{", `{"x":"1",`, 1))
	m := s.miss(opens(other))
	if !strings.Contains(m.Sentence, "url>data>x is not on tape") {
		t.Errorf("%s: %s", m.Reason, m.Sentence)
	}
	m = s.miss(strings.Replace(opens(raw), "l=en", "l=de", 1))
	if !strings.Contains(m.Sentence, "url differs") {
		t.Errorf("%s: %s", m.Reason, m.Sentence)
	}
	if got, want := s.hit(opens(raw)), `{"opened":"`+s.ids["acs"]+`"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestAddressesToReturnToBind has a client whose return address holds a message on tape, and
// none or another today.
func TestAddressesToReturnToBind(t *testing.T) {
	to := func(number, address string) string {
		return strings.Replace(registers(number), "https://shop.example/r", url.QueryEscape(address), 1)
	}
	s := replay(t, tape(
		to("A-1", "https://shop.example/r?s="+packed(`{"cart":"c-1","user":7}`))+registered(oldID),
		pay+oldID+` => {"redirect":"https://shop.example/r?s=`+packed(`{"cart":"c-1","user":7}`)+
			`&orderId=`+oldID+`"}`,
	))
	for i, address := range []string{
		"https://other.example/", "https://shop.example/r?s=" + packed(`{"user":8}`),
	} {
		s.keep("id", s.hit(to("B-"+strconv.Itoa(i), address)), `"orderId":"`)
		if got := s.hit(pay + "$id$"); !strings.Contains(got, `"`+address) || !strings.Contains(got, s.ids["id"]) {
			t.Errorf("to %s led %s", address, got)
		}
	}
}
