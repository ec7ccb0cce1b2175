package tape

import "encoding/binary"

// packed is numbers and texts, one behind the other: what little a tape has of its own for each of a
// hundred thousand things. The collector need not look into it.
type packed string

// appendText appends a text, as it is read by text. Numbers are appended by binary.AppendUvarint.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// number takes the number that comes first. It is 0 where nothing comes, and so is the rest.
func (p *packed) number() (n uint64) {
	for i := 0; i < len(*p) && i < binary.MaxVarintLen64; i++ {
		c := (*p)[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			*p = (*p)[i+1:]
			return n
		}
	}
	*p = ""
	return 0
}

// text takes the text that comes first.
func (p *packed) text() string {
	n := min(p.number(), uint64(len(*p)))
	text := (*p)[:n]
	*p = (*p)[n:]
	return string(text)
}
