package cassettes

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// switched is a disk that can be switched off for some operations.
type switched struct {
	folder
	full, unsynced atomic.Bool
}

func (s *switched) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	f, err := s.folder.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &switchedFile{f, s}, nil
}

type switchedFile struct {
	file
	disk *switched
}

func (f *switchedFile) Write(p []byte) (int, error) {
	if f.disk.full.Load() {
		n, _ := f.file.Write(p[:len(p)/3])
		return n, errDisk
	}
	return f.file.Write(p)
}

func (f *switchedFile) Sync() error {
	if f.disk.unsynced.Load() {
		return errFault
	}
	return f.file.Sync()
}

// TestRecordingGoesOnWhenTheDiskDoes fills the disk and makes room again.
func TestRecordingGoesOnWhenTheDiskDoes(t *testing.T) {
	for _, sync := range []Sync{SyncNone, SyncAlways} {
		t.Run("sync "+string(sync), func(t *testing.T) {
			l := openLibrary(t, t.TempDir())
			disk := &switched{folder: l.folder}
			l.folder = disk
			c, err := l.RecordWith(Options{Sync: sync}, "a", plain{sealOf(t)})
			if err != nil {
				t.Fatal(err)
			}
			for n := range 6 {
				disk.full.Store(n >= 2 && n < 4)
				x := sealOf(t).Reopen(told(c.Next(), "", fmt.Sprint(n)))
				if err := c.Append(x); errors.Is(err, errDisk) != disk.full.Load() {
					t.Errorf("exchange %d: %v", n, err)
				}
			}
			if s, err := c.Close(); err != nil || s.Exchanges != 4 {
				t.Errorf("got %+v, %v", s, err)
			}
		})
	}
}

// TestFailedSyncIsMended has syncing fail for a while.
func TestFailedSyncIsMended(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := openLibrary(t, dir)
		disk := &switched{folder: l.folder}
		l.folder = disk
		c, err := l.RecordWith(Options{Sync: SyncAlways}, "a", plain{sealOf(t)})
		if err != nil {
			t.Fatal(err)
		}
		put := func() error {
			return c.Append(sealOf(t).Reopen(told(c.Next(), "", "text")))
		}
		disk.unsynced.Store(true)
		for range 3 {
			if err := put(); !errors.Is(err, errFault) {
				t.Errorf("on a disk that cannot sync: %v", err)
			}
		}
		disk.unsynced.Store(false)
		if err := put(); !errors.Is(err, errFault) {
			t.Errorf("no pause between attempts to mend: %v", err)
		}
		time.Sleep(repairPause)
		if err := put(); err != nil {
			t.Errorf("on a disk that can again: %v", err)
		}
		// The first was in the journal when its sync failed, and is on tape all the same.
		if s, err := c.Close(); err != nil || s.Exchanges != 2 {
			t.Errorf("got %+v, %v", s, err)
		}
	})
}

// TestSyncInTheBackground has it fail once, tell of it, and be mended by the next exchange.
func TestSyncInTheBackground(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := openLibrary(t, dir)
		disk := &switched{folder: l.folder}
		l.folder = disk
		var told []error
		o := Options{Sync: SyncInterval, Trouble: func(err error) { told = append(told, err) }}
		c, err := l.RecordWith(o, "a", plain{sealOf(t)})
		if err != nil {
			t.Fatal(err)
		}
		appendLong(t, c, 1)
		time.Sleep(syncEvery + syncEvery/2)
		synctest.Wait()
		if told != nil {
			t.Fatalf("told of %v", told)
		}
		disk.unsynced.Store(true)
		appendLong(t, c, 1)
		time.Sleep(3 * syncEvery)
		synctest.Wait()
		if len(told) != 1 || !errors.Is(told[0], errFault) {
			t.Fatalf("told of %v", told)
		}
		disk.unsynced.Store(false)
		appendLong(t, c, 1)
		if len(told) != 2 || told[1] != nil {
			t.Fatalf("told of %v", told)
		}
		s, err := c.Close()
		if !errors.Is(err, errFault) || s.Exchanges != 3 {
			t.Errorf("the end must not pass over it: %+v, %v", s, err)
		}
	})
}

// lockless is a folder in which no lock can be made.
type lockless struct {
	folder
	err error
}

func (l lockless) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	if strings.HasSuffix(name, lockSuffix) {
		return nil, &fs.PathError{Op: "openat", Path: name, Err: l.err}
	}
	return l.folder.OpenFile(name, flag, perm)
}

func TestWithoutALockNothingIsRecorded(t *testing.T) {
	for _, cause := range []error{syscall.EROFS, syscall.ENOSPC, syscall.EACCES, syscall.ENOENT} {
		t.Run(cause.Error(), func(t *testing.T) {
			l := openLibrary(t, t.TempDir())
			l.folder = lockless{l.folder, cause}
			_, err := l.Record("sub/a", plain{sealOf(t)})
			if !errors.Is(err, cause) || !strings.Contains(err.Error(), `locking cassette "sub/a"`) {
				t.Errorf("got error %v", err)
			}
			if left, err := fs.ReadDir(l.folder.FS(), "."); len(left) > 0 || err != nil {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
