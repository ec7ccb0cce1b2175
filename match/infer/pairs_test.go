package infer

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

// TestIssues has texts in which an answer may bring a token that cleaning took out.
func TestIssues(t *testing.T) {
	t.Parallel()
	const token = "REDACTED-token-1"
	for _, tt := range []struct {
		why, text string
		want      bool
	}{
		{"a value of its own", token, true},
		{"in an address", "go to https://pay.example/?key=" + token, true},
		{"a list of lines", "Status=OK\r\nSecurityKey=" + token + "\r\n", true},
		{"a list in one line", "response=1&key=" + token, true},
		{"a list with signs in values", "a=b=c\nkey=" + token + "\nnote=two words", true},
		{"one pair may be prose", "password=" + token, false},
		{"prose", "log in as shop\npassword=" + token, false},
		{"prose with signs", "say user=shop\nand password=" + token, false},
		{"a part of a value", "a=b\nkey=x-" + token + "\n", false},
		{"the beginning of a value", "a=b\nkey=" + token + " of mine\n", false},
	} {
		l := &leaf.Leaf{Place: leaf.Text, Value: tt.text}
		tok := request.Token{Text: token, At: strings.Index(tt.text, token)}
		if got := issues(true, l, tok); got != tt.want {
			t.Errorf("%s: got %v", tt.why, got)
		}
	}
}
