package match

import (
	"testing"
	"time"
)

func TestFreshAvoidsWhatIsTaken(t *testing.T) {
	taken := map[identity]bool{}
	f := newFresher(1, func(id identity) bool { return taken[id] })
	v := &variable{of: "n", text: "5", birth: &exchange{}}
	for range 8 {
		got := f.value(v, time.Time{})
		if got == "5" || taken[identity{"n", got}] {
			t.Fatalf("%q came twice", got)
		}
		taken[identity{"n", got}] = true
	}
}

// TestFreshIsUnique opens a hundred thousand threads: what identifies never comes twice.
func TestFreshIsUnique(t *testing.T) {
	for _, text := range []string{
		"0193a1b2-0000-7000-8000-0000c0ffee00", "40817978000000000011", "000003456789", "1000000007",
	} {
		taken := map[identity]bool{}
		f := newFresher(1, func(id identity) bool { return taken[id] })
		v := &variable{text: text, birth: &exchange{}}
		for range 100_000 {
			id := identity{text: f.value(v, time.Time{})}
			if taken[id] {
				t.Fatalf("%s came twice", id.text)
			}
			taken[id] = true
		}
	}
}
