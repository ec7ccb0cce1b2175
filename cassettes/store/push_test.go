package store_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store"
)

// What is put is what was searched for secrets, also if somebody writes into the file meanwhile.
func TestATapeThatChangesWhileItIsPushed(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	text := tape(t, upTo(3), 200)
	ours.write("a.yaml", text)
	cleaner := ours.Cleaner
	ours.Cleaner = func() cassettes.Cleaner { // it is wanted behind the search, and before the cutting
		f, err := os.OpenFile(ours.file("a.yaml"), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		at := bytes.Index(text, []byte("orderNumber"))
		if _, err := f.WriteAt([]byte("hunter2Secret"), int64(at)); err != nil {
			t.Error(err)
		}
		return cleaner()
	}
	ours.must("a pushed", store.Push, "a")
	if now := ours.read("a.yaml"); bytes.Equal(now, text) {
		t.Fatal("the file has not changed")
	}
	if len(filesOf(t, dir)) != 2 {
		t.Errorf("the store has %v", filesOf(t, dir))
	}
	ours.tidy()
	theirs := ours.clone()
	theirs.must("a pulled", store.Pull)
	theirs.has("a.yaml", text)
}
