package match_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match"
)

// transcript is what one client saw: the answers to its requests, with every word that has a
// digit replaced by the number of its first appearance. Two are equal if what they show is
// the same up to renaming.
type transcript struct {
	names map[string]string
	lines []string
}

func (tr *transcript) add(line string) {
	if tr.names == nil {
		tr.names = map[string]string{}
	}
	const shortest = 6
	for _, w := range words(line) {
		if len(w) < shortest || !strings.ContainsAny(w, "0123456789") {
			continue
		}
		if tr.names[w] == "" {
			tr.names[w] = fmt.Sprintf("<%d>", len(tr.names))
		}
		line = strings.Replace(line, w, tr.names[w], 1)
	}
	tr.lines = append(tr.lines, line)
}

// interleavings yields every order of a zeros and b ones.
func interleavings(a, b int, yield func([]int)) {
	var grow func(a, b int, order []int)
	grow = func(a, b int, order []int) {
		if a == 0 && b == 0 {
			yield(order)
			return
		}
		order = slices.Clip(order)
		if a > 0 {
			grow(a-1, b, append(order, 0))
		}
		if b > 0 {
			grow(a, b-1, append(order, 1))
		}
	}
	grow(a, b, nil)
}

// step is a line of a flow: what is sent, in which %O stands for the order's id and %N for
// its number, and what is answered.
type step struct{ send, answer string }

// twoFlows are a payment and a decline that begin alike: same login, same amount, same card.
func twoFlows() [2][]step {
	opens := step{registers("%N"), `{"orderId":"%O","formUrl":"https://sandbox.example/payment/p.html?mdOrder=%O"}`}
	state := func(n int) step {
		return step{status + "%O", fmt.Sprintf(`{"errorCode":"0","orderNumber":"%%N","orderStatus":%d}`,
			n)}
	}
	return [2][]step{
		{opens, state(0), {pay + "%O&language=en", `{"errorCode":0,"info":"paid"}`}, state(2)},
		{opens, state(0), {pay + "%O&language=ru", `{"errorCode":0,"info":"declined"}`}, state(6)},
	}
}

// tell tells a step of a flow with its values.
func (s step) tell(number, id string) (send, answer string) {
	r := strings.NewReplacer("%N", number, "%O", id)
	return r.Replace(s.send), r.Replace(s.answer)
}

// TestAllInterleavings plays two independent flows at once in every order of their requests,
// and records them in every order: each client sees what it would see alone.
func TestAllInterleavings(t *testing.T) {
	flows := twoFlows()
	lines := func(order []int) []string {
		var out []string
		next := [2]int{}
		for _, f := range order {
			send, answer := flows[f][next[f]].tell(fmt.Sprint("A-", f), []string{oldID, oldID2}[f])
			out = append(out, send+" => "+answer)
			next[f]++
		}
		return out
	}
	play := func(s *session, order []int) [2][]string {
		var trs [2]transcript
		next := [2]int{}
		for _, f := range order {
			id := fmt.Sprint("id", f)
			send, _ := flows[f][next[f]].tell(fmt.Sprint("B-", f), "$"+id+"$")
			body := s.hit(send)
			if next[f] == 0 {
				s.keep(id, body, `"orderId":"`)
			}
			trs[f].add(body)
			next[f]++
		}
		return [2][]string{trs[0].lines, trs[1].lines}
	}
	alone := []int{0, 0, 0, 0, 1, 1, 1, 1}
	o := match.Options{Profiles: profiles(t), Seed: 3, Now: func() time.Time { return played }}
	recordedIn := func(order []int) *match.Tape {
		return match.Compile(o, match.Cassette{Name: "t", Exchanges: tape(lines(order)...)})
	}
	replays := func(tape *match.Tape) *session {
		return &session{t: t, player: match.NewPlayer(tape), opts: o, ids: map[string]string{}}
	}
	apart := recordedIn(alone)
	want := play(replays(apart), alone)
	n := 0
	interleavings(len(flows[0]), len(flows[1]), func(order []int) {
		n++
		if diff := cmp.Diff(want, play(replays(apart), order)); diff != "" {
			t.Fatalf("recorded apart, played %v: %s", order, diff)
		}
		mixed := recordedIn(order)
		for _, played := range [][]int{order, alone, {1, 1, 1, 1, 0, 0, 0, 0}} {
			if diff := cmp.Diff(want, play(replays(mixed), played)); diff != "" {
				t.Fatalf("recorded %v, played %v: %s", order, played, diff)
			}
		}
	})
	if n != 70 {
		t.Errorf("%d orders were tried, not 70", n)
	}
}

