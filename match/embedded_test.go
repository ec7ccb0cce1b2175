package match_test

import (
	"strings"
	"testing"
)

// TestReferencesInsideTexts has a client send its own reference, and the same reference inside another
// text. What the answer to this very call shows must be the live reference, as must all later answers.
func TestReferencesInsideTexts(t *testing.T) {
	const recordedRef = "SO-77120"
	tests := []struct{ name, create, answer string }{
		{"the text comes back", `POST /orders {"ref":"%","note":"Order %"}`, `"ref":"%","note":"Order %"`},
		{"in a form, under a path", `POST /orders metadata[order_id]=%&description=Order+%`,
			`"metadata":{"order_id":"%"},"description":"Order %"`},
		{"the sandbox writes the text", `POST /orders {"ref":"%"}`, `"ref":"%","note":"Created %."`},
		{"twice", `POST /orders {"ref":"%","note":"% (was %)"}`, `"ref":"%","note":"% (was %)"`},
		{"before a dash", `POST /orders {"ref":"%","note":"%-b"}`, `"ref":"%","note":"%-b"`},
		{"in a list", `POST /orders {"ref":"%","lines":["one of %"]}`, `"ref":"%","lines":["one of %"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			with := func(line, ref string) string { return strings.ReplaceAll(line, "%", ref) }
			made := func(ref, id string) string { return `{"id":"` + id + `",` + with(tt.answer, ref) + `}` }
			s := replay(t, told(
				with(tt.create, recordedRef)+" => "+made(recordedRef, "or_8f3a99c01b"),
				"GET /orders/or_8f3a99c01b => {}",
			))
			for _, ref := range []string{"SO-99120", "order_abc_1", "A-1", "order", "7"} {
				got := s.hit(with(tt.create, ref))
				s.keep(ref, got, `"id":"`)
				if want := made(ref, s.ids[ref]); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
}

// TestOtherTextsThanTheReference has texts that do not hold the reference of their request, or by chance.
func TestOtherTextsThanTheReference(t *testing.T) {
	s := replay(t, told(
		`POST /orders {"ref":"SO-77120","note":"Order SO-77120","of":"5 pieces"} => {"ref":"SO-77120"}`,
	))
	s.miss(`POST /orders {"ref":"SO-99120","note":"Order SO-55555","of":"5 pieces"}`)
	s.miss(`POST /orders {"ref":"A-1","note":"Order A-12","of":"5 pieces"}`)
	s.miss(`POST /orders {"ref":"A-1","note":"A-1","of":"5 pieces"}`)
	if got := s.hit(`POST /orders {"ref":"5","note":"Order 5","of":"5 pieces"}`); got != `{"ref":"5"}` {
		t.Errorf("got %s", got)
	}
}
