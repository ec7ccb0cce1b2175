package digests_test

import (
	"hash/maphash"
	"testing"

	"github.com/paytape/paytape/internal/digests"
)

// What is put under a digest is found under it alone, and stays where it is.
func TestMap(t *testing.T) {
	t.Parallel()
	seed := maphash.MakeSeed()
	var m digests.Map[int]
	if m.Find(7) != nil || m.Len() != 0 {
		t.Error("an empty map has something")
	}
	want := map[uint64]int{}
	places := map[uint64]*int{}
	for i := range 20_000 {
		digest := maphash.Comparable(seed, i%15_000)
		if i%5 == 0 { // the same upper half, or the same lower half, as another digest
			digest = digest&^0xffff | uint64(i%7)
		}
		want[digest] += i
		v := m.At(digest)
		*v += i
		if before := places[digest]; before != nil && before != v {
			t.Fatalf("the value of digest %d has moved", i)
		}
		places[digest] = v
	}
	if m.Len() != len(want) {
		t.Errorf("%d values, want %d", m.Len(), len(want))
	}
	for digest, n := range want {
		if v := m.Find(digest); v == nil || *v != n {
			t.Fatalf("digest %x: %v, want %d", digest, v, n)
		}
		if m.Find(digest^1<<63) != nil && want[digest^1<<63] == 0 {
			t.Errorf("digest %x is there, and was never put", digest^1<<63)
		}
	}
}

// Digest 0 is one like any other.
func TestMapOfZero(t *testing.T) {
	t.Parallel()
	var m digests.Map[string]
	*m.At(0) = "zero"
	*m.At(1) = "one"
	if got := m.Find(0); got == nil || *got != "zero" {
		t.Errorf("digest 0: %v", got)
	}
}

func BenchmarkMap(b *testing.B) {
	const n = 200_000
	seed := maphash.MakeSeed()
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = maphash.Comparable(seed, i)
	}
	b.Run("digests", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m digests.Map[int32]
			for i, k := range keys {
				if m.Find(k) == nil {
					*m.At(k) = int32(i)
				}
			}
		}
	})
	b.Run("map", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m := map[uint64]int32{}
			for i, k := range keys {
				if _, known := m[k]; !known {
					m[k] = int32(i)
				}
			}
		}
	})
}
