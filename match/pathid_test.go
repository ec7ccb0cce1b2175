package match_test

import (
	"strings"
	"testing"
)

// TestIDsOfPaths has ids of many looks under the name id, which clients send back in paths alone: each that replay makes
// is another, and known.
func TestIDsOfPaths(t *testing.T) {
	t.Parallel()
	const orders = `POST /api/orders {"amount":500}`
	for _, ids := range [][2]string{
		{"1001", "1002"}, {"73187", "73188"}, {"ord:qhwkzmrtpx7c", "ord:b2xkzqrtpmwc"}, {"ord.8hs72hgs82", "ord.7gt61gfr71"},
	} {
		of := func(id string) string { return ` => {"id":"` + id + `","amount":500}` }
		number := strings.Trim(ids[0], "0123456789") == ""
		if number {
			of = func(id string) string { return ` => {"id":` + id + `,"amount":500}` }
		}
		s := replay(t, told(
			orders+of(ids[0]), `GET /api/orders/`+ids[0]+of(ids[0]), orders+of(ids[1]), `GET /api/orders/`+ids[1]+of(ids[1])))
		seen := map[string]bool{}
		for range 5 {
			a, miss := s.serve(orders)
			if miss != nil || a.Mark != "" {
				t.Errorf("%s: %+v %+v", ids[0], a, miss)
				break
			}
			a.Delivered(true)
			id := strings.Trim(strings.TrimSuffix(strings.TrimPrefix(a.Body, `{"id":`), `,"amount":500}`), `"`)
			if seen[id] {
				t.Errorf("%s: %s comes twice", ids[0], id)
			}
			seen[id] = true
			if got := s.hit(`GET /api/orders/` + id); got != a.Body {
				t.Errorf("%s: %s, and not %s", ids[0], got, a.Body)
			}
		}
	}
}

// TestAskedByAnotherName asks about a customer by the address that he gave, where the tape asks by id: the answer shows
// the id, and not what the path has.
func TestAskedByAnotherName(t *testing.T) {
	t.Parallel()
	const id = "cus_x4t6hs72hgs82k"
	const creates = `POST /api/customers {"email":"EMAIL","name":"Ada"}`
	s := replay(t, told(
		strings.Replace(creates, "EMAIL", "ada7712345@shop.test", 1)+` => {"id":"`+id+`"}`,
		`GET /api/customers/`+id+` => {"id":"`+id+`","email":"ada7712345@shop.test","name":"Ada"}`,
	))
	const email = "jane99123@shop.test"
	s.keep("id", s.hit(strings.Replace(creates, "EMAIL", email, 1)), `"id":"`)
	for _, name := range []string{"$id$", email, "$id$"} {
		if got := s.hit(`GET /api/customers/` + name); !strings.Contains(got, `{"id":"`+s.ids["id"]+`","email":"`+email+`"`) {
			t.Errorf("by %s: %s", name, got)
		}
	}
}
