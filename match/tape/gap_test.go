package tape

import "testing"

func TestGaps(t *testing.T) {
	t.Parallel()
	g := gaps{2, 3, 7, 8}
	for number, want := range map[int]int{2: 1, 3: 1, 4: 1, 7: 4, 8: 4} {
		if got := g.before(number); got != want {
			t.Errorf("before %d: got %d, want %d", number, got, want)
		}
	}
	if (gaps{1, 2, 3}).before(3) != 0 {
		t.Error("a whole tape misses something")
	}
}
