package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/paytape/paytape/cassettes/store"
)

// What is put is what was searched for secrets, also if somebody writes into the file meanwhile.
func TestATapeThatChangesWhileItIsPushed(t *testing.T) {
	t.Parallel()
	location, dir := newStore(t)
	ours := newFolder(t, location)
	text := tape(t, upTo(3), 200)
	ours.write("a.yaml", text)
	ours.WhenSearched(func() {
		f, err := os.OpenFile(ours.file("a.yaml"), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		at := bytes.Index(text, []byte("orderNumber"))
		if _, err := f.WriteAt([]byte("hunter2Secret"), int64(at)); err != nil {
			t.Error(err)
		}
	})
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

// Of two who push a tape, the one who has the newer edition is in the lock, whoever ends first.
func TestASlowPushOfAnOldEdition(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	f := newFolder(t, location)
	f.write("a.yaml", tape(t, upTo(2), 200))
	f.must("a pushed", store.Push, "a")
	first, second := tape(t, upTo(3), 200), tape(t, upTo(4), 200)
	f.write("a.yaml", first)
	slow := withoutTelling(f.Options)
	slow.WhenSearched(func() { // the slow one has its copy now
		f.write("a.yaml", second)
		f.must("a pushed", store.Push, "a")
	})
	if err := store.Push(t.Context(), []string{"a"}, slow); !errors.Is(err, store.ErrChanged) {
		t.Error(err)
	}
	f.clone().must("a pulled", store.Pull)
	if want := fmt.Sprintf("sha256: %x", sum(second)); !strings.Contains(string(f.read("paytape.lock")), want) {
		t.Errorf("the lock is %s", f.read("paytape.lock"))
	}

	// The older edition is what is here again: whoever pushes it means it.
	f.write("a.yaml", first)
	slow.WhenSearched(func() {
		f.write("a.yaml", tape(t, upTo(5), 200))
		f.must("a pushed", store.Push, "a")
		f.write("a.yaml", first)
	})
	if err := store.Push(t.Context(), []string{"a"}, slow); err != nil {
		t.Error(err)
	}
	f.must("a here", store.Pull)
}

// Whoever is told that a tape was pushed finds it in the lock.
func TestALockBeforeItIsTold(t *testing.T) {
	t.Parallel()
	location, _ := newStore(t)
	f := newFolder(t, location)
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("tape%02d", i))
		f.write(names[i]+".yaml", tape(t, []int{i + 1}, 100))
	}
	f.Tell = func(d store.Done) {
		if !strings.Contains(string(f.read("paytape.lock")), d.Tape.SHA256.String()) {
			t.Errorf("%s is not in the lock", d.Tape.Name)
		}
	}
	if _, err := f.do(store.Push, names...); err != nil {
		t.Fatal(err)
	}
}
