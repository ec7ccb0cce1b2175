package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestRandomBytesAreAKey reads keys of random bytes, which may begin and end in blanks.
func TestRandomBytesAreAKey(t *testing.T) {
	t.Parallel()
	key := append([]byte("\t \n"), append(bytes.Repeat([]byte{7}, 27), '\n', ' ')...)
	for _, ending := range []string{"", "\n", "\r\n"} {
		file := filepath.Join(t.TempDir(), "cluster.key")
		if err := os.WriteFile(file, append(bytes.Clone(key), ending...), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readClusterKey(file); err != nil || !bytes.Equal(got, key) {
			t.Errorf("%q: %d bytes, %v", ending, len(got), err)
		}
	}
}
