package deck_test

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
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
)

// payment is what the first exchanges of the stories hold: a payment at the gateway, from its
// registration to the binding that it leaves.
const paymentLength = 5

// manyPayments writes a tape of n exchanges: the payment of the stories again and again, a second
// apart, with ids of its own each time. It returns how large the file is.
func manyPayments(b *testing.B, dir string, n int) int64 {
	b.Helper()
	const name = "long"
	payment := stories(b)
	library, err := cassettes.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer library.Close()
	r, err := library.RecordWith(cassettes.Options{Sync: cassettes.SyncNone}, name, redact.New(redact.Options{}))
	if err != nil {
		b.Fatal(err)
	}
	seal, err := redact.CheckSeal(nil, redact.Sum(nil))
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		x := repeated(b, payment[i%paymentLength].Exchange(), i/paymentLength)
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

// stories returns the exchanges of testdata/stories.yaml.
func stories(b *testing.B) []redact.Clean {
	b.Helper()
	library, err := cassettes.OpenExisting(filepath.Join("..", "..", "testdata"))
	if err != nil {
		b.Fatal(err)
	}
	defer library.Close()
	tape, err := library.Load("stories", redact.New(redact.Options{}))
	if err != nil {
		b.Fatal(err)
	}
	return tape.Exchanges
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
			dir := b.TempDir()
			b.SetBytes(manyPayments(b, dir, n))
			known, err := deck.NewKnowledge(deck.KnowledgeOptions{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				tape, err := deck.Load(deck.Options{
					Cassettes: []string{"long"}, Dir: dir, Knowledge: known, Alone: true,
					Tell: func(n deck.Notice) { b.Error(n.Text) },
				})
				if err != nil {
					b.Fatal(err)
				}
				if got := tape.Exchanges(); got != n {
					b.Fatalf("%d exchanges", got)
				}
			}
		})
	}
}
