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
