package check

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/gzip"
)

// unpacker looks into a file and what is packed in it, zip in zip too, as far as its bound goes.
type unpacker struct {
	*Checker
	left int64 // how many bytes may still come out of what is packed, of all of it together
}

// What packed data begins with.
var (
	gzipStart = []byte{0x1f, 0x8b, 8}
	zipStart  = []byte("PK\x03\x04")
)

// maxDepth bounds archives in archives.
const maxDepth = 3

// content looks into what is read, which is so many archives deep. Findings do not name the file.
func (u *unpacker) content(name string, in io.Reader, depth int) ([]Finding, error) {
	r := bufio.NewReaderSize(in, nearHead)
	head, err := r.Peek(len(zipStart))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.Equal(head, zipStart) {
		return u.archive(name, in, r, depth)
	}
	if r, err = u.unpack(r); err != nil {
		return nil, err
	}
	return newDocument(u.Checker, name).read(r)
}

// unpack undoes what a whole file may be in: gzip, and UTF-16.
func (u *unpacker) unpack(r *bufio.Reader) (*bufio.Reader, error) {
	head, err := r.Peek(nearHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(head, gzipStart) {
		packed, err := gzip.NewReader(r)
		if err != nil {
			return nil, errors.New("it begins like gzip and is none")
		}
		r = bufio.NewReaderSize(&limited{packed, &u.left}, nearHead)
		if head, err = r.Peek(nearHead); err != nil && !errors.Is(err, io.EOF) {
			return nil, errors.New("the compressed data is broken")
		}
	}
	if high, ok := isUTF16(head); ok {
		return bufio.NewReaderSize(readUTF16(r, high), nearHead), nil
	}
	return r, nil
}

// limited fails where a file unpacks to more than its bound: a check that looked away must not
// end well.
type limited struct {
	r    io.Reader
	left *int64
}

// errTooMuch is returned at the bound.
var errTooMuch = errors.New("it unpacks to more than is looked into")

func (l *limited) Read(p []byte) (int, error) {
	if *l.left <= 0 {
		return 0, errTooMuch
	}
	n, err := l.r.Read(p[:min(int64(len(p)), *l.left)])
	*l.left -= int64(n)
	return n, err
}

// archive looks into a zip archive: as the bytes that it is, which has the names of its entries and
// entries that are stored as they are, and into the entries that are packed. in is where r reads
// from. An entry that cannot be unpacked is an error, and keeps no other from being looked into.
func (u *unpacker) archive(name string, in io.Reader, r *bufio.Reader, depth int) ([]Finding, error) {
	at, size, err := seekable(in, r)
	if err != nil {
		return nil, err
	}
	raw := bufio.NewReaderSize(io.NewSectionReader(at, 0, size), nearHead)
	found, err := newDocument(u.Checker, name).read(raw)
	if err != nil {
		return found, err
	}
	archive, err := zip.NewReader(at, size)
	switch {
	case err != nil:
		return found, errors.New("it begins like zip and is none")
	case depth == maxDepth:
		return found, errors.New("it has archives in archives that are not looked into")
	}
	var unread error
	var packed []Finding
	for i, entry := range archive.File {
		inner, err := u.entry(entry, depth+1)
		for _, f := range inner {
			place := fmt.Sprintf("entry %d", i+1)
			if f.Field != "" {
				place += " " + f.Field
			}
			f.Field = place
			packed = append(packed, f)
		}
		if from, err := entry.DataOffset(); err == nil && len(inner) > 0 {
			to := from + int64(entry.CompressedSize64) // what the bytes show of it is told once
			found = slices.DeleteFunc(found, func(f Finding) bool {
				return int64(f.at) >= from && int64(f.at) < to
			})
		}
		if err != nil {
			unread = errors.Join(unread, fmt.Errorf("entry %d: %w", i+1, err))
		}
		if errors.Is(err, errTooMuch) {
			break
		}
	}
	return append(found, packed...), unread
}

// entry looks into an entry of a zip archive, unless its bytes are those of the archive.
func (u *unpacker) entry(f *zip.File, depth int) ([]Finding, error) {
	const encrypted = 1
	if f.Flags&encrypted != 0 {
		return nil, errors.New("it is encrypted")
	}
	content, err := f.Open()
	if err != nil {
		return nil, errors.New("it is packed in a way that is not looked into")
	}
	defer content.Close()
	r := bufio.NewReaderSize(&limited{content, &u.left}, nearHead)
	head, err := r.Peek(len(zipStart))
	switch {
	case errors.Is(err, errTooMuch):
		return nil, err
	case err != nil && !errors.Is(err, io.EOF):
		return nil, errors.New("the compressed data is broken")
	case f.Method == zip.Store && !bytes.HasPrefix(head, gzipStart) && !bytes.Equal(head, zipStart):
		return nil, nil
	}
	found, err := u.content(f.Name, r, depth)
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrChecksum) {
		err = errors.New("the compressed data is broken")
	}
	return found, err
}

// seekable returns the bytes of an archive, whose list is at its end. What is no file is held.
func seekable(in io.Reader, r *bufio.Reader) (io.ReaderAt, int64, error) {
	if f, ok := in.(*os.File); ok {
		info, err := f.Stat()
		if err != nil {
			return nil, 0, err
		}
		return f, info.Size(), nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxWhole+1))
	if err == nil && len(data) > maxWhole {
		err = errors.New("the archive is too large to be looked into from here")
	}
	return bytes.NewReader(data), int64(len(data)), err
}
