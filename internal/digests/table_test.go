package digests_test

import (
	"math/rand/v2"
	"testing"

	"github.com/paytape/paytape/internal/digests"
)

// A table does what a map does, whatever was put into it and taken out. There are few digests, and they
// lie close together, so that places are taken by others all the time.
func TestTableDoesWhatAMapDoes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, count := range []uint64{3, 40, 2_000} {
		var table digests.Table[int]
		like := map[uint64]int{}
		for i := range 20_000 {
			digest := 1 + r.Uint64N(count)
			if r.IntN(3) == 0 {
				table.Remove(digest)
				delete(like, digest)
			} else {
				table.Put(digest, i)
				like[digest] = i
			}
			sought := 1 + r.Uint64N(count)
			value, found := table.Find(sought)
			if want, there := like[sought]; value != want || found != there || table.Len() != len(like) {
				t.Fatalf("of %d digests, %d is %d, %v and not %d, %v; %d of %d are there", count, sought,
					value, found, want, there, table.Len(), len(like))
			}
		}
		for digest, value := range table.All() {
			if like[digest] != value {
				t.Errorf("%d is %d and not %d", digest, value, like[digest])
			}
			delete(like, digest)
		}
		if len(like) > 0 {
			t.Errorf("%d digests were not yielded", len(like))
		}
		table.Clear()
		if _, found := table.Find(1); found || table.Len() != 0 {
			t.Error("a table is not empty that was cleared")
		}
	}
}
