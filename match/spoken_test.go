package match_test

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/paytape/paytape/match"
)

// A trace keeps of a request what was said, and tells later all that the player took the request for.
func TestATraceTellsWhatWasAsked(t *testing.T) {
	xs, _ := payments(3, true)
	xs = append(xs, distinctCards(2)...)
	const (
		things = `POST /v9/things {"name":"books","card":"` + "427600" + `0000000018","client_ref":"c-12345678"}`
		thing  = `GET /v9/things/th_a1b2c3d4e5?of=c-12345678`
	)
	xs = append(xs, tape(
		things+` => {"id":"th_a1b2c3d4e5","client_ref":"c-12345678"}`, thing+` => {"id":"th_a1b2c3d4e5"}`,
	)...)
	for i := range xs {
		xs[i].Meta.Number = i + 1
	}
	d := newDeck(t, xs)
	id := d.open(registers("B-1"))
	for _, line := range []string{
		registers("B-2"), pay + id, status + id, status + "unknown-0000-id1", asksAbout(0), asksAbout(7),
		things, thing, "GET /v9/things/th_zzzzzzzzz1?of=other&of=again", "PUT /nowhere/12 {}",
	} {
		method, target, body := requestLine(line)
		asked, kept := match.AskedAndKept(d.player,
			match.NewRequest(d.opts.Profiles, method, target, http.Header{}, body))
		if len(asked) == 0 || !reflect.DeepEqual(asked, kept) {
			t.Errorf("%s: of %d parameters the trace tells something else", line, len(asked))
		}
	}
}
