package tape

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

// TestNamesAmongManyValues gives a client the values of ever more orders. How often its name is followed
// by another is told without looking at these values.
func TestNamesAmongManyValues(t *testing.T) {
	t.Parallel()
	for _, n := range []int{100, 400} {
		known := newNotes()
		e := &Entity{notes: &known}
		first, latest := &value{text: "C7", isName: true}, &value{text: "C8", isName: true}
		e.addValue(first, "client")
		for i := range n {
			e.addValue(&value{text: fmt.Sprint("shop/", i)}, "returnUrl")
		}
		e.addValue(latest, "client")
		if got := len(e.given["client"]); got != 2 {
			t.Errorf("with %d values %d are looked at for a name, want 2", n, got)
		}
		if e.behind(first) != 1 || e.behind(latest) != 0 {
			t.Errorf("with %d values the names come %d and %d before the latest, want 1 and 0",
				n, e.behind(first), e.behind(latest))
		}
		if e.has("client") != latest || e.has("returnUrl").slot.N != n-1 || e.has("email") != nil {
			t.Errorf("with %d values the latest of a name is not found", n)
		}
	}
}

// TestValuesAlike gives an entity ever more values. For a text those alone are looked at that it may write, and
// the first of them that it does write is the one that a look at all values finds.
func TestValuesAlike(t *testing.T) {
	t.Parallel()
	known := newNotes()
	e := &Entity{notes: &known}
	texts := []string{"12", "012", "A-1", "a1", "0190ab", "0190AB", "tr_0190abcdefghij", "4111" + "111111111111"}
	for i := range 300 {
		v := &value{text: texts[i%len(texts)], noun: fmt.Sprint("noun ", i%3), minted: i%2 == 0}
		if i >= 20 {
			v.text += fmt.Sprint("x", i)
		}
		if len(v.text) == 16 {
			v.secret = profile.PAN
		}
		e.addValue(v, v.noun)
		for _, text := range slices.Concat(texts, []string{"411111*1111", "0190abcdefghij", "00012", "none"}) {
			for n := range 3 {
				noun := fmt.Sprint("noun ", n)
				is := func(v *value) bool { _, ok := v.is(noun, text); return ok }
				want, got, looked := (*value)(nil), (*value)(nil), 0
				for _, v := range slices.Backward(e.values) {
					if is(v) {
						want = v
						break
					}
				}
				for v := range e.alike(text) {
					if looked++; is(v) {
						got = v
						break
					}
				}
				if got != want {
					t.Fatalf("%q among %d values is %v, want %v", text, i+1, got, want)
				}
				if looked > 2*fewValues+8 {
					t.Fatalf("of %d values %d are looked at for %q", i+1, looked, text)
				}
			}
		}
	}
}

// TestNamesOfAnyText gives an entity names whose nouns and texts hold whatever a JSON key may: the nouns of
// an API that no profile knows are its keys.
func TestNamesOfAnyText(t *testing.T) {
	t.Parallel()
	want := []NameValue{
		{"a\x00id", "tx_1"}, {"", "7"}, {"sent b\x00", ""}, {strings.Repeat("k", 300), strings.Repeat("v", 2000)},
		{"\x00", "\x00"}, {"last", "tx_2"},
	}
	words := newWords(&slabs{})
	named := func() *Entity {
		known := newNotes()
		e := &Entity{EntityKind: &EntityKind{Kind: "thing"}, notes: &known}
		for i, n := range want {
			e.addValue(&value{text: n.Text, isName: true}, n.Noun)
			e.addValue(&value{text: fmt.Sprint("no name ", i)}, "shop")
		}
		e.finish(words)
		return e
	}
	e, other := named(), named()
	if diff := cmp.Diff(want, slices.Collect(e.Names())); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if e.EntityKind != other.EntityKind {
		t.Error("two entities with names of the same nouns do not share their kind")
	}
	if got := e.Words(); got != "thing tx_1" {
		t.Errorf("words: %q", got)
	}
	nameless := &Entity{EntityKind: &EntityKind{Kind: "thing"}, notes: &notes{}}
	nameless.finish(words)
	if got := nameless.Words(); got != "thing" {
		t.Errorf("words of an entity without a name: %q", got)
	}
}
