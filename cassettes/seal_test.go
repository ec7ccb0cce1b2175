package cassettes_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/redact"
)

// TestSeal is about a cassette that is whole, and one that was changed in each of several ways.
func TestSeal(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(filepath.Join("..", "testdata", "stories.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	library, err := cassettes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	file := filepath.Join(dir, "tape.yaml")
	sealOf := func(content []byte) string {
		t.Helper()
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		seal, err := library.Seal("tape")
		if err != nil {
			t.Fatal(err)
		}
		return seal
	}
	seal := sealOf(whole)
	if !bytes.HasSuffix(whole, []byte(seal)) || !strings.Contains(seal, "sha256") {
		t.Errorf("the seal is %q", seal)
	}
	r, err := library.Read("tape", redact.New(redact.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if claimed, err := library.ClaimedSeal("tape"); claimed != seal || err != nil {
		t.Errorf("the seal %q is claimed, %v", claimed, err)
	}
	if r.Seal() != seal || r.Size() == 0 || r.Size() > int64(len(whole)) {
		t.Errorf("the reader has the seal %q, and %d of %d bytes", r.Seal(), r.Size(), len(whole))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for what, content := range map[string][]byte{
		"a byte that was changed": slices.Concat(whole[:1000], []byte{whole[1000] ^ 1}, whole[1001:]),
		"a file that was cut":     whole[:len(whole)/2],
		"a line below the seal":   append(bytes.Clone(whole), "# more\n"...),
		"no line feed at the end": whole[:len(whole)-1],
		"an empty file":           nil,
	} {
		if got := sealOf(content); got != "" {
			t.Errorf("%s: the seal is %q", what, got)
		}
		claimed, err := library.ClaimedSeal("tape")
		if claims := what == "a byte that was changed"; claims != (claimed == seal) || err != nil {
			t.Errorf("%s: the seal %q is claimed, %v", what, claimed, err)
		}
	}
	sealOf(whole)
	recorder, err := library.Record("tape", redact.New(redact.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := library.Seal("tape"); got != seal || err != nil {
		t.Errorf("beside an empty journal the seal is %q, %v", got, err)
	}
	if _, err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tape.journal"), []byte("paytape journal 1\nent"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := library.Seal("tape"); got != "" || err != nil {
		t.Errorf("beside a journal with something in it the seal is %q, %v", got, err)
	}
	if _, err := library.Seal("none"); err == nil {
		t.Error("a cassette that is not there has a seal")
	}
}
