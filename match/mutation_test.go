package match_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/story/tour"
	"github.com/paytape/paytape/match"
)

// toured yields all stories and the tours.
func toured(yield func(string, tell) bool) {
	for name, tell := range all {
		if !yield(name, tell) {
			return
		}
	}
	_ = yield("tour of version 1", tour.V1) &&
		yield("tour of version 2", tour.V2) &&
		yield("tour of the gateway", tour.Gateway)
}

// TestEveryExactFieldMatters replays each story with the recorded values and, at each
// exchange, tries the request with one field changed that the client is not free to choose,
// for every such field: it must miss and name the field. Then the request itself must hit.
func TestEveryExactFieldMatters(t *testing.T) {
	for name, tell := range toured {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			xs, _ := record(t, tell)
			set := profiles(t)
			compiled := match.Derived(match.Options{
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
				explained(t, a, nil)
				a.Delivered(true)
				pairs = append(pairs, minted(x, a)...)
				live = strings.NewReplacer(pairs...)
			}
		})
	}
}

// request is a recorded request with live values in place of recorded ones, and edits made.
func request(
	set *profile.Set, x *leaf.Exchange, live *strings.Replacer, edits []leaf.Edit,
) *match.Request {
	m := x.RequestMessage()
	edited := map[*leaf.Leaf]bool{}
	for i := range edits { // they were made for another reading of the same request
		at := slices.IndexFunc(m.Leaves, func(l leaf.Leaf) bool {
			return l.Place == edits[i].Leaf.Place && l.Path == edits[i].Leaf.Path &&
				l.Value == edits[i].Leaf.Value
		})
		edits[i] = leaf.Whole(&m.Leaves[at], live.Replace(edits[i].Value))
		edited[edits[i].Leaf] = true
	}
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if text := live.Replace(l.Value); text != l.Value && !edited[l] && l.Place != leaf.Header {
			edits = append(edits, leaf.Whole(l, text))
		}
	}
	out := m.Splice(edits)
	sandbox := strings.TrimSuffix(x.URL, x.Target())
	r := match.NewRequest(set, x.Method, strings.TrimPrefix(out.Target, sandbox), out.Header, out.Body)
	r.Deck = sandbox // where the client reaches the deck is where it reached the sandbox
	return r
}

func mutate(
	t *testing.T, p *match.Player, set *profile.Set, x *leaf.Exchange, live *strings.Replacer,
) {
	t.Helper()
	call := set.Find(x.Method, strings.SplitN(x.Target(), "?", 2)[0])
	m := x.RequestMessage()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place == leaf.Header || l.Place == leaf.Path || l.Key == "name" {
			continue
		}
		f, _ := set.Field(call, profile.Request, profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape})
		if f.From != profile.Exact && (f.From != profile.Minted || f.Secret == profile.PAN) {
			continue
		}
		r := request(set, x, live, []leaf.Edit{leaf.Whole(l, "7"+l.Value)})
		_, miss := p.Serve(r)
		if miss == nil {
			t.Errorf("%s: %s changed, and it hit", call.Operation.Name, l.Path)
			continue
		}
		explained(t, nil, miss)
		want := called(l)
		named := strings.Contains(miss.Sentence, want)
		if f.From == profile.Exact && miss.Reason != match.BadField || !named {
			t.Errorf("%s: %s changed: %s: %s", call.Operation.Name, l.Path, miss.Reason, miss.Sentence)
		}
	}
}

// minted pairs the recorded ids of an answer with the live ones, wherever they stand.
func minted(x *leaf.Exchange, a *match.Answer) []string {
	var pairs []string
	h := http.Header{} // what replay writes itself is not in the answer
	for name := range a.Header {
		h[name] = x.Response.Headers[name]
	}
	recorded := leaf.Read(leaf.Message{Header: h, Body: x.Response.Body})
	live := leaf.Read(leaf.Message{Header: a.Header, Body: a.Body})
	for i := range recorded.Leaves {
		then, now := words(recorded.Leaves[i].Value), words(live.Leaves[i].Value)
		for n := range then {
			if len(then) == len(now) && len(then[n]) >= 6 && then[n] != now[n] {
				pairs = append(pairs, then[n], now[n])
				if short := strings.TrimLeft(then[n], "0"); short != then[n] && len(short) >= 6 {
					pairs = append(pairs, short, strings.TrimLeft(now[n], "0"))
				}
			}
		}
	}
	return pairs
}

// words are the runs of letters, digits, dashes and stars in a text.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool {
		return r != '-' && r != '*' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
