package match_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// TestNamesOnCards has cards that show the name of their holder in several ways. In replay it is
// the name that this client sent.
func TestNamesOnCards(t *testing.T) {
	tests := []struct{ name, shown, want string }{
		{"in capitals", "TAPERA TAPERB", "EVA-LUISA VON BERG"},
		{"as sent", "Tapera Taperb", "Eva-Luisa von Berg"},
		{"the last name first", "TAPERB, TAPERA", "VON BERG, EVA-LUISA"},
		{"one of them", "TAPERB", "VON BERG"},
		{"more than the names", "MR TAPERB", "MR TAPERB"},
		{"in letters of its own", "TAPERa TAPERB", "TAPERa TAPERB"},
		{"none", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			holder := func(first, last string) string {
				return `POST /v2/cardholders {"firstName":"` + first + `","lastName":"` + last + `"}`
			}
			const card = `POST /v2/cards {"cardholder":"`
			s := replay(t, tape(
				holder("Tapera", "Taperb")+` => {"id":"holder-00000001"}`,
				card+`holder-00000001"} => {"id":"card-00000001","embossedName":"`+tt.shown+`"}`,
				`GET /v2/cards/card-00000001 => {"id":"card-00000001","embossedName":"`+tt.shown+`"}`,
			))
			s.keep("h", s.hit(holder("Eva-Luisa", "von Berg")), `"id":"`)
			body := s.hit(card + `$h$"}`)
			s.keep("c", body, `"id":"`)
			for _, got := range []string{body, s.hit("GET /v2/cards/$c$")} {
				if !strings.Contains(got, `"embossedName":"`+tt.want+`"`) {
					t.Errorf("got %s, want %q", got, tt.want)
				}
			}
		})
	}
}

// TestNamesOfUnknownFields joins names where no profile knows the field, and takes no single word
// for a name.
func TestNamesOfUnknownFields(t *testing.T) {
	const pays = `POST /v2/cardholders {"firstName":"%F","lastName":"%L"}`
	line := func(first, last string) string {
		return strings.NewReplacer("%F", first, "%L", last).Replace(pays)
	}
	s := replay(t, []*leaf.Exchange(tape(
		line("Open", "Taperb")+` => {"id":"holder-00000001","stateOf":"OPEN","state":"OPEN","greeting":"Open Taperb"}`,
	)))
	if got := s.hit(line("Eva", "Berg")); !strings.Contains(got, `"stateOf":"OPEN","state":"OPEN","greeting":"Eva Berg"`) {
		t.Errorf("got %s", got)
	}
}

// TestHoldersWithUnlikeNames has two holders, one with a number and a quote in his name. Their
// cards are alike but for values, so either may be the one who is topped up.
func TestHoldersWithUnlikeNames(t *testing.T) {
	holder := func(first string) string {
		return `POST /v2/cardholders {"firstName":"` + first + `","lastName":"Berg"}`
	}
	card := func(id, name, number string) string {
		return ` => {"id":"` + id + `","embossedName":"` + name + `","number":"` + number + `"}`
	}
	const makes, looks, tops = `POST /v2/cards {"cardholder":"%H"}`, "GET /v2/cards/%C",
		`POST /v2/topups {"amount":1,"destinationCard":{"cardNumber":"%N"}}`
	in := func(line, sign, v string) string { return strings.Replace(line, sign, v, 1) }
	xs := tape(
		holder("Eva")+` => {"id":"holder-00000001"}`,
		in(makes, "%H", "holder-00000001")+card("card-00000001", "EVA BERG", ""),
		in(looks, "%C", "card-00000001")+card("card-00000001", "EVA BERG", "4276000000010005"),
		holder("O'Hara 2")+` => {"id":"holder-00000002"}`,
		in(makes, "%H", "holder-00000002")+card("card-00000002", "O'HARA 2 BERG", ""),
		in(looks, "%C", "card-00000002")+card("card-00000002", "O'HARA 2 BERG", "4276000000020004"),
		in(tops, "%N", "4276000000010005")+` => {"id":"topup-00000001","status":"approved"}`,
	)
	s := replay(t, xs)
	for _, client := range []string{"one", "two", "three"} {
		for _, role := range []string{"payer", "payee"} {
			s.keep(role, s.hit(holder(client+role)), `"id":"`)
			s.keep(role, s.hit(in(makes, "%H", "$"+role+"$")), `"id":"`)
			body := s.hit(in(looks, "%C", "$"+role+"$"))
			if !strings.Contains(body, strings.ToUpper(client+role)+" BERG") {
				t.Errorf("got %s", body)
			}
			s.keep(role+" card", body, `"number":"`)
		}
		if client == "one" {
			continue // who leaves it at that, so that the others get their turns another way
		}
		s.hit(in(tops, "%N", "$payer card$"))
	}
}
