package cassettes

import (
	"sync"
	"testing"
)

// A file that others replace all the time can be opened: it is whole at any moment.
func TestOpenReplaced(t *testing.T) {
	t.Parallel()
	library, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) error {
		return library.UpdateSidecar("some.lock", func([]byte) ([]byte, error) { return []byte(text), nil })
	}
	if err := write("0"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for i := range 300 {
			if err := write(string(rune('1' + i%9))); err != nil {
				t.Error(err)
			}
		}
	})
	for range 3_000 {
		if text, err := library.ReadSidecar("some.lock"); err != nil || len(text) != 1 {
			t.Errorf("%q: %v", text, err)
			break
		}
	}
	all.Wait()
}
