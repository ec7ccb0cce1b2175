package merge_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/merge"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// pieces are exchanges as listed takes them.
func pieces(all []redact.Clean) []cassettes.Piece {
	var out []cassettes.Piece
	for _, c := range all {
		out = append(out, cassettes.Piece{Exchange: c})
	}
	return out
}

func TestReplace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	tape := b.record(nil, said{"A", 1, "first-Secret"}, said{"B", 2, "first-Secret"},
		said{"C", 3, "second-Secret"}, said{"D", 4, "first-Secret"})
	for _, tt := range []struct {
		why   string
		tape  []redact.Clean
		gone  []int
		fresh []redact.Clean
		want  string
	}{
		{"one for one: a secret in the same place keeps its surrogate", tape, []int{2},
			b.record(nil, said{"X", 9, "whatever-Secret"}),
			"1 A token-1\n2 X token-1\n3 C token-2\n4 D token-1"},
		{"more than there were: what is behind moves up", tape, []int{2},
			b.record(nil, said{"X", 9, "whatever-Secret"}, said{"Y", 10, "other-Secret"}),
			"1 A token-1\n2 X token-1\n3 Y token-3\n4 C token-2\n5 D token-1"},
		{"fewer: what is behind keeps its number", tape, []int{2, 3},
			b.record(nil, said{"X", 9, "whatever-Secret"}),
			"1 A token-1\n2 X token-1\n4 D token-1"},
		{"two secrets where there was one are two", tape, []int{1, 2},
			b.record(nil, said{"X", 9, "good-Secret"}, said{"Y", 10, "bad-Secret"}),
			"1 X token-1\n2 Y token-3\n3 C token-2\n4 D token-1"},
		{"a gap has room", without(tape, "B"), []int{1},
			b.record(nil, said{"X", 9, "good-Secret"}, said{"Y", 10, "good-Secret"}),
			"1 X token-1\n2 Y token-1\n3 C token-2\n4 D token-1"},
		{"the last", tape, []int{4}, b.record(nil, said{"X", 9, "good-Secret"}),
			"1 A token-1\n2 B token-1\n3 C token-2\n4 X token-1"},
	} {
		if got := listed(pieces(merge.Replace(tt.tape, tt.gone, tt.fresh, b.redactor))); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.why, got, tt.want)
		}
	}
}

// TestReplaceCards wants a card to keep its number only if it may be the same card.
func TestReplaceCards(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const visa, other = "411111" + "1111111111", "400000" + "1111111118"
	pay := func(card string) []redact.Clean {
		x := said{"A", 1, "first-Secret"}.exchange()
		x.URL = "https://gw.example/payment/rest/paymentorder.do"
		x.Request.Body = "MDORDER=o-1&$PAN=" + card
		x.Meta.Number = 1
		return []redact.Clean{b.redactor().Clean(x)}
	}
	tape := append(pay(visa), b.edit(pay(visa), "", "{}")...)
	y := *tape[1].Exchange()
	y.Meta.Number = 2
	tape[1] = b.redactor().Reclean(&y)
	panOf := func(c redact.Clean) string { return c.Exchange().Form.Get("$PAN") }
	if got := merge.Replace(tape, []int{1}, pay(visa), b.redactor); panOf(got[0]) != panOf(got[1]) {
		t.Errorf("the same digits: %s and %s", panOf(got[0]), panOf(got[1]))
	}
	got := merge.Replace(tape, []int{1}, pay(other), b.redactor)
	if want := "4000000000201118"; panOf(got[0]) != want {
		t.Errorf("other digits: got %s, want %s", panOf(got[0]), want)
	}
}

// TestReplaceCallbacks wants callbacks to follow their causes.
func TestReplaceCallbacks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	flow := func(from int) []redact.Clean {
		var all []redact.Clean
		for i, id := range []string{"A", "told"} {
			x := said{fmt.Sprint(id, from), from + i, "first-Secret"}.exchange()
			x.Meta.Number = from + i
			if i == 1 {
				x.Meta.Callback = &leaf.Callback{Of: from, Gap: time.Second, Attempt: 1, Via: leaf.ViaRelay}
			}
			all = append(all, b.redactor().Clean(x))
		}
		return all
	}
	tape := slices.Concat(flow(1), flow(3), flow(5))
	fresh := slices.Concat(flow(1), b.record(flow(1), said{"more", 9, "first-Secret"})[2:])
	var of []int
	for _, c := range merge.Replace(tape, []int{3, 4}, fresh, b.redactor) {
		if told := c.Exchange().Meta.Callback; told != nil {
			of = append(of, told.Of)
		}
	}
	if want := []int{1, 3, 6}; !slices.Equal(of, want) {
		t.Errorf("callbacks of %v, want of %v", of, want)
	}
}
