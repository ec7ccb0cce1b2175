package check

import (
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// isUTF16 reports whether a file is UTF-16, and where in a character its high byte lies: by its byte
// order mark, or because nearly all of its characters have a high byte of zero.
func isUTF16(head []byte) (high int, ok bool) {
	if len(head) >= 2 && head[0] == 0xff && head[1] == 0xfe {
		return 1, true
	}
	if len(head) >= 2 && head[0] == 0xfe && head[1] == 0xff {
		return 0, true
	}
	const least = 8 // characters, below which a binary file may look so
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i&1]++
		}
	}
	for high := range zeros {
		units := len(head) / 2
		if units >= least && zeros[high]*10 >= units*9 && zeros[1-high] == 0 {
			return high, true
		}
	}
	return 0, false
}

// readUTF16 returns a reader of UTF-16 as UTF-8, without byte order marks. The high byte of a
// character lies at index high.
func readUTF16(r io.Reader, high int) io.Reader {
	order := unicode.BigEndian
	if high == 1 {
		order = unicode.LittleEndian
	}
	marks := runes.Predicate(func(r rune) bool { return r == '\ufeff' })
	return transform.NewReader(r, transform.Chain(
		unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder(), runes.Remove(marks)))
}
