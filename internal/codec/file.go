package codec

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"sync"
)

// Key names what a file was made from, and by what.
type Key [sha256.Size]byte

// magic is how a trailer begins. The number is that of the layout which this file describes.
const magic = "paytape codec 1\n"

// trailerSize is the length of a trailer: magic, the offset and the length of the directory, and its
// checksum.
const trailerSize = len(magic) + 8 + 8 + sha256.Size

// A section has so many objects or so many bytes of text, or a few more. Sections are read side by side.
const (
	objectsTogether = 4 << 10
	bytesTogether   = 1 << 20
)

// ofTexts is the table number of sections of texts.
const ofTexts = -1

var errTooMany = errors.New("too many objects")

// section is one line of the directory.
type section struct {
	table int // its number; ofTexts
	count int // of objects
	size  int // in bytes
	sum   [sha256.Size]byte

	first int   // the number of its first object
	at    int64 // where it begins
}

// File is the tables of a file.
type File struct {
	tables []table
	texts  texts
}

// Add adds a table to the file. The same tables are added in the same order for writing and reading. The
// first is that of the root, which has the number 1.
func (f *File) Add(t table) { f.tables = append(f.tables, t) }

// writer writes sections one behind the other.
type writer struct {
	out      io.Writer
	at       int64
	sections []section
	coder    *Coder
}

// Write writes the root and all that can be reached from it.
func Write[T any](out io.Writer, key Key, f *File, rootTable *Table[T], root *T) error {
	f.texts = texts{numbers: map[string]uint32{}}
	c := &Coder{texts: &f.texts}
	rootTable.enter(c, root)
	w := &writer{out: out, coder: c}
	written := make([]int, len(f.tables))
	for again := true; again; {
		again = false
		for i, t := range f.tables {
			for written[i] < t.len() {
				again = true
				to := min(written[i]+objectsTogether, t.len())
				t.codeAll(c, written[i], to)
				if err := w.section(i, to-written[i]); err != nil {
					return err
				}
				written[i] = to
			}
		}
	}
	if err := w.texts(f.texts.all); err != nil {
		return err
	}
	return w.directory(key)
}

// texts writes the strings, each with its length before it.
func (w *writer) texts(all []string) error {
	n := 0
	for i, s := range all {
		w.coder.count(len(s))
		w.coder.buf = append(w.coder.buf, s...)
		n++
		if len(w.coder.buf) >= bytesTogether || i == len(all)-1 {
			if err := w.section(ofTexts, n); err != nil {
				return err
			}
			n = 0
		}
	}
	return nil
}

// section writes what the coder has coded as a section of a table.
func (w *writer) section(table, count int) error {
	if w.coder.err != nil {
		return w.coder.err
	}
	text := w.coder.buf
	w.sections = append(w.sections, section{
		table: table, count: count, size: len(text), sum: sha256.Sum256(text),
	})
	w.coder.buf = text[:0]
	w.at += int64(len(text))
	_, err := w.out.Write(text)
	return err
}

// directory writes the directory, and behind it the trailer.
func (w *writer) directory(key Key) error {
	c := w.coder
	c.buf = append(c.buf, key[:]...)
	Slice(c, &w.sections, codeSection)
	trailer := make([]byte, 0, trailerSize)
	trailer = append(trailer, magic...)
	trailer = binary.LittleEndian.AppendUint64(trailer, uint64(w.at))
	trailer = binary.LittleEndian.AppendUint64(trailer, uint64(len(c.buf)))
	sum := sha256.Sum256(c.buf)
	trailer = append(trailer, sum[:]...)
	_, err := w.out.Write(append(c.buf, trailer...))
	return err
}

func codeSection(c *Coder, s *section) {
	Int(c, &s.table)
	Int(c, &s.count)
	Int(c, &s.size)
	if !c.reads {
		c.buf = append(c.buf, s.sum[:]...)
		return
	}
	if len(c.buf) < len(s.sum) {
		c.Fail(ErrDamaged)
		return
	}
	c.buf = c.buf[copy(s.sum[:], c.buf):]
}

