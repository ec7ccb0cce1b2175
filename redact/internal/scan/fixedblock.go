package scan

// fixedBlock reads a block of a deflate stream that has the fixed codes (RFC 1951, section 3.2.6).
type fixedBlock struct {
	b   []byte
	bit int // the next bit of b
}

// longestRead is how many bytes are read of a block that goes on.
const longestRead = 2 * minWrapped

// holdsFixed reports whether a stream that begins with a block of fixed codes may hold anything. Of the
// runs of letters in which nothing is encoded, one in ten looks like such a block. What comes of such a
// run is noise, ends at once, or repeats what has not come yet. holdsFixed finds that out in a small part
// of the time that the reader of streams takes. It errs on the side of doubt: what comes behind the
// first bytes, and a second block, are left to the reader of streams.
func holdsFixed(b []byte) bool {
	var room [longestRead]byte
	got := room[:0]
	f := fixedBlock{b: b, bit: 3}
	for len(got) < longestRead {
		symbol, ok := f.symbol()
		switch {
		case ok && symbol < endOfBlock:
			got = append(got, byte(symbol))
			continue
		case ok && symbol > endOfBlock:
			var length, distance int
			if length, distance, ok = f.repetition(symbol); !ok {
				break
			}
			if length == 0 || distance > len(got) {
				return false // no stream has it
			}
			for range min(length, longestRead-len(got)) {
				got = append(got, got[len(got)-distance])
			}
			continue
		case ok && b[0]&1 == 0:
			return true // another block follows
		}
		if len(got) < minTextRun {
			return false
		}
		_, stream := looksLikeStream(got)
		return stream || mayReadAsIs(got)
	}
	return true
}

// Symbols of a block: bytes, the end of the block, and lengths of what is repeated.
const (
	endOfBlock    = 256
	firstLength   = 257
	longestLength = 285
	lastDistance  = 29
)

// symbol reads the next symbol; ok is false at the end of the bytes.
func (f *fixedBlock) symbol() (symbol int, ok bool) {
	code, ok := f.code(7)
	if code <= 0x17 {
		return endOfBlock + code, ok
	}
	bit, ok := f.code(1)
	code = code<<1 | bit
	switch {
	case code <= 0xbf:
		return code - 0x30, ok
	case code <= 0xc7:
		return code - 0xc0 + 280, ok
	}
	bit, more := f.code(1)
	return (code<<1 | bit) - 0x190 + 144, ok && more
}

// repetition reads the rest of the length of what is repeated, and from how far back. The length is 0 if
// the length or the distance is none; ok is false at the end of the bytes.
func (f *fixedBlock) repetition(symbol int) (length, distance int, ok bool) {
	length, ok = symbol-firstLength+3, true
	switch n := symbol - firstLength - 8; {
	case symbol > longestLength:
		return 0, 0, true
	case symbol == longestLength:
		length = 258
	case n >= 0:
		var extra int
		extra, ok = f.bits(n/4 + 1)
		length = (4+n%4)<<(n/4+1) + 3 + extra
	}
	if !ok {
		return 0, 0, false
	}
	code, ok := f.code(5)
	if !ok || code > lastDistance {
		return 0, 0, ok
	}
	distance = code + 1
	if n := code/2 - 1; n > 0 {
		var extra int
		extra, ok = f.bits(n)
		distance = (2+code%2)<<n + 1 + extra
	}
	return length, distance, ok
}

// code takes the bits of a code, the highest first.
func (f *fixedBlock) code(n int) (code int, ok bool) {
	if f.bit+n > 8*len(f.b) {
		return 0, false
	}
	for range n {
		code = code<<1 | int(f.b[f.bit/8])>>(f.bit%8)&1
		f.bit++
	}
	return code, true
}

// bits takes the bits of a number, the lowest first.
func (f *fixedBlock) bits(n int) (number int, ok bool) {
	if f.bit+n > 8*len(f.b) {
		return 0, false
	}
	for i := range n {
		number |= int(f.b[f.bit/8]) >> (f.bit % 8) & 1 << i
		f.bit++
	}
	return number, true
}
