package match_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
)

// TestEveryExactFieldMatters replays each story with the recorded values and, at each
// exchange, tries the request with one exact field changed, for every such field: it must
// miss and name the field. Then the request itself must hit.
func TestEveryExactFieldMatters(t *testing.T) {
	for name, tell := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			xs, _ := record(t, tell)
			set := profiles(t)
			compiled := match.Compile(match.Options{
				Profiles: set, Seed: 7, Now: func() time.Time { return recorded },
			}, match.Cassette{Name: "t", Exchanges: xs})
			p := match.NewPlayer(compiled)
			live := strings.NewReplacer() // recorded values to live ones
			pairs := []string{}
			for _, x := range xs {
				mutate(t, p, set, x, live)
				a, miss := p.Serve(request(set, x, live, nil))
				if miss != nil {
					t.Fatalf("%s: %s: %s", x.URL, miss.Reason, miss.Sentence)
				}
				a.Delivered(true)
				pairs = append(pairs, minted(set, x, a)...)
				live = strings.NewReplacer(pairs...)
			}
		})
	}
}

// request is a recorded request with live values in place of recorded ones, and edits made.
func request(set *profile.Set, x *leaf.Exchange, live *strings.Replacer, edits []leaf.Edit) *match.Request {
	m := x.RequestMessage()
	out := m.Splice(edits)
	h := http.Header{}
	for name, vs := range out.Header {
		h[name] = vs
	}
	target := strings.TrimPrefix(out.Target, strings.TrimSuffix(x.URL, x.Target()))
	return match.NewRequest(set, x.Method, live.Replace(target), h, live.Replace(out.Body))
}

func mutate(t *testing.T, p *match.Player, set *profile.Set, x *leaf.Exchange, live *strings.Replacer) {
	t.Helper()
	call := set.Find(x.Method, strings.SplitN(x.Target(), "?", 2)[0])
	m := x.RequestMessage()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place == leaf.Header || l.Place == leaf.Path || l.Key == "name" {
			continue
		}
		f, _ := set.Field(call, profile.Request, profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape})
		if f.From != profile.Exact {
			continue
		}
		r := request(set, x, live, []leaf.Edit{leaf.Whole(l, "7"+l.Value)})
		_, miss := p.Serve(r)
		if miss == nil {
			t.Errorf("%s: %s changed, and it hit", call.Operation.Name, l.Path)
			continue
		}
		want := l.Key
		if l.Name != "" {
			want = l.Name
		}
		if miss.Reason != match.BadField || !strings.Contains(miss.Sentence, want) {
			t.Errorf("%s: %s changed: %s: %s", call.Operation.Name, l.Path, miss.Reason, miss.Sentence)
		}
	}
}

// minted pairs the recorded minted values of an answer with the live ones.
func minted(set *profile.Set, x *leaf.Exchange, a *match.Answer) []string {
	var pairs []string
	call := set.Find(x.Method, strings.SplitN(x.Target(), "?", 2)[0])
	// The header of an answer lacks what replay writes itself.
	recorded := leaf.Read(leaf.Message{Header: a.Header, Body: x.Response.Body})
	live := leaf.Read(leaf.Message{Header: a.Header, Body: a.Body})
	for i := range recorded.Leaves {
		l := &recorded.Leaves[i]
		f, _ := set.Field(call, profile.Response, profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape})
		if l.Place == leaf.JSON && f.From == profile.Minted && len(l.Value) >= 6 {
			pairs = append(pairs, l.Value, live.Leaves[i].Value)
		}
	}
	return pairs
}
