package profile

import (
	"strconv"
	"strings"
	"testing"
)

// What is remembered is what the rows say, whichever leaves were asked for before.
func TestRemembered(t *testing.T) {
	set, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	calls := []Call{{}}
	for _, p := range set.Profiles() {
		calls = append(calls, Call{Profile: p})
		for _, o := range p.described() {
			calls = append(calls, Call{Profile: p, Operation: o})
		}
	}
	shapes := []string{"amount", "orderId", "a.amount", "status", "x", "a.b.c", "params.email"}
	for i := range len(remembered{}) { // more than are kept of
		shapes = append(shapes, "k"+strconv.Itoa(i))
	}
	for _, shape := range shapes {
		at := At{Key: shape[LastBreak(shape)+1:], Shape: shape}
		for _, c := range calls {
			for _, dir := range []Direction{Request, Response, Request} {
				got, known := set.Meaning(c, dir, at)
				want, wantKnown := set.askMeaning(c, dir, at)
				if got != want || known != wantKnown {
					t.Fatalf("%q: %+v (%v), want %+v (%v)", shape, got, known, want, wantKnown)
				}
			}
		}
	}
}

// Rows that are put on top later count at once.
func TestRememberedUntilRowsChange(t *testing.T) {
	set, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	call, at := set.Find("POST", "/payment/rest/register.do"), At{Key: "amount", Shape: "amount"}
	if f, known := set.Meaning(call, Request, at); f.From != Exact || !known {
		t.Fatalf("amount is %+v (%v)", f, known)
	}
	set.Override([]Override{{Operation: call.Operation, Key: "amount", Field: Field{From: Ignored}}})
	if f, known := set.Meaning(call, Request, at); f.From != Ignored || !known {
		t.Errorf("amount is %+v (%v) behind a row that ignores it", f, known)
	}
}

// The rows are searched once for the leaves of messages of one kind, however many messages there are,
// and for a leaf that is too long to be kept each time.
func TestRememberedAsksOnce(t *testing.T) {
	for _, row := range []struct {
		name, shape     string
		times, searches int
	}{
		{"asked for once", "a.b", 1, 1},
		{"asked for often", "a.b", 40, 1},
		{"too long", strings.Repeat("a.", longestRemembered) + "b", 40, 40},
	} {
		searches := 0
		var r remembered
		for range row.times {
			r.of(Call{}, Response, At{Key: "b", Shape: row.shape}, func() (Field, bool) {
				searches++
				return Field{}, false
			})
		}
		if searches != row.searches {
			t.Errorf("%s: %d searches, want %d", row.name, searches, row.searches)
		}
	}
}

// A path is what the routes say, whichever paths were asked for before; what its segments name is never
// kept.
func TestFindRemembered(t *testing.T) {
	set, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, p := range set.Profiles() {
			for _, o := range p.described() {
				for _, method := range append([]string{"PATCH"}, o.Methods...) {
					for _, path := range []string{o.Path, o.Path + "/", "/" + o.Path, o.Path + "/x"} {
						if got, want := set.Find(method, path), set.find(method, path); got != want {
							t.Fatalf("%s %s: got %+v, want %+v", method, path, got, want)
						}
					}
				}
			}
		}
	}
	for i := range set.calls {
		for j := range set.calls[i] {
			if c := set.calls[i][j].Load(); c != nil && c.call.Operation.HasSegments() {
				t.Fatalf("%s is kept", c.path)
			}
		}
	}
}
