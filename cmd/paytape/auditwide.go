package main

import (
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// wide reports whether a file is UTF-16, and where in a character its high byte lies: by its byte
// order mark, or because nearly all of its characters have a high byte of zero.
func wide(head []byte) (high int, ok bool) {
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

// wideReader reads UTF-16 as UTF-8.
type wideReader struct {
	r    io.Reader
	high int
	lead uint16 // the first half of a surrogate pair, read and not yet written
	in   [4096]byte
	out  []byte // written and not yet read
	err  error
}

func (w *wideReader) Read(p []byte) (int, error) {
	for len(w.out) == 0 {
		if w.err != nil {
			return 0, w.err
		}
		w.fill()
	}
	n := copy(p, w.out)
	w.out = w.out[n:]
	return n, nil
}

// fill decodes the next stretch. A last byte that is no character is dropped.
func (w *wideReader) fill() {
	n, err := io.ReadFull(w.r, w.in[:])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	w.err = err
	w.out = w.out[:0]
	for i := 0; i+1 < n; i += 2 {
		w.unit(uint16(w.in[i+w.high])<<8 | uint16(w.in[i+1-w.high]))
	}
}

// unit decodes one unit; the byte order mark is no text.
func (w *wideReader) unit(u uint16) {
	r := rune(u)
	switch {
	case w.lead != 0:
		r = utf16.DecodeRune(rune(w.lead), r)
		w.lead = 0
	case utf16.IsSurrogate(r):
		w.lead = u
		return
	case r == '\ufeff':
		return
	}
	w.out = utf8.AppendRune(w.out, r)
}