// Read reads what Write has written under the key, and returns the root. Any other file is ErrDamaged.
func Read[T any](in io.ReaderAt, size int64, key Key, f *File, rootTable *Table[T]) (*T, error) {
	sections, err := readDirectory(in, size, key)
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(f.tables))
	texts := 0
	for i := range sections {
		s := &sections[i]
		count := &texts
		if s.table != ofTexts {
			if s.table < 0 || s.table >= len(counts) {
				return nil, ErrDamaged
			}
			count = &counts[s.table]
		}
		s.first = *count
		*count += s.count
	}
	f.texts = textsOf(texts)
	for i, t := range f.tables {
		t.make(counts[i])
	}
	r := &reader{file: f, in: in}
	for _, of := range []func(s *section) bool{
		func(s *section) bool { return s.table == ofTexts }, // before what refers to them
		func(s *section) bool { return s.table != ofTexts },
	} {
		if err := r.all(sections, of); err != nil {
			return nil, err
		}
	}
	if len(rootTable.room) == 0 {
		return nil, ErrDamaged
	}
	return &rootTable.room[0], nil
}

func textsOf(n int) texts { return texts{all: make([]string, n)} }

// readDirectory reads the directory and checks that its sections are all of the file.
func readDirectory(in io.ReaderAt, size int64, key Key) ([]section, error) {
	end := size - int64(trailerSize)
	if end < 0 {
		return nil, ErrDamaged
	}
	trailer := make([]byte, trailerSize)
	if n, err := in.ReadAt(trailer, end); n < len(trailer) {
		return nil, errors.Join(ErrDamaged, err)
	}
	rest, marked := bytes.CutPrefix(trailer, []byte(magic))
	at, length := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
	if !marked || at > uint64(end) || length != uint64(end)-at {
		return nil, ErrDamaged
	}
	text := make([]byte, length)
	if n, err := in.ReadAt(text, int64(at)); n < len(text) {
		return nil, errors.Join(ErrDamaged, err)
	}
	if sha256.Sum256(text) != [sha256.Size]byte(rest[16:]) {
		return nil, ErrDamaged
	}
	text, ours := bytes.CutPrefix(text, key[:])
	if !ours {
		return nil, ErrDamaged
	}
	c := &Coder{reads: true, buf: text}
	var sections []section
	Slice(c, &sections, codeSection)
	if c.err != nil || len(c.buf) > 0 {
		return nil, ErrDamaged
	}
	var behind int64
	for i := range sections {
		s := &sections[i]
		// No object takes less than a byte, so nobody makes more room than a file can fill.
		if s.size < 0 || int64(s.size) > int64(at)-behind || s.count < 0 || s.count > s.size {
			return nil, ErrDamaged
		}
		s.at = behind
		behind += int64(s.size)
	}
	if behind != int64(at) {
		return nil, ErrDamaged
	}
	return sections, nil
}

// reader reads sections, several at a time.
type reader struct {
	file *File
	in   io.ReaderAt
}

// all reads the sections that are wanted, on all processors, and returns when all are read.
func (r *reader) all(sections []section, wanted func(*section) bool) error {
	work := make(chan *section)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i := range errs {
		workers.Go(func() {
			c := &Coder{reads: true, texts: &r.file.texts, zones: &zones{}}
			var room []byte
			for s := range work {
				if errs[i] == nil {
					room, errs[i] = r.section(c, s, room)
				}
			}
		})
	}
	for i := range sections {
		if wanted(&sections[i]) {
			work <- &sections[i]
		}
	}
	close(work)
	workers.Wait()
	return errors.Join(errs...)
}

// section reads one section. It returns its room, for the next.
func (r *reader) section(c *Coder, s *section, room []byte) ([]byte, error) {
	if cap(room) < s.size {
		room = make([]byte, s.size)
	}
	text := room[:s.size]
	if n, err := r.in.ReadAt(text, s.at); n < len(text) {
		return room, errors.Join(ErrDamaged, err)
	}
	if sha256.Sum256(text) != s.sum {
		return room, ErrDamaged
	}
	c.buf = text
	if s.table == ofTexts {
		c.readTexts(r.file.texts.all[s.first : s.first+s.count])
	} else {
		r.file.tables[s.table].codeAll(c, s.first, s.first+s.count)
	}
	if c.err == nil && len(c.buf) > 0 {
		c.Fail(ErrDamaged)
	}
	return room, c.err
}

// readTexts reads the strings of a section, which lie in one piece of memory.
func (c *Coder) readTexts(into []string) {
	size := len(c.buf)
	all := string(c.buf)
	for i := range into {
		n := c.uvarint()
		if n > uint64(len(c.buf)) {
			c.Fail(ErrDamaged)
			return
		}
		at := size - len(c.buf)
		into[i] = all[at : at+int(n)]
		c.buf = c.buf[n:]
	}
}
