package match

import (
	"math/rand/v2"
	"testing"
)

// A table does what a map does, whatever was put into it and taken out. There are few digests, and they
// lie close together, so that places are taken by others all the time.
func TestATableDoesWhatAMapDoes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, digests := range []uint64{3, 40, 2_000} {
		var table byDigest[int]
		like := map[uint64]int{}
		for i := range 20_000 {
			digest := 1 + r.Uint64N(digests)
			if r.IntN(3) == 0 {
				table.remove(digest)
				delete(like, digest)
			} else {
				table.put(digest, i)
				like[digest] = i
			}
			sought := 1 + r.Uint64N(digests)
			value, found := table.of(sought)
			if want, there := like[sought]; value != want || found != there || table.n != len(like) {
				t.Fatalf("of %d digests, %d is %d, %v and not %d, %v; %d of %d are there", digests, sought,
					value, found, want, there, table.n, len(like))
			}
		}
		for digest, value := range table.all() {
			if like[digest] != value {
				t.Errorf("%d is %d and not %d", digest, value, like[digest])
			}
			delete(like, digest)
		}
		if len(like) > 0 {
			t.Errorf("%d digests were not yielded", len(like))
		}
		table.clear()
		if _, found := table.of(1); found || table.n != 0 {
			t.Error("a table is not empty that was cleared")
		}
	}
}
