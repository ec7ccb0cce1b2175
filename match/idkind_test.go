package match_test

import (
	"regexp"
	"testing"
)

// TestIDsKeepTheirKind has a tape on which ids of several kinds stand under one key. What replay makes
// begins as the ids of its own kind do.
func TestIDsKeepTheirKind(t *testing.T) {
	type born struct{ path, id string }
	tests := []struct {
		name  string
		tape  []born
		likes map[string]string // by path
	}{
		{"each seen once", []born{
			{"/intents", "pi_34MYbwzLkdIwHu7ixWzlVXdk0"}, {"/methods", "pm_1b8dEUiLkdIwHu7ixnW4RbsBe"},
		}, map[string]string{"/intents": `^pi_\d\w{24}$`, "/methods": `^pm_\d\w{24}$`}},
		{"seen often", []born{
			{"/intents", "pi_34MYbwzLkdIwHu7"}, {"/methods", "pm_1b8dEUiLkdIwHu7"}, {"/intents", "pi_3p0LbwzLkdIwHu7"},
			{"/methods", "pm_1Xc4EUiLkdIwHu7"}, {"/intents", "pi_3AAm2wzLkdIwHu7"}, {"/cards", "cd_1Xc4EUiLkdIwHu7"},
		}, map[string]string{"/intents": `^pi_3\w{14}$`, "/methods": `^pm_1\w{14}$`, "/cards": `^cd_\d\w{14}$`}},
		{"two kinds from one call", []born{
			{"/sources", "card_8f3a99c01b77"}, {"/sources", "bank_19d07aee3410"},
		}, map[string]string{"/sources": `^(card|bank)_[0-9a-f]{12}$`}},
		{"words before dashes", []born{
			{"/orders", "ord-8f3a99c01b77"}, {"/payments", "pay-19d07aee3410"},
		}, map[string]string{"/orders": `^ord-[0-9a-f]{12}$`, "/payments": `^pay-[0-9a-f]{12}$`}},
		{"letters by chance", []born{
			{"/a", "QXB-83001234"}, {"/a", "MNR-99110022"}, {"/a", "ZTA-21077345"},
		}, map[string]string{"/a": `^[A-Z]{3}-\d{8}$`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var lines []string
			recorded := map[string]bool{}
			for _, b := range tt.tape {
				recorded[b.id] = true
				lines = append(lines, "POST "+b.path+` {} => {"id":"`+b.id+`"}`, "GET "+b.path+"/"+b.id+" => {}")
			}
			s := replay(t, told(lines...))
			for path, like := range tt.likes {
				for range 5 {
					id := between(t, s.hit("POST "+path+" {}"), "{\"id\":\"\x00\"}")
					if !regexp.MustCompile(like).MatchString(id) || recorded[id] {
						t.Errorf("%s: got %s, want a fresh id like %s", path, id, like)
					}
				}
			}
		})
	}
}
