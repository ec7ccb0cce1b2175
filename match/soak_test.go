package match

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// soaked is a player of one payment that keeps few flows, so that its bound is soon reached.
type soaked struct {
	t      *testing.T
	set    *profile.Set
	player *Player
	conns  int // so many there have been
}

func soak(t *testing.T, flows int) *soaked {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	const id = "0193a1b2-0000-7000-8000-0000c0ffee00"
	var xs []*leaf.Exchange
	for _, line := range [][3]string{
		{"register.do", "orderNumber=A&amount=100&clientId=c", `{"orderId":"` + id + `"}`},
		{"getOrderStatusExtended.do", "orderId=" + id, `{"errorCode":"0","orderNumber":"A"}`},
	} {
		x := &leaf.Exchange{}
		x.Method, x.URL = "POST", "https://sandbox.example/payment/rest/"+line[0]
		x.Request.Body, x.Code, x.Response.Body = line[1], 200, line[2]
		x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
		xs = append(xs, x)
	}
	p := newPlayer(Compile(Options{Profiles: set, Seed: 1}, Cassette{Exchanges: xs}), flows)
	p.fresh = newFresher(1, func(id identity) bool { return p.owners.taken(id) })
	return &soaked{t: t, set: set, player: p}
}

// ask sends a call over a new connection and returns the answer, empty for a miss.
func (s *soaked) ask(call, form string) string {
	r := NewRequest(s.set, "POST", "/payment/rest/"+call, http.Header{}, form)
	s.conns++
	r.Conn = fmt.Sprint(s.conns)
	a, miss := s.player.Serve(r)
	if miss != nil {
		return ""
	}
	a.Delivered(true)
	return a.Body
}

// open opens a thread and returns its order's id.
func (s *soaked) open(number string) string {
	s.t.Helper()
	_, rest, ok := strings.Cut(s.ask("register.do", "orderNumber="+number+"&amount=100&clientId=c"),
		`"orderId":"`)
	if !ok {
		s.t.Fatal("an opening was not answered")
	}
	return strings.TrimSuffix(rest, `"}`)
}

// Threads that are opened and never finished do not grow a player, and push out none that is in
// use.
func TestEndlessThreadsAreBounded(t *testing.T) {
	const flows = 500
	rounds := 40
	if testing.Short() {
		rounds = 12
	}
	s := soak(t, flows)
	id := s.open("patient")
	var filled uint64
	for round := range rounds {
		for n := range flows - 1 {
			s.open(fmt.Sprint(round, "-", n))
		}
		if s.ask("getOrderStatusExtended.do", "orderId="+id) == "" {
			t.Fatalf("round %d: a thread in use was pushed out by others that are not", round)
		}
		if kept := s.player.kept(); kept != flows {
			t.Fatalf("round %d: %d flows are kept", round, kept)
		}
		if round == rounds/4 {
			filled = settled()
		}
	}
	o := s.player.owners
	if len(o.byID) > 8*flows || len(o.users) > 2*flows || len(o.conns) > flows {
		t.Errorf("%d minted values, %d others and %d connections are kept",
			len(o.byID), len(o.users), len(o.conns))
	}
	if now := settled(); now > filled+filled/4+1<<20 {
		t.Errorf("after %d threads %d bytes are in use, %d after a quarter of them",
			rounds*flows, now, filled)
	}
	runtime.KeepAlive(s)
}

// Connections that come and go do not grow a player: it knows those on which its flows were last
// active.
func TestEndlessConnectionsAreBounded(t *testing.T) {
	const threads = 10
	s := soak(t, 500)
	var ids [threads]string
	for n := range ids {
		ids[n] = s.open(fmt.Sprint(n))
	}
	for n := range 100_000 {
		if s.ask("getOrderStatusExtended.do", "orderId="+ids[n%threads]) == "" {
			t.Fatal("a poll was not answered")
		}
	}
	if n := len(s.player.owners.conns); n != threads {
		t.Errorf("%d connections are known, of %d", n, s.conns)
	}
}

// settled returns how much memory is in use.
func settled() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
