package match_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// TestOrderNamedByTheClientIsNotOfTheCard has a card that was used before pay for an order of
// the client's own. The payment brings no id that anybody used, and belongs to the order, not to
// whatever the card did before: a client that does this alone is answered as that card was.
func TestOrderNamedByTheClientIsNotOfTheCard(t *testing.T) {
	s := replay(t, tape(
		`POST /tokens {"card_number":"4000000000130002"} => {"status":"active"}`,
		`POST /pay {"ref":"INV51088136","card_number":"4000000000130002"} => {"declined":"INV51088136"}`,
		`POST /pay {"ref":"INV17716046","card_number":"4242420000214242"} => {"id":"TX0323696722","of":"INV17716046"}`,
		`GET /tx/TX0323696722 => {"id":"TX0323696722"}`,
	))
	const card = "400000" + "0000000002"
	got := s.hit(`POST /pay {"ref":"INV99088100","card_number":"` + card + `"}`)
	if want := `{"declined":"INV99088100"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestASecretLeftAsAConstantIsNotCompared has a code in a field that only cleaning knew for one.
func TestASecretLeftAsAConstantIsNotCompared(t *testing.T) {
	xs := tape(`POST /tokens {"security_code":"000","plan":"000"} => {"status":"active"}`)
	xs[0].Meta.Redactions = []string{"request json security_code: cvc"}
	s := replay(t, xs)
	s.hit(`POST /tokens {"security_code":"123","plan":"000"}`)
	s.miss(`POST /tokens {"security_code":"123","plan":"111"}`)
}

// TestAnAddressOfMailIsTheClientsOwn has the client make up an address that the answers repeat. One
// that people thought of may decide.
func TestAnAddressOfMailIsTheClientsOwn(t *testing.T) {
	s := replay(t, tape(
		`POST /customers {"email":"buyer98576@example.com"} => {"id":"cus_8f3a99c01b","email":"buyer98576@example.com"}`,
		`GET /customers/cus_8f3a99c01b => {"email":"buyer98576@example.com"}`,
		`POST /customers {"email":"declined@example.com"} => {"error":"declined@example.com"}`,
	))
	a := s.hit(`POST /customers {"email":"jo.7x2k9@shop.example"}`)
	s.keep("id", a, `"id":"`)
	got := s.hit(`GET /customers/$id$`)
	if want := `{"email":"jo.7x2k9@shop.example"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got = s.hit(`POST /customers {"email":"declined@example.com"}`)
	if want := `{"error":"declined@example.com"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestShortTextsInAFieldOfCardNumbers refunds by the last four digits of the card, in the field in which the
// sale has its number (Authorize.Net, x_card_num). On tape the digits stand as they were sent, and so does
// a mask, a word or nothing.
func TestShortTextsInAFieldOfCardNumbers(t *testing.T) {
	sale := func(card string) string { return "POST /transact type=SALE&x_card_num=" + card }
	refund := func(id, digits string) string {
		return "POST /transact type=CREDIT&x_card_num=" + digits + "&of=" + id
	}
	const id, malformed = "TX0323696722", "400000" + "0000000001"
	card := "400000" + "0000000002"
	for _, text := range []string{"0002", "XXXX0002", "400000" + "******0002", "card", ""} {
		s := replay(t, cleaned(t, tape(sale(card)+` => {"id":"`+id+`"}`,
			refund(id, text)+` => {"refunded":"`+id+`"}`)))
		s.keep("id", s.hit(sale(card)), `"id":"`)
		for _, other := range []string{"0003", card, malformed} {
			s.miss(refund("$id$", other))
		}
		s.miss(sale("0002"))
		s.miss(sale(malformed))
		s.hit(refund("$id$", text))
	}
}

// TestTokensInAListOfPairs has an old gateway answer by names and values that are no form, and send the key
// of each order among these (Sage Pay, SecurityKey). Every order has a key of its own, and needs it.
func TestTokensInAListOfPairs(t *testing.T) {
	for _, end := range []string{"\r\n", "&"} {
		pay := func(n string) string { return "POST /register VendorTxCode=TX-10073" + n }
		paid := func(n, key string) string {
			return strings.Join([]string{"Status=OK", "VPSTxId={8C840C50-9312-468F-90ED-BE6C1A3B003" + n + "}",
				"SecurityKey=" + key, "Last4Digits=0002"}, end)
		}
		release := func(n, key string) string { return "POST /release VendorTxCode=TX-10073" + n + "&SecurityKey=" + key }
		xs := tape(pay("1"), release("1", "TWSXM80WND")+" => Status=OK",
			pay("2"), release("2", "WQE46PKPIS")+" => Status=OK")
		for i, x := range xs {
			x.Response.Headers = http.Header{"Content-Type": {"text/plain"}}
			if i%2 == 0 {
				x.Response.Body = paid(strconv.Itoa(1+i/2), []string{"TWSXM80WND", "WQE46PKPIS"}[i/2])
			}
		}
		foreign(xs)
		xs = cleaned(t, xs)
		if got := xs[2].Response.Body; !strings.Contains(got, "SecurityKey=REDACTED-token-2"+end) {
			t.Fatalf("on tape: %q", got)
		}
		s := replay(t, xs)
		for _, n := range []string{"3", "4"} {
			_, key, _ := strings.Cut(s.hit(pay(n)), "SecurityKey=")
			s.ids["key"+n], _, _ = strings.Cut(key, end)
		}
		if s.ids["key3"] == s.ids["key4"] {
			t.Errorf("two orders have one key")
		}
		s.miss(release("4", "$key3$"))
		s.miss(release("4", "ZZ9ZZZ8ZZZ"))
		s.hit(release("3", "$key3$"))
		s.hit(release("4", "$key4$"))
	}
}
