package match_test

import "testing"

// TestAMissedWriteOfAnUnknownPath has a write of which the tape has no call: what it names is marked from
// then on, wherever the name stands, and nothing else is.
func TestAMissedWriteOfAnUnknownPath(t *testing.T) {
	tests := []struct{ name, missed, mark string }{
		{"its id in the path", "POST /orders/$a$/cancel {}", "assumed=miss"},
		{"the client's name in the path", "POST /orders/A-1/cancel {}", "assumed=miss"},
		{"its id in the body", `POST /cancellations {"order":"$a$"}`, "assumed=miss"},
		{"its id inside a text", `POST /tickets {"about":"please cancel $a$."}`, "assumed=miss"},
		{"its id under another method", "DELETE /orders/$a$", "assumed=miss"},
		{"a question", "GET /orders/$a$/lines", ""},
		{"the id of another", "POST /orders/$b$/cancel {}", ""},
		{"no id", "POST /orders/none/cancel {}", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := replay(t, told(
				`POST /orders {"ref":"SO-77120"} => {"ref":"SO-77120","id":"or_8f3a99c01b"}`,
				"GET /orders/or_8f3a99c01b => {}",
			))
			s.keep("a", s.hit(`POST /orders {"ref":"A-1"}`), `"id":"`)
			s.keep("b", s.hit(`POST /orders {"ref":"B-1"}`), `"id":"`)
			s.miss(tt.missed)
			if a, _ := s.serve("GET /orders/$a$"); a == nil || a.Mark != tt.mark {
				t.Errorf("the answer is %v, want one marked %q", a, tt.mark)
			}
		})
	}
}
