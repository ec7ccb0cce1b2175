package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/paytape/paytape/cassettes/store"
	"github.com/paytape/paytape/cassettes/store/lockfile"
)

// A tape is pushed from one folder and pulled into another that has the lock alone, as after git clone.
// Push searches it for secrets before anything leaves the folder; nobody has to ask for that.
func Example() {
	ctx := context.Background()
	ours, theirs, tapes := newDir(), newDir(), newDir()
	defer func() {
		for _, dir := range []string{ours, theirs, tapes} {
			_ = os.RemoveAll(dir) // the system does it otherwise
		}
	}()
	copyFile(filepath.Join("..", "..", "proxy", "proxytest", "testdata", "paytape", "checkout.yaml"),
		filepath.Join(ours, "checkout.yaml"))

	words := map[store.What]string{store.Pushed: "pushed", store.Pulled: "pulled"}
	tell := func(d store.Done) {
		fmt.Printf("%s %s: %d exchanges\n", words[d.What], d.Tape.Name, d.Tape.Exchanges)
	}
	o := store.Options{Dir: ours, URL: "dir:" + tapes, Tell: tell}
	if err := store.Push(ctx, []string{"checkout"}, o); err != nil {
		log.Fatal(err)
	}

	copyFile(filepath.Join(ours, lockfile.Name), filepath.Join(theirs, lockfile.Name))
	o.Dir = theirs
	if err := store.Pull(ctx, nil, o); err != nil {
		log.Fatal(err)
	}
	// Output:
	// pushed checkout: 3 exchanges
	// pulled checkout: 3 exchanges
}

func newDir() string {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	return dir
}

func copyFile(from, to string) {
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		log.Fatal(err)
	}
}
