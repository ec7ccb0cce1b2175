package proxy_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// onePlayer answers everything with one answer.
type onePlayer struct{ answer *match.Answer }

func (p onePlayer) Serve(*match.Request) (*match.Answer, *match.Miss) { return p.answer, nil }

// TestAnnounce wants answers shown before anything of them goes out, with the call that they
// answer, and what announcing returns called in place of Callbacks, once, when the client has the
// answer.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		brings, gone bool
		want         []string
	}{
		{"nothing comes of it", false, false, []string{"announced", "answered"}},
		{"the callbacks are left alone", true, false, []string{"announced", "answered", "callbacks"}},
		{"the callbacks are taken", true, true, []string{"announced", "answered", "gone"}},
		{"somebody wants to know of the answer", false, true, []string{"announced", "answered", "gone"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			story := make(chan string, 10)
			answered := make(chan struct{})
			after := func(word string) {
				<-answered // the client is told that it has the answer while the door waits here
				story <- word
			}
			a := &match.Answer{Code: 200, Body: polled, Header: http.Header{"Content-Type": {"application/json"}}}
			if test.brings {
				a.Callbacks = []match.Callback{{Operation: "deposited"}}
			}
			replay, err := proxy.NewReplay(proxy.ReplayOptions{
				Player: onePlayer{a}, Profiles: builtin(t), Cleaner: newUncleaned(t),
				Callbacks: func(*match.Answer) { after("callbacks") },
				Announce: func(ctx context.Context, got proxy.Announced) func() {
					if got.Answer != a || got.Call.Operation == nil || got.Method != "POST" ||
						got.Target != "/payment/rest/deposit.do?language=en" || got.Session != "one" || ctx.Err() != nil {
						t.Errorf("announced is %v %q %q %q", got.Call.Operation, got.Method, got.Target, got.Session)
					}
					story <- "announced"
					if test.gone {
						return func() { after("gone") }
					}
					return nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(proxy.NewDoor(replay, nil))
			res, err := server.Client().Post(server.URL+"/~one/payment/rest/deposit.do?language=en", "", nil)
			if err != nil {
				t.Fatal(err)
			}
			buf := make([]byte, len(polled))
			if _, err := io.ReadFull(res.Body, buf); err != nil || string(buf) != polled {
				t.Errorf("the client has %q, %v", buf, err)
			}
			story <- "answered"
			close(answered)
			_ = res.Body.Close()
			server.Close() // waits for the door
			close(story)
			var got []string
			for word := range story {
				got = append(got, word)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
