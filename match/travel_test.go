package match_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// travels are ways in which an answer shows an id that it brings, or a request carries it.
var travels = map[string]func(id string) string{
	"json":             func(id string) string { return `{"ref":"` + id + `"}` },
	"json in a string": func(id string) string { return fmt.Sprintf(`{"data":%q}`, `{"ref":"`+id+`"}`) },
	"two levels": func(id string) string {
		return fmt.Sprintf(`{"data":%q}`, fmt.Sprintf(`{"in":%q}`, `{"ref":"`+id+`"}`))
	},
	"base64 json": func(id string) string { return `{"blob":"` + packed(`{"ref":"`+id+`","n":1}`) + `"}` },
	"an address": func(id string) string {
		return `{"url":"https://a.example/x/` + id + `/y?ref=` + id + `&z=1#` + id + `"}`
	},
	"nested addresses": func(id string) string {
		inner := "https://b.example/?ref=" + id
		return `{"url":"https://a.example/?to=` + url.QueryEscape("https://c.example/?to="+
			url.QueryEscape(inner)) + `"}`
	},
	"free text":     func(id string) string { return `{"message":"Order ` + id + ` created, see #` + id + `."}` },
	"a list":        func(id string) string { return `[{"x":1},{"refs":["a","` + id + `"]}]` },
	"xml element":   func(id string) string { return `<r><order>` + id + `</order></r>` },
	"xml attribute": func(id string) string { return `<r><order id="` + id + `"/></r>` },
	"a form":        func(id string) string { return `status=0&ref=` + id + `&z=1` },
	"lines":         func(id string) string { return `{"n":1}` + "\n" + `{"ref":"` + id + `"}` + "\n" },
	"plain text":    func(id string) string { return "created " + id + " at once" },
	"a script": func(id string) string {
		return `<html><script>var id = '` + id + `', u = "/pay?ref=` + id + `";</script></html>`
	},
}

// ids of many kinds, as a sandbox that no profile knows makes them.
var travelling = map[string]string{
	"uuid 4": "f47ac10b-58cc-4372-a567-0e02b2c3d479", "uuid 7": "019d4378-2a40-7c86-bdbc-bd7d00a8b38b",
	"dash-less": "f47ac10b58cc4372a5670e02b2c3d479", "upper hex": "F47AC10B58CC4372A5670E02B2C3D479",
	"ulid": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "ksuid": "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
	"nanoid": "V1StGXR8_Z5jdHi6B-myT", "objectid": "507f1f77bcf86cd799439011",
	"prefixed": "pi_3NqZx1Kk2LpQ7", "digits": "9007199254740993123",
}

// respelled are other ways of writing an id, which a client may prefer.
var respelled = map[string]func(string) string{
	"as it is":  func(id string) string { return id },
	"dash-less": func(id string) string { return strings.ReplaceAll(id, "-", "") },
	"capitals":  strings.ToUpper,
	"both":      func(id string) string { return strings.ToUpper(strings.ReplaceAll(id, "-", "")) },
}

// travel replays a POST that brings an id, and a later POST that carries it, in some ways and in
// another spelling. The later answer shows it as the first did, and everything agrees.
func travel(t *testing.T, id string, show, carry, spell func(string) string) {
	t.Helper()
	const opens, asks = `POST /acme/things {"a":1}`, "POST /acme/use "
	s := replay(t, tape(opens+" => "+show(id), asks+carry(spell(id))+" => "+show(id)))
	body := s.hit(opens)
	live := liveID(show(id), id, body)
	if live == id || body != show(live) {
		t.Fatalf("opened with %s", body)
	}
	if got := s.hit(asks + carry(spell(live))); got != show(live) {
		t.Errorf("got %s, want %s", got, show(live))
	}
}

func TestIDsTravel(t *testing.T) {
	uuid := travelling["uuid 4"]
	for how, show := range travels {
		for back, carry := range travels {
			t.Run("as "+how+", back as "+back, func(t *testing.T) {
				travel(t, uuid, show, carry, respelled["as it is"])
			})
		}
		for spelling, spell := range respelled {
			t.Run("as "+how+", back in "+spelling, func(t *testing.T) {
				travel(t, uuid, show, show, spell)
			})
		}
	}
	for kind, id := range travelling {
		for _, how := range []string{"json", "base64 json", "an address", "free text"} {
			show := travels[how]
			t.Run(kind+" as "+how, func(t *testing.T) {
				travel(t, id, show, show, respelled["as it is"])
			})
		}
	}
}

// liveID returns what stands in an answer where the recorded one has the id.
func liveID(recorded, id, live string) string {
	was, is := leaf.Read(leaf.Message{Body: recorded}), leaf.Read(leaf.Message{Body: live})
	for i := range was.Leaves {
		value := was.Leaves[i].Value
		at := strings.Index(value, id)
		if at < 0 || len(is.Leaves) != len(was.Leaves) || len(is.Leaves[i].Value) != len(value) {
			continue
		}
		return is.Leaves[i].Value[at : at+len(id)]
	}
	return id
}
