package deck

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/redact"
)

// TestChangesThatCannotBeMadeAreTold has a deck hear changes that it cannot make.
func TestChangesThatCannotBeMadeAreTold(t *testing.T) {
	t.Parallel()
	known, err := NewKnowledge(KnowledgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	d := &Deck{
		options:     Options{Knowledge: known, Tell: func(n Notice) { told = append(told, n.Text) }},
		rules:       rules.New(rules.Options{Profiles: known.Profiles()}),
		hubRedactor: known.Redactor(func(redact.Safe) {}),
	}
	for _, command := range []string{"{", `{"do":"dance"}`, string(admin.Change{Do: admin.Arm, Name: "x"}.Encode())} {
		told = nil
		if d.obey([]byte(command)) || len(told) != 1 || !strings.Contains(told[0], "cannot be made here") {
			t.Errorf("%s: told %q", command, told)
		}
	}
}
