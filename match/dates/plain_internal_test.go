package dates

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/profile"
)

// What is read and written here is what package time reads and writes.
func TestPlainMomentsAreThoseOfPackageTime(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 3*60*60)
	local, err := time.LoadLocation("America/Sao_Paulo") // where days have begun at one o'clock
	if err != nil {
		t.Skip("the zones of the world are not here")
	}
	r := rand.New(rand.NewPCG(5, 6))
	read := 0
	for _, model := range []string{"2026-11-20T13:18:00", "2024-02-29T23:59:59Z", "2018-11-04T00:30:00",
		"0000-01-01T00:00:00", "9999-12-31T23:59:59Z", "2026-11-20 13:18:00", "2026-11-20T13:18:00.5"} {
		for range 5_000 {
			b := []byte(model)
			for range r.IntN(3) {
				b[r.IntN(len(b))] = "0123456789-:TZ+. a"[r.IntN(18)]
			}
			s := string(b)
			for _, in := range []*time.Location{time.UTC, zone, local} {
				got, ok := parsePlain(s, in)
				want, err := time.ParseInLocation(layout(profile.ISO, s), s, in)
				if !ok {
					continue
				}
				if read++; err != nil || !got.Equal(want) || got.Location() != want.Location() {
					t.Fatalf("%q in %v is read as %v, want %v (%v)", s, in, got, want, err)
				}
				moved := got.Add(time.Duration(r.Int64N(int64(400 * 24 * time.Hour))))
				if text, ok := writePlain(moved, s); ok && text != moved.Format(layout(profile.ISO, s)) {
					t.Fatalf("%v is written as %s, like %q", moved, text, s)
				}
			}
		}
	}
	if read < 20_000 {
		t.Errorf("%d were read, which tells little", read)
	}
}
