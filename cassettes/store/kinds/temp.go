package kinds

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// tempMark is in the name of a file that is being written.
const tempMark = ".tmp-"

// tempAge is how old such a file is when its writer is taken for dead, if nobody holds it. To write one
// takes seconds. A drive without locks has nothing but the age; if a writer has slept for so long, its
// rename fails, and it writes the file again.
const tempAge = time.Hour

// temps is the folder of files that are being written: one, so that it is soon looked through.
func (d *dir) temps() string { return filepath.Join(d.path, "tmp") }

// removeLeft removes files that killed processes have left. The age of a file is reckoned by one that
// was just made: the clock of a drive need not be ours. What cannot be removed stays, and means nothing.
func (d *dir) removeLeft(made *os.File) {
	now, err := made.Stat()
	if err != nil {
		return
	}
	all, _ := os.ReadDir(d.temps())
	for _, entry := range all {
		file := filepath.Join(d.temps(), entry.Name())
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.Contains(entry.Name(), tempMark) ||
			now.ModTime().Sub(info.ModTime()) < tempAge {
			continue
		}
		if held := flock.New(file, flock.SetFlag(os.O_RDONLY)); tryLock(held) {
			_ = os.Remove(file)
			_ = held.Unlock()
			if runtime.GOOS == "windows" {
				_ = os.Remove(file) // not while it was open here
			}
		}
	}
}

// hold locks a file that is being written until it is let go of. Windows needs no lock, and a lock there
// would keep the writer itself from it: a file that somebody has open is not removed. A drive may have no
// locks.
func hold(file string) (release func()) {
	if runtime.GOOS == "windows" {
		return func() {}
	}
	held := flock.New(file, flock.SetFlag(os.O_RDONLY))
	_, _ = held.TryLock()
	return func() { _ = held.Unlock() }
}

// tryLock reports whether nobody holds a file, as far as the drive tells.
func tryLock(held *flock.Flock) bool {
	free, err := held.TryLock()
	return free || err != nil
}
