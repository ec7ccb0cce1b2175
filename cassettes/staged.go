package cassettes

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// File is the file of a cassette, open to be read as it is. Whoever replaces the file in the folder does
// not change what is read.
type File struct {
	Name string // of the cassette
	Path string // as the operator knows it
	Size int64  // in bytes

	library *Library
	temp    string // of a copy, where its name could not be removed at once
	file
}

// HasFile reports whether a cassette has a file. The error of OpenFile names others, for which the whole
// folder is read: whoever looks for many asks here first.
func (l *Library) HasFile(name string) (bool, error) {
	name, err := checkName(name)
	if err != nil {
		return false, err
	}
	_, err = l.folder.Lstat(name + tapeSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// OpenFile opens the file of a cassette. The error is ErrNotFound if there is none: a cassette of which
// there is only a journal has no file.
func (l *Library) OpenFile(name string) (*File, error) {
	name, err := checkName(name)
	if err != nil {
		return nil, err
	}
	f, size, err := l.openFile(name + tapeSuffix)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, l.missing(name)
	case err != nil:
		return nil, fmt.Errorf("reading cassette %q: %w", name, err)
	}
	return &File{Name: name, Path: l.file(name + tapeSuffix), Size: size, library: l, file: f}, nil
}

// OpenCopy is OpenFile of a copy that belongs to the caller alone: whoever writes into the file of the
// cassette meanwhile does not change what is read. The copy has no name in the folder, so nothing is left
// of it when the process ends in any way; on Windows it has one until it is closed.
func (l *Library) OpenCopy(name string) (f *File, err error) {
	from, err := l.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	temp := tempName(from.Name)
	to, err := l.create(temp)
	if err != nil {
		return nil, fmt.Errorf("copying cassette %q: %w", from.Name, err)
	}
	f = &File{Name: from.Name, Path: from.Path, library: l, file: to}
	if l.folder.Remove(temp) != nil {
		f.temp = temp
	}
	whole := io.NewSectionReader(from.file, 0, from.Size)
	if f.Size, err = io.CopyBuffer(to, whole, make([]byte, buffered)); err != nil {
		return nil, errors.Join(fmt.Errorf("copying cassette %q: %w", from.Name, err), f.Close())
	}
	return f, nil
}

// Close lets go of the file.
func (f *File) Close() error {
	err := f.file.Close()
	if f.temp != "" {
		err = errors.Join(err, f.library.remove(f.temp))
	}
	return err
}

// Read returns what Library.Read returns of the file, of which there is no journal. The Reader is closed
// before the File.
func (f *File) Read(r Cleaner) (*Reader, error) {
	c, err := read(unclosed{f.file}, f.Size, r)
	if err != nil {
		return nil, fmt.Errorf("reading cassette %q: %w", f.Name, err)
	}
	reader := &Reader{Name: f.Name, contents: c}
	if err := reader.merge(); err != nil {
		return nil, errors.Join(fmt.Errorf("reading cassette %q: %w", f.Name, err), reader.Close())
	}
	return reader, nil
}

// unclosed is a file that stays open.
type unclosed struct{ file }

func (unclosed) Close() error { return nil }

// SHA256 returns the SHA-256 of all bytes of the file.
func (f *File) SHA256() (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	n, err := io.CopyBuffer(h, io.NewSectionReader(f.file, 0, f.Size), make([]byte, buffered))
	if err == nil && n != f.Size {
		err = errChanged
	}
	if err != nil {
		return sum, fmt.Errorf("reading cassette %q: %w", f.Name, err)
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// Seal returns what Library.Seal returns of the file.
func (f *File) Seal() (string, error) {
	seal, err := sealIn(f.file, f.Size, agrees)
	if err != nil {
		return "", fmt.Errorf("reading cassette %q: %w", f.Name, err)
	}
	return seal, nil
}

// Unfinished reports whether a recording of a cassette is running, or was killed, so that there is more
// of the cassette than its file has.
func (l *Library) Unfinished(name string) (bool, error) {
	name, err := checkName(name)
	if err != nil {
		return false, err
	}
	left, err := l.leftover(name)
	if err != nil {
		return false, err
	}
	return left.holds(), left.close()
}

// Staged is a file that comes from elsewhere and is to take the place of the file of a cassette. It is
// written beside that file, and what is written stays when the process ends, so that it can be gone on
// with. Nobody records on the cassette meanwhile.
type Staged struct {
	library *Library
	name    string
	temp    string
	held    *lock
	file
}

// ErrUnfinished is returned for a cassette of which there is more than its file has.
var ErrUnfinished = errors.New("a recording of it has not ended in its file: replay or record it once, " +
	"and what it left is put there")

// staged is what the name of such a file ends in. There is one for a cassette, so that nobody has to look
// for others in a folder of ten thousand.
const staged = tempMark + "staged"

// Stage begins such a file, or goes on with the one that is there. Nobody knows what was written to that
// one: whoever goes on compares it with what is to be written.
func (l *Library) Stage(name string) (s *Staged, err error) {
	name, err = checkName(name)
	if err != nil {
		return nil, err
	}
	held, err := l.acquire(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("writing cassette %q: %w", name, err), held.release())
		}
	}()
	left, err := l.Unfinished(name)
	if err == nil && left {
		err = ErrUnfinished
	}
	if err != nil {
		return nil, err
	}
	if there, err := l.folder.Lstat(name + tapeSuffix); err == nil && !there.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	s = &Staged{library: l, name: name, temp: name + staged, held: held}
	if info, err := l.folder.Lstat(s.temp); err == nil && !info.Mode().IsRegular() {
		return nil, errors.Join(l.remove(s.temp), errChanged)
	}
	s.file, err = l.folder.OpenFile(s.temp, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Staging reports whether whoever has a cassette is staging a file for it, or whether such a file was
// left. While a recording has the cassette, a file that is there was left.
func (l *Library) Staging(name string) bool {
	_, temp := l.folder.Lstat(name + staged)
	_, journal := l.folder.Lstat(name + journalSuffix)
	return temp == nil && journal != nil
}

// Size returns how many bytes have been written, now and before.
func (s *Staged) Size() (int64, error) {
	info, err := s.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ErrUnsealed is returned for a file that is not as paytape wrote it.
var ErrUnsealed = errors.New("it has no seal that holds")

// Commit puts the file in its place, by one rename, if it has a seal that holds. Otherwise the error is
// ErrUnsealed, and the file is removed. Just before the rename it asks last, and if that returns an error,
// Commit returns it and leaves what has been written; nil for nobody to ask. Whatever comes of it, the
// Staged is closed.
func (s *Staged) Commit(last func() error) error {
	size, err := s.Size()
	if err == nil {
		var seal string
		if seal, err = sealIn(s.file, size, agrees); err == nil && seal == "" {
			return errors.Join(fmt.Errorf("writing cassette %q: %w", s.name, ErrUnsealed), s.Discard())
		}
	}
	if err == nil {
		err = s.Sync()
	}
	if closed := s.file.Close(); err == nil {
		err = closed
	}
	if err == nil && last != nil {
		if err := last(); err != nil {
			return errors.Join(err, s.held.release())
		}
	}
	if err == nil {
		err = s.library.folder.Rename(s.temp, s.name+tapeSuffix)
	}
	if err == nil {
		err = s.library.syncFolder(path.Dir(s.name))
	}
	if err != nil {
		err = fmt.Errorf("writing cassette %q: %w", s.name, err)
	}
	return errors.Join(err, s.held.release())
}

// Close leaves what has been written for the next who stages the same; if that is nothing, nothing.
func (s *Staged) Close() error {
	if size, err := s.Size(); err == nil && size == 0 {
		return s.Discard()
	}
	return errors.Join(s.file.Close(), s.held.release())
}

// Discard removes what has been written.
func (s *Staged) Discard() error {
	return errors.Join(s.file.Close(), s.library.remove(s.temp), s.held.release())
}
