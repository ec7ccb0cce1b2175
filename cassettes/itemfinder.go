package cassettes

import (
	"bytes"
	"hash/crc32"
	"io"
)

// blockSize is how much of a file is read at once where all of it is looked through, in bytes.
const blockSize = 512 << 10

// blockReader reads to the end in blocks. A block is whole lines, or, of a line that is longer than
// a block, a piece of it. A block stays as it is until the next but one is read.
type blockReader struct {
	in    io.Reader
	block []byte // that was read last
	err   error  // why there is no other; nil at the end

	rooms [2][]byte
	turn  int    // whose room is next
	rest  []byte // what was read behind the block, in the same room
	ended bool
}

// next reads the next block and reports whether there is one.
func (b *blockReader) next() bool {
	if b.ended {
		return false
	}
	if b.rooms[b.turn] == nil {
		b.rooms[b.turn] = make([]byte, blockSize)
	}
	room := b.rooms[b.turn]
	b.turn = 1 - b.turn
	begun := copy(room, b.rest)
	n, err := io.ReadFull(b.in, room[begun:])
	read := room[:begun+n]
	switch err {
	case nil:
	case io.EOF, io.ErrUnexpectedEOF:
		b.block, b.rest, b.ended = read, nil, true
		return len(read) > 0
	default:
		b.err, b.ended = err, true
		return false
	}
	end := bytes.LastIndexByte(read, '\n') + 1
	if end == 0 {
		end = len(read)
	}
	b.block, b.rest = read[:end], read[end:]
	return true
}

// itemFinder finds the items of a file of ours. No line of an item but its first begins in
// column 0, so the first line of the next one cannot be missed or mistaken.
type itemFinder struct {
	file   io.ReaderAt
	spans  []span
	headed bool  // the head is behind
	bad    bool  // something is not as we lay it out
	at     int64 // where the next block is in the file
	within bool  // the next block begins within a line
	start  int64 // where the item began; 0 before the first
	crc    uint32
	tail   []byte // the last bytes of the item
}

// longestNumber is more than the last two line feeds of an item are apart, in bytes.
const longestNumber = 64

// find looks through the next block.
func (i *itemFinder) find(block []byte) {
	for len(block) > 0 && !i.headed {
		n := lineLength(block)
		i.headed = !i.within && i.at > 0 && string(block[:n]) == itemsStart
		i.at += int64(n)
		i.within = block[n-1] != '\n'
		block = block[n:]
	}
	for len(block) > 0 {
		n := 0
		if !i.within && bytes.HasPrefix(block, []byte(itemStart)) {
			i.endItem()
			i.start, i.crc, i.tail = i.at, 0, i.tail[:0]
			n = len(itemStart)
		} else if i.start == 0 {
			i.bad = true
		}
		n += beforeItem(block[n:])
		i.take(block[:n])
		block = block[n:]
	}
}

// take takes bytes that belong to the item.
func (i *itemFinder) take(b []byte) {
	i.at += int64(len(b))
	i.within = b[len(b)-1] != '\n'
	i.crc = crc32.Update(i.crc, crcTable, b)
	i.tail = append(i.tail, b[max(0, len(b)-longestNumber):]...)
	i.tail = append(i.tail[:0], i.tail[max(0, len(i.tail)-longestNumber):]...)
}

// lineLength returns the length of the first line, with its line feed if that is there.
func lineLength(b []byte) int {
	if n := bytes.IndexByte(b, '\n'); n >= 0 {
		return n + 1
	}
	return len(b)
}

// beforeItem returns how many bytes come before the next line with which an item begins; the first
// bytes are none. Without such a line it returns how many bytes there are.
func beforeItem(b []byte) int {
	for at := 0; ; {
		at += lineLength(b[at:])
		if at == len(b) || b[at] == itemStart[0] && bytes.HasPrefix(b[at:], []byte(itemStart)) {
			return at
		}
	}
}

// endItem notes the item that ends here, if there is one.
func (i *itemFinder) endItem() {
	if i.start == 0 {
		return
	}
	number, ok := numberIn(i.tail)
	ok = ok && bytes.IndexByte(i.tail, '\n') < len(i.tail)-1 // all of the last line is there
	if n := len(i.spans); !ok || n > 0 && number <= i.spans[n-1].number {
		i.bad = true
	}
	i.spans = append(i.spans, span{
		number: number, file: i.file, at: i.start, size: int(i.at - i.start), crc: i.crc,
	})
}
