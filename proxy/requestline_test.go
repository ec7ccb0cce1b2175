package proxy_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// textCounter counts the texts that it cleans.
type textCounter struct {
	*redact.Redactor
	texts int
}

func (c *textCounter) Text(s string) redact.Safe {
	c.texts++
	return c.Redactor.Text(s)
}

// lost is a player that has no answers.
type lost struct{}

func (lost) Serve(*match.Request) (*match.Answer, *match.Miss) {
	return nil, &match.Miss{Reason: match.BadPath}
}

// TestTheLineOfAServedRequestIsCleanedWhenSomebodyLooks asks for what no profile knows. The path is
// cleaned when it is shown, and then of what has been learned since.
func TestTheLineOfAServedRequestIsCleanedWhenSomebodyLooks(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery"
	for _, test := range []struct {
		name   string
		player proxy.Player
		kind   proxy.Kind
	}{
		{"answered from tape", found{&match.Answer{Code: 200, Status: "200 OK"}}, proxy.Served},
		{"missed: its words are cleaned now, and so is its path", lost{}, proxy.Missed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set := profiles(t)
			cleaner := &textCounter{Redactor: redact.New(redact.Options{Profiles: set})}
			var told []proxy.Event
			m, err := proxy.NewReplay(proxy.ReplayOptions{
				Player: test.player, Profiles: set, Cleaner: cleaner,
				Observe: func(e proxy.Event) { told = append(told, e) },
			})
			if err != nil {
				t.Fatal(err)
			}
			req := httptest.NewRequest("GET", "http://deck.test/v9/notes/"+secret+"?a=1", nil)
			if _, err := m.RoundTrip(req); err != nil || len(told) != 1 || told[0].Kind != test.kind {
				t.Fatalf("%d events, %v", len(told), err)
			}
			e := &told[0]
			if served := test.kind == proxy.Served; served != (cleaner.texts == 0) {
				t.Errorf("%d texts were cleaned before anybody looked", cleaner.texts)
			}
			method, target := e.Line()
			if method.String() != "GET" || target.String() != "/v9/notes/"+secret {
				t.Errorf("the line is %q %q", method, target)
			}
			if test.kind == proxy.Missed && e.Target != target {
				t.Errorf("the target of a miss is %q", e.Target)
			}
			if test.kind != proxy.Served {
				return
			}
			cleaner.Know(secret)
			if _, target := e.Line(); strings.Contains(target.String(), secret) {
				t.Errorf("a secret that was learned since is shown: %q", target)
			}
		})
	}
}
