package outcome

import (
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// reading is an exchange while it is looked at.
type reading struct {
	set     *profile.Set
	x       *leaf.Exchange
	call    profile.Call
	outcome *profile.Outcome // of the profile; never nil
	wording *profile.Wording // of the operation; never nil
	known   Known

	asked, answered half
}

// half is a message of an exchange.
type half struct {
	dir    profile.Direction
	leaves []leaf.Leaf
}

var nothing = &profile.Outcome{}

func newReading(set *profile.Set, x *leaf.Exchange) *reading {
	r := &reading{set: set, x: x, call: CallOf(set, x), outcome: nothing}
	if r.call.Profile != nil && r.call.Profile.Outcome != nil {
		r.outcome = r.call.Profile.Outcome
	}
	operation := ""
	if r.call.Operation != nil {
		operation = r.call.Operation.Name
	}
	r.wording = r.outcome.Wording(operation)
	if r.call.Profile == nil {
		return r // no field means anything
	}
	leaves := read(make([]leaf.Leaf, 0, roomFor), x.Asked())
	asked := len(leaves)
	leaves = read(leaves, x.Answered())
	r.asked = half{profile.Request, leaves[:asked]}
	r.answered = half{profile.Response, leaves[asked:]}
	return r
}

// CallOf returns what the profiles recognise of an exchange.
func CallOf(set *profile.Set, x *leaf.Exchange) profile.Call {
	if x.Meta.Callback != nil {
		return set.FindCallback(x.Meta.Profile)
	}
	path, _, _ := strings.Cut(x.Target(), "?")
	return set.Find(x.Request.Method, path)
}

// read appends the values of a message, without those of its header.
func read(leaves []leaf.Leaf, m leaf.Message) []leaf.Leaf {
	m.Headless, m.Most = true, maxLeaves
	if len(m.Body) > MaxBody {
		m.Body = ""
	}
	if len(m.Target) > MaxBody {
		m.Target, m.Skip = "", 0
	}
	return leaf.Append(leaves, m)
}

// roomFor is how many values most exchanges have at most.
const roomFor = 64

// find returns the first value of the message under a key, or under a path without indexes; nil if
// there is none. Case does not count.
func (h *half) find(key string) *leaf.Leaf {
	path := strings.ContainsAny(key, ".>")
	for i := range h.leaves {
		l := &h.leaves[i]
		name := l.Key
		if path {
			name = l.Shape
		}
		if len(name) == len(key) && strings.EqualFold(name, key) {
			return l
		}
	}
	return nil
}

// text returns the text of find.
func (h *half) text(key string) (string, bool) {
	if l := h.find(key); l != nil {
		return l.Value, true
	}
	return "", false
}

func (r *reading) find(key string) (string, bool)      { return r.answered.text(key) }
func (r *reading) findAsked(key string) (string, bool) { return r.asked.text(key) }

// meaning returns what the profiles know of a value.
func (r *reading) meaning(h *half, l *leaf.Leaf) profile.Field {
	at := profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape}
	if l.Place == leaf.Path && r.call.Operation != nil {
		i, _ := strconv.Atoi(l.Key)
		at.Key = r.call.Operation.Segment(i)
		if at.Shape = at.Key; at.Key == "" {
			return profile.Field{}
		}
	}
	f, _ := r.set.Meaning(r.call, h.dir, at)
	return f
}

// count says how many members the answer lists: "1 binding", "no bindings". The nouns are the one for
// one, and the one for several: "binding/bindings".
func (r *reading) count(shapes []string, nouns string) string {
	if shapes == nil && r.call.Operation != nil && r.call.Operation.List != nil {
		shapes = r.call.Operation.List.Items
	}
	one, several, _ := strings.Cut(nouns, "/")
	n := 0
	for i := range r.answered.leaves {
		n = max(n, memberOf(r.answered.leaves[i].Path, shapes)+1)
	}
	switch n {
	case 0:
		return "no " + several
	case 1:
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// memberOf returns the index of the member of an array that a value lies in: 2 for
// "bindings[2].maskedPan" and the array "bindings". It is -1 outside of the arrays.
func memberOf(path string, arrays []string) int {
	for _, array := range arrays {
		rest, found := strings.CutPrefix(path, array)
		if !found || !strings.HasPrefix(rest, "[") {
			continue
		}
		index, _, closed := strings.Cut(rest[1:], "]")
		if n, err := strconv.Atoi(index); err == nil && closed {
			return n
		}
	}
	return -1
}
