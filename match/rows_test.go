package match_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
)

// TestEveryFieldOfEveryOperation records one request for every operation of the profiles, and
// sends it again with one value changed, left out, or added. What the client chooses and what
// is ignored may differ; anything else misses, and the miss names the field.
func TestEveryFieldOfEveryOperation(t *testing.T) {
	t.Parallel()
	set := profiles(t)
	tried := 0
	for name, r := range rowedRequests(t, set) {
		t.Run(name, func(t *testing.T) {
			x := r.exchange(t)
			m := x.RequestMessage()
			p := rowedTape{set, match.Compile(match.Options{Profiles: set, Seed: 7},
				match.Cassette{Name: "t", Exchanges: []*leaf.Exchange{x}}), x.Method,
				set.Find(x.Method, strings.Split(x.Target(), "?")[0]).Profile}
			if miss := p.send(*m); miss != nil {
				t.Fatalf("as it is: %s: %s", miss.Reason, miss.Sentence)
			}
			tried += p.change(t, r, m)
			p.omit(t, r)
			p.add(t, r)
		})
	}
	if tried < 500 {
		t.Errorf("only %d fields were changed", tried)
	}
}

// rowedTape is a tape of one request.
type rowedTape struct {
	set    *profile.Set
	tape   *match.Tape
	method string
	of     *profile.Profile
}

// send sends a message to a new replay of the tape, and returns the miss if it is one.
func (p rowedTape) send(m leaf.Message) *match.Miss {
	target := strings.TrimPrefix(m.Target, "https://sandbox.example")
	r := match.NewRequest(p.set, p.method, target, m.Header, m.Body)
	_, miss := match.NewPlayer(p.tape).Serve(r)
	return miss
}

// change changes each leaf in turn, and returns how many it were.
func (p rowedTape) change(t *testing.T, r *rowed, m *leaf.Message) int {
	n := 0
	for i := range m.Leaves {
		l := &m.Leaves[i]
		f, ok := rowOf(p.set, r.op, l)
		if !ok {
			continue
		}
		n++
		miss := p.send(m.Splice(renamed(p.set, r.op, m, l)))
		if p.of.Entity(f.Of) != nil {
			continue // it names a thing of the sandbox's, of which others decide: see the oracle
		}
		switch {
		case miss == nil && !free(f):
			t.Errorf("%s changed, and it hit", l.Path)
		case miss != nil && free(f):
			t.Errorf("%s is the client's: %s: %s", l.Path, miss.Reason, miss.Sentence)
		case miss != nil && !strings.Contains(miss.Sentence, called(l)):
			t.Errorf("%s changed: %s: %s", l.Path, miss.Reason, miss.Sentence)
		}
	}
	return n
}

// omit leaves out each field at the top in turn.
func (p rowedTape) omit(t *testing.T, r *rowed) {
	for name := range r.fields {
		if _, holds := r.fields[name+">"]; holds {
			continue // the document in it has a turn of its own
		}
		less := *r
		less.fields = maps.Clone(r.fields)
		delete(less.fields, name)
		miss := p.send(*less.exchange(t).RequestMessage())
		f, _ := rowOf(p.set, r.op, &leaf.Leaf{Key: name, Path: name, Shape: name, Place: leaf.JSON})
		_, whole := r.fields[name].(string)
		switch {
		case whole && f.From == profile.Ignored:
		case !whole && miss != nil: // what is in it may name a thing
		case miss == nil:
			t.Errorf("%s left out, and it hit", name)
		case !strings.Contains(miss.Sentence, "is missing"):
			t.Errorf("%s left out: %s: %s", name, miss.Reason, miss.Sentence)
		}
	}
}

// add sends a field more.
func (p rowedTape) add(t *testing.T, r *rowed) {
	more := *r
	more.fields = maps.Clone(r.fields)
	more.fields["furtherField"] = "x"
	miss := p.send(*more.exchange(t).RequestMessage())
	if miss == nil || !strings.Contains(miss.Sentence, "furtherField is not on tape") {
		t.Errorf("a field more: %v", miss)
	}
}

// rowOf returns the field that a leaf of a request is, or false if it takes no part.
func rowOf(set *profile.Set, op *profile.Operation, l *leaf.Leaf) (profile.Field, bool) {
	call := profile.Call{Profile: op.Profile, Operation: op}
	switch {
	case l.Place == leaf.Header:
		return set.HeaderField(call, profile.Request, l.Key)
	case l.Place == leaf.Path:
		i, err := strconv.Atoi(l.Key)
		if err != nil || op.Segment(i) == "" {
			return profile.Field{}, false
		}
		name := op.Segment(i)
		f, _ := set.Field(call, profile.Request, profile.At{Key: name, Shape: "{" + name + "}"})
		return f, true
	}
	f, _ := set.Field(call, profile.Request, profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape})
	return f, l.Key != "name"
}

// free reports whether another value of a field may be sent.
func free(f profile.Field) bool {
	switch f.From {
	case profile.Exact:
		return false
	case profile.Minted, profile.Rendering:
		// A card that is seen first here is the client's.
		return f.Secret == profile.PAN && f.Form != profile.Mask
	}
	return true
}

// renamed changes a leaf. Where the client is free to, it is the client's value that changes,
// and so wherever else the request has it or its mask.
func renamed(set *profile.Set, op *profile.Operation, m *leaf.Message, l *leaf.Leaf) []leaf.Edit {
	f, _ := rowOf(set, op, l)
	edits := []leaf.Edit{leaf.Whole(l, changed(f, l.Value))}
	for i := range m.Leaves {
		o := &m.Leaves[i]
		other, ok := rowOf(set, op, o)
		same := f.Of != "" && f.Of == other.Of && (o.Value == l.Value || f.Secret == profile.PAN)
		if ok && o != l && same && free(f) {
			edits = append(edits, leaf.Whole(o, changed(other, o.Value)))
		}
	}
	return edits
}

// called is how a miss names a leaf.
func called(l *leaf.Leaf) string {
	switch {
	case l.Name != "" && l.Key == "value" && l.Place == leaf.JSON && strings.Contains(l.Path, "]."):
		return l.Name
	case l.Place == leaf.Path:
		return "{"
	}
	return l.Key
}

// changed returns another value for a field, of the same kind.
func changed(f profile.Field, text string) string {
	switch {
	case f.Secret == profile.PAN && f.Form != profile.Mask:
		return "555555" + "5555555599"
	case f.Form == profile.Mask:
		return "555555******5599"
	case f.Form == profile.Last && f.Of == "card":
		return "5599"
	case f.As == profile.IPShape:
		return "192.0.2.77"
	case f.As == profile.LastFirst:
		return text + "n"
	case f.As == profile.PINShape:
		return "5678"
	case f.As == profile.DayShape:
		return "1990-05-18"
	case f.As == profile.TelShape:
		return "+49170000077"
	case f.As != 0:
		return text + "7"
	case f.From == profile.Date:
		later := strings.NewReplacer("2030", "2031", "2190", "2191", "12", "11", "2026", "2027", "17749", "17750")
		return later.Replace(text)
	}
	return fmt.Sprint("7", text)
}
