package inspect

import (
	"testing"
	"time"

	"github.com/paytape/paytape/proxy/inspect/view"
)

// A reader may ask for so many rows in a second; misses come beside them.
func TestRoomOnAStream(t *testing.T) {
	hit, miss := &view.Row{Sign: view.SignHit}, &view.Row{Sign: view.SignMiss}
	count := func(s *stream, r *view.Row) (n int) {
		for range 50 {
			if s.room(r) {
				n++
			}
		}
		return n
	}
	all, some := &stream{}, &stream{most: 20, second: time.Now().Add(time.Hour)}
	if n := count(all, hit); n != 50 {
		t.Errorf("%d of 50 rows go out where all are wanted", n)
	}
	if n := count(some, hit); n != 20 {
		t.Errorf("%d rows go out in a second, want 20", n)
	}
	if n := count(some, miss); n != 50 {
		t.Errorf("%d of 50 misses go out", n)
	}
	some.second = some.second.Add(-2 * time.Hour)
	if !some.room(hit) {
		t.Error("no row goes out in the next second")
	}
}
