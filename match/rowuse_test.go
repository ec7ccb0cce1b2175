package match_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
)

// A row is counted where it says what a value means: in fields, packed documents, headers and paths.
func TestRowUses(t *testing.T) {
	t.Parallel()
	p, err := profile.Parse("bank.yaml", []byte(`profile: bank
paths: [/bank/]
operations:
  show:
    methods: [GET]
    path: /bank/orders/{id}
    carrier: query
    request: {id: minted order}
    response: {id: minted order, at: date iso, note: client shared}
    responseHeaders: {X-Id: minted order}
`))
	if err != nil {
		t.Fatal(err)
	}
	set := &profile.Set{}
	if err := set.Add(p); err != nil {
		t.Fatal(err)
	}
	show := &leaf.Exchange{}
	show.URL, show.Request.Method = "https://bank.example/bank/orders/a1", "GET"
	show.Response.Headers = map[string][]string{
		"Content-Type": {"application/json"}, "X-Id": {"a1"},
	}
	show.Response.Body = `{"id":"a1","list":[{"id":"a1"}],"packed":"{\"id\":\"a1\"}","other":1}`
	unknown := *show
	unknown.URL = "https://other.example/orders/a1"
	got := match.RowUses(set, match.Cassette{Exchanges: []*leaf.Exchange{show, show, &unknown}})
	at := func(line int, key string, dir profile.Direction) match.RowAt {
		at := profile.Origin{File: "bank.yaml", Line: line, Key: key}
		for _, r := range set.Rows() {
			if o := r.Origin; o.File == at.File && o.Line == line && o.Key == key {
				at.Column = o.Column
			}
		}
		return match.RowAt{Origin: at, Dir: dir}
	}
	want := map[match.RowAt]map[string]int{
		at(8, "id", profile.Request):     {"show": 2},
		at(9, "id", profile.Response):    {"show": 6},
		at(10, "X-Id", profile.Response): {"show": 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
