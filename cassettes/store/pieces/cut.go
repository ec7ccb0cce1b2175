package pieces

import (
	"bufio"
	"bytes"
	"hash/crc32"
	"io"
	"iter"
)

// Sizes of pieces, in bytes, before they are compressed. Smaller pieces make a longer index, which moves
// with each change; of larger pieces more moves. Of a tape of 1 GB that is 29 MB when it is compressed, a
// flow of six exchanges that was recorded anew moves 262 kB to a store, half of it the index.
const (
	least   = 128 << 10
	typical = 512 << 10 // beyond the least
	Most    = 4 << 20
)

// Piece is a stretch of a file.
type Piece struct {
	Raw  []byte // the stretch
	Text []byte // the same with numbers as distances; the stretch itself if it is verbatim
	Base int    // the number before the first; Verbatim if the text is the stretch itself
}

// Verbatim is the Base of a piece whose text is the stretch itself.
const Verbatim = -1

// Cut cuts what is read into pieces, in order. What it yields is the caller's to keep.
func Cut(r io.Reader) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		c := cutter{yield: yield}
		if err := c.read(r); err != nil && !c.stopped {
			yield(Piece{}, err)
		}
	}
}

// cutter cuts a file while it reads it. A unit is what is never cut apart unless it is longer than a
// piece may be: an exchange, or a line of the head or the end.
type cutter struct {
	yield   func(Piece, error) bool
	stopped bool // nobody wants more

	unit []byte
	long bool // the unit began in a piece that is out
	raw  []byte
	text []byte
	base int
	last int // number of the unit before
}

// buffered is how much is read at once, in bytes.
const buffered = 128 << 10

func (c *cutter) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, buffered)
	starts := true
	for !c.stopped {
		line, err := in.ReadSlice('\n')
		if starts && len(line) > 0 && line[0] != ' ' {
			c.endUnit()
		}
		c.add(line)
		starts = err == nil
		switch err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			c.endUnit()
			c.out()
			return nil
		default:
			return err
		}
	}
	return nil
}

// add adds a line, or a part of one, to the unit. A unit that is too long goes out in verbatim pieces,
// each of the same length from where the unit begins.
func (c *cutter) add(line []byte) {
	for len(c.unit)+len(line) > Most {
		c.out()
		n := Most - len(c.unit)
		c.emit(verbatim(append(c.unit, line[:n]...)))
		c.unit, c.long, line = nil, true, line[n:]
	}
	c.unit = append(c.unit, line...)
}

// endUnit puts the unit into the piece, and cuts behind it if the unit says so.
func (c *cutter) endUnit() {
	unit, long := c.unit, c.long
	c.unit, c.long = c.unit[:0], false
	switch {
	case len(unit) == 0:
		return
	case long:
		c.emit(verbatim(bytes.Clone(unit)))
		return
	case len(c.raw)+len(unit) > Most:
		c.out()
	}
	if len(c.raw) == 0 {
		c.base = c.last
	}
	begun := len(c.text)
	c.raw = append(c.raw, unit...)
	c.text, c.last = appendDistances(c.text, unit, c.last)
	told := uint64(crc32.Checksum(c.text[begun:], crcTable))
	if len(c.raw) >= least && told*typical < uint64(len(unit))<<32 {
		c.out()
	}
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// out yields the piece, if there is anything in it.
func (c *cutter) out() {
	if len(c.raw) == 0 {
		return
	}
	p := Piece{c.raw, c.text, c.base}
	c.raw, c.text = nil, nil
	if back, err := Restore(p.Text, p.Base); err != nil || !bytes.Equal(back, p.Raw) {
		p = verbatim(p.Raw)
	}
	c.emit(p)
}

func (c *cutter) emit(p Piece) {
	if !c.stopped && !c.yield(p, nil) {
		c.stopped = true
	}
}

func verbatim(raw []byte) Piece { return Piece{raw, raw, Verbatim} }