// TestPollsOfAnUnobservedChange polls once, three times and fifty times around changes that no
// write explains and one that a write does, of a thing with an id and of one without.
func TestPollsOfAnUnobservedChange(t *testing.T) {
	unknown := tape(
		`POST /api/jobs {"kind":"x"} => {"job":"job_8f3a99c01b"}`,
		`GET /api/jobs/job_8f3a99c01b => {"state":"queued"}`,
		`GET /api/jobs/job_8f3a99c01b => {"state":"queued"}`,
		`GET /api/jobs/job_8f3a99c01b => {"state":"running"}`,
		`POST /api/jobs/job_8f3a99c01b/stop => {}`,
		`GET /api/jobs/job_8f3a99c01b => {"state":"stopped"}`,
	)
	foreign(unknown)
	global := tape(
		`GET /api/state => {"state":"queued"}`, `GET /api/state => {"state":"queued"}`,
		`GET /api/state => {"state":"running"}`, `POST /api/stop => {}`,
		`GET /api/state => {"state":"stopped"}`,
	)
	for _, polls := range []int{1, 3, 50} {
		for _, silent := range []bool{true, false} {
			s, poll, stop := replay(t, unknown), `GET /api/jobs/$id$`, `POST /api/jobs/$id$/stop`
			if silent {
				s, poll, stop = replay(t, global), `GET /api/state`, `POST /api/stop`
			} else {
				s.keep("id", s.hit(`POST /api/jobs {"kind":"x"}`), `"job":"`)
			}
			for n := range polls {
				want := []string{"queued", "queued", "running"}[min(n, 2)]
				if got := s.hit(poll); got != `{"state":"`+want+`"}` {
					t.Fatalf("poll %d of %d: got %s, want %s", n+1, polls, got, want)
				}
			}
			s.hit(stop)
			for range polls {
				if got := s.hit(poll); got != `{"state":"stopped"}` {
					t.Fatalf("after the write: got %s", got)
				}
			}
		}
	}
}

// TestStoriesOnOddDays tells every story and tour to its recording on days and in zones in
// which calendars are odd, years before and after it was made.
func TestStoriesOnOddDays(t *testing.T) {
	tokyo, newYork := time.FixedZone("", 9*3600), time.FixedZone("", -5*3600)
	days := []time.Time{
		time.Date(2028, 2, 29, 23, 59, 59, 0, time.UTC), time.Date(2027, 1, 31, 0, 0, 1, 0, tokyo),
		time.Date(2031, 12, 31, 23, 30, 0, 0, newYork), time.Date(2024, 2, 28, 12, 0, 0, 0, tokyo),
	}
	for name, tell := range toured {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			xs, _ := record(t, tell)
			set := profiles(t)
			for n, day := range days {
				tape := match.Derived(match.Options{Profiles: set, Seed: 7, Now: func() time.Time { return day }},
					match.Cassette{Name: "tape", Exchanges: xs})
				teller := second(n)
				teller.Base, teller.Today = "http://deck.example:1", day
				teller.HTTP = &http.Client{Transport: player{Player: match.NewPlayer(tape), set: set}}
				if _, err := tell(teller, t.Context()); err != nil {
					t.Errorf("on %v: %v", day, err)
				}
			}
		})
	}
}
