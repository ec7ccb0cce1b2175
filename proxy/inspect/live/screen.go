package live

import (
	"bytes"
	"io"
	"strings"
)

// What a line for a Screen begins with, if it is more than a line.
const (
	keyMark    = "\x00" // then a key and another mark: it replaces the last line if that has the same key
	bottomMark = "\x01" // it stays at the bottom; an empty one ends that
)

// keyed returns a line that replaces the last one, if that was written with the same key.
func keyed(key, text string) string { return keyMark + key + keyMark + text }

// Bottom returns a line that stays at the bottom of a Screen, until another does; an empty one ends that.
func Bottom(text string) string { return bottomMark + text }

// What a terminal is told. All terminals of the last forty years know these.
const (
	clearLine = "\r\x1b[K"
	lineUp    = "\x1b[A"
)

// Screen writes lines to a terminal and keeps one of them at its bottom. Each Write has whole lines,
// as a lines.Writer writes them, and one goroutine writes at a time.
type Screen struct {
	to      io.Writer
	bottom  string // the line that is kept; empty for none
	lastKey string // of the last line above it; empty for one that stays
	buffer  bytes.Buffer
}

// NewScreen returns a Screen of a terminal.
func NewScreen(to io.Writer) *Screen { return &Screen{to: to} }

// Write writes lines, all at once: what is at the bottom does not flicker.
func (s *Screen) Write(p []byte) (int, error) {
	b := &s.buffer
	b.Reset()
	if s.bottom != "" {
		b.WriteString(clearLine)
	}
	for text := range strings.Lines(string(p)) {
		s.line(text)
	}
	b.WriteString(s.bottom)
	if _, err := s.to.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// line writes a line, or notes it as that at the bottom.
func (s *Screen) line(text string) {
	key := ""
	switch text[0] {
	case bottomMark[0]:
		s.bottom = strings.TrimSuffix(text[1:], "\n")
		return
	case keyMark[0]:
		if key, text, _ = strings.Cut(text[1:], keyMark); key == s.lastKey {
			s.buffer.WriteString(lineUp + clearLine)
		}
	}
	s.lastKey = key
	s.buffer.WriteString(text)
}
