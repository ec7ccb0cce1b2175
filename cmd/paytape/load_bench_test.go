package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// payment is what the first exchanges of the stories hold: a payment at the gateway, from its
// registration to the binding that it leaves.
const paymentLength = 5

// manyPayments writes a tape of n exchanges: the payment of the stories again and again, a second
// apart, with ids of its own each time. It returns how large the file is.
func manyPayments(b *testing.B, k *knowledge, dir, name string, n int) int64 {
	b.Helper()
	tapes, err := loadTapes(shelf{k, filepath.Join("..", "..", "testdata")}, []string{"stories"},
		func(w string) { b.Fatal(w) })
	if err != nil {
		b.Fatal(err)
	}
	library, err := cassettes.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer library.Close()
	r, err := library.RecordWith(cassettes.Options{Sync: cassettes.SyncNone}, name, k.redactor(nil))
	if err != nil {
		b.Fatal(err)
	}
	seal, err := redact.CheckSeal(nil, redact.Sum(nil))
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		x := repeated(b, tapes[0].Exchanges[i%paymentLength].Exchange(), i/paymentLength)
		x.Meta.Number = r.Next()
		if err := r.Append(seal.Reopen(x)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := r.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, name+".yaml"))
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// repeated returns an exchange as it would be in the n-th payment after its own.
func repeated(b *testing.B, x *leaf.Exchange, n int) *leaf.Exchange {
	b.Helper()
	mixed := uint64(n) * 0x9e3779b97f4a7c15
	fresh := strings.NewReplacer(
		"343d5567-658c-7e76", fmt.Sprintf("%08x-%04x-7%03x", n, mixed>>48, mixed>>12&0xfff),
		"920c50db-ee99-726a", fmt.Sprintf("%08x-%04x-7%03x", ^uint32(n), mixed>>32&0xffff, mixed&0xfff),
		"A-1001", fmt.Sprintf("A-%d", 1001+n), "client-one", fmt.Sprintf("client-%d", n),
		"102156", fmt.Sprintf("%06d", mixed%1e6), "277840624926", strconv.Itoa(277840000000+n*7),
		"1795194465", strconv.Itoa(1795194465+n),
	)
	again := leaf.Exchange{Interaction: x.Interaction, Meta: x.Meta}
	for _, s := range []*string{&again.Request.Body, &again.Response.Body, &again.URL} {
		*s = fresh.Replace(*s)
	}
	form, err := json.Marshal(x.Request.Form)
	if err == nil {
		again.Request.Form = nil
		err = json.Unmarshal([]byte(fresh.Replace(string(form))), &again.Request.Form)
	}
	if err != nil {
		b.Fatal("a form was not copied")
	}
	again.Meta.At = x.Meta.At.Add(time.Duration(n) * time.Second)
	return &again
}

// BenchmarkLoadAndCompile opens a tape and makes it ready for replay.
func BenchmarkLoadAndCompile(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("exchanges=%d", n), func(b *testing.B) {
			k := &knowledge{}
			if err := k.check(); err != nil {
				b.Fatal(err)
			}
			dir := b.TempDir()
			b.SetBytes(manyPayments(b, k, dir, "long", n))
			b.ReportAllocs()
			for b.Loop() {
				s := shelf{k, dir}
				library, err := s.open()
				if err != nil {
					b.Fatal(err)
				}
				var rs reels
				if err := rs.add(library, "long", k.redactor(nil)); err != nil {
					b.Fatal(err)
				}
				p := playing{ids: freshIDs, clock: clockNow}
				var said strings.Builder
				tape, _, err := p.compile(k, rs, voice{w: &said})
				if err != nil || tape.Exchanges() != n || said.Len() > 0 {
					b.Fatalf("%d exchanges, %v: %s", tape.Exchanges(), err, said.String())
				}
				if err := library.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
