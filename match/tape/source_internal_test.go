package tape

import (
	"math"
	"testing"
	"time"
)

// TestAt keeps times of all kinds in sources.
func TestAt(t *testing.T) {
	t.Parallel()
	msk := func() *time.Location { return time.FixedZone("", 3*3600) } // another each time, as a parser makes it
	for _, test := range []struct {
		at   time.Time
		kept bool
	}{
		{time.Time{}, false},
		{time.Unix(0, 0).UTC(), true},
		{time.Unix(0, -1), true},
		{time.Date(2026, time.March, 1, 10, 0, 0, 123456789, time.UTC), true},
		{time.Date(2026, time.March, 1, 10, 0, 0, 1, msk()), true},
		{time.Unix(0, math.MaxInt64).In(msk()), true},
		{time.Date(1600, time.March, 1, 10, 0, 0, 0, time.UTC), false},
		{time.Date(9999, time.March, 1, 10, 0, 0, 0, msk()), false},
	} {
		w := newWords(&slabs{})
		s := &Source{Filling: w.filling(Filling{Zone: w.zone(test.at)}), at: nanoseconds(test.at)}
		want := test.at
		if !test.kept {
			want = time.Time{}
		}
		if got := s.At(); !got.Equal(want) || test.kept && got.Format(time.RFC3339Nano) != want.Format(time.RFC3339Nano) {
			t.Errorf("%v is kept as %v", test.at, got)
		}
	}
	w := newWords(&slabs{})
	now := time.Unix(1_700_000_000, 0)
	one, again, named := w.zone(now.In(msk())), w.zone(now.In(msk())), w.zone(now.In(time.FixedZone("MSK", 3*3600)))
	if one != again || one == named || w.zone(now.UTC()) != time.UTC {
		t.Error("zones that tell the same time are not one, or others are")
	}
}
