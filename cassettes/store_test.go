package cassettes

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFailedReplaceLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Mkdir(filepath.Join(dir, "a.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(f file) error { return writeTape(f, nil, folding{}) }
	if err := l.replace("a.yaml", write); err == nil {
		t.Fatal("a folder was replaced by a file")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || !left[0].IsDir() {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
