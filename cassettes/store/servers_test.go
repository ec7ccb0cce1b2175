package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/cassettes/store"
	"github.com/paytape/paytape/cassettes/store/lockfile"
	"github.com/paytape/paytape/cassettes/store/storetest"
)

func TestRegistry(t *testing.T) { keepsTapes(t, storetest.Registry(t)) }

func TestGateway(t *testing.T) { keepsTapes(t, storetest.Gateway(t)) }

// keepsTapes has a real server keep tapes: of one flow that has changed, of many who push at once.
func keepsTapes(t *testing.T, s storetest.Server) {
	t.Setenv("HOME", t.TempDir()) // nothing of whoever runs the test
	for _, pair := range s.Environ {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	ours := newFolder(t, s.URL)
	exchanges, size := unlessRaced(1400, 900), 3000
	ours.write("big.yaml", tape(t, upTo(exchanges), size))
	ours.must("big pushed", store.Push, "big")
	whole := ours.moved
	ours.must("big there", store.Push, "big")
	if ours.moved > 0 {
		t.Errorf("%d of %d bytes moved for nothing", ours.moved, whole)
	}
	theirs := ours.clone()
	theirs.must("big pulled", store.Require, "big")
	theirs.has("big.yaml", ours.read("big.yaml"))
	seeds := append(upTo(exchanges/2), append([]int{-1}, upTo(exchanges)[exchanges/2:]...)...)
	ours.write("big.yaml", tape(t, seeds, size))
	ours.must("big pushed", store.Push, "big")
	if ours.moved > int64(unlessRaced(50, 80))*whole/100 {
		t.Errorf("%d of %d bytes moved for one exchange", ours.moved, whole)
	}
	theirs.write("paytape.lock", ours.read("paytape.lock"))
	theirs.must("big replaced", store.Pull, "big")
	theirs.has("big.yaml", ours.read("big.yaml"))

	var all sync.WaitGroup
	for i := range 16 {
		name := fmt.Sprintf("tape%02d", i)
		ours.write(name+".yaml", tape(t, []int{1 + i/2, 7}, 300)) // each twice
		all.Go(func() {
			if err := store.Push(t.Context(), []string{name}, withoutTelling(ours.Options)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	last := ours.clone()
	if _, err := last.do(store.Pull); err != nil {
		t.Fatal(err)
	}
	lock, err := lockfile.Parse(ours.read("paytape.lock"))
	if err != nil || len(lock.Tapes()) != 17 {
		t.Fatalf("%v: %d rows", err, len(lock.Tapes()))
	}
	for _, row := range lock.Tapes() {
		last.has(row.Name+".yaml", ours.read(row.Name+".yaml"))
	}
}
