package match_test

import (
	"bytes"
	"testing"

	"github.com/paytape/paytape/internal/codec"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// BenchmarkRead reads tapes that were written, and makes their machines, which is a part of that.
func BenchmarkRead(b *testing.B) {
	for name, xs := range map[string]func() []*leaf.Exchange{
		"payments": func() []*leaf.Exchange { xs, _ := payments(20_000, false); return xs },
		"cards":    func() []*leaf.Exchange { return distinctCards(20_000) },
	} {
		o := match.Options{Profiles: profiles(b)}
		xs := xs()
		tape := match.Compile(o, match.Cassette{Name: "t", Exchanges: xs})
		each := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(xs)), "ns/exchange")
		}
		var file bytes.Buffer
		b.Run("write/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				file.Reset()
				if err := tape.Write(&file, codec.Key{}); err != nil {
					b.Fatal(err)
				}
			}
			each(b)
		})
		b.Run("read/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := match.Read(o, bytes.NewReader(file.Bytes()), int64(file.Len()), codec.Key{}); err != nil {
					b.Fatal(err)
				}
			}
			each(b)
		})
		b.Run("machine/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				match.BuildAgain(tape)
			}
			each(b)
		})
	}
}
