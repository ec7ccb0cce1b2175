package scan

import (
	"slices"
	"strings"
)

// inlineTags are the elements of HTML that make no gap in the text around them: "<b>4111</b><b>1111</b>"
// reads as one number.
var inlineTags = map[string]bool{
	"b": true, "i": true, "u": true, "s": true, "a": true, "em": true, "strong": true, "span": true,
	"font": true, "small": true, "big": true, "tt": true, "code": true, "kbd": true, "samp": true,
	"var": true, "mark": true, "sub": true, "sup": true, "ins": true, "del": true, "wbr": true,
	"bdi": true, "bdo": true, "nobr": true,
}

// longestInline bounds a tag that is looked at, in bytes.
const longestInline = 256

// Untagged is a text without the tags that make no gap: those of inline elements, comments, and the
// marks of CDATA.
type Untagged struct {
	Text string
	gaps []gap // what was left out, in order, of which no two are at one place
}

// gap is a place from which on a text stands further back than in the whole.
type gap struct {
	at   uint32 // in the text
	size uint32 // of all that was left out up to there
}

// WithoutTags returns a text without such tags; false if there is none between digits, as in nearly
// all texts.
func WithoutTags(s string) (Untagged, bool) {
	var u Untagged
	if !hasTagBetweenDigits(s) {
		return u, false
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := gaplessTag(s[i:]); n > 0 {
			i += n
			u.leaveOut(b.Len(), i-b.Len())
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	u.Text = b.String()
	return u, len(u.Text) < len(s)
}

// leaveOut notes that all that was left out up to a place in the text is of a size.
func (u *Untagged) leaveOut(at, size int) {
	g := gap{uint32(at), uint32(size)}
	if last := len(u.gaps) - 1; last >= 0 && u.gaps[last].at == g.at {
		u.gaps[last] = g
		return
	}
	u.gaps = append(u.gaps, g)
}

// hasTagBetweenDigits reports whether tags that make no gap stand between two digits, with no more than
// a separator beside them. Without this look BenchmarkBodies takes 30 percent longer for pages.
func hasTagBetweenDigits(s string) bool {
	if strings.IndexByte(s, '<') < 0 && strings.IndexByte(s, ']') < 0 {
		return false // as JSON without lists
	}
	for i := 1; i < len(s); i++ {
		if s[i] != '<' && s[i] != ']' {
			continue
		}
		before := i - 1
		if before > 0 && (s[before] == ' ' || s[before] == '-') {
			before--
		}
		if s[before]-'0' > 9 {
			continue
		}
		end := skipGapless(s, i)
		if end == i {
			continue
		}
		if end < len(s) && (s[end] == ' ' || s[end] == '-') {
			end = skipGapless(s, end+1)
		}
		if end < len(s) && s[end]-'0' <= 9 {
			return true
		}
	}
	return false
}

// skipGapless returns where the tags that make no gap end, from s[at] on.
func skipGapless(s string, at int) int {
	for at < len(s) {
		n := gaplessTag(s[at:])
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

// gaplessTag returns the length of the tag, the comment or the mark of CDATA that s begins with, if it
// makes no gap; 0 otherwise.
func gaplessTag(s string) int {
	switch {
	case s[0] == ']' && strings.HasPrefix(s, "]]>"):
		return len("]]>")
	case s[0] != '<':
		return 0
	case strings.HasPrefix(s, "<![CDATA["):
		return len("<![CDATA[")
	}
	end := strings.IndexByte(s[:min(len(s), longestInline)], '>')
	if end < 0 {
		return 0
	}
	if strings.HasPrefix(s, "<!--") {
		if strings.HasSuffix(s[:end], "--") {
			return end + 1
		}
		return 0
	}
	name := strings.TrimPrefix(s[1:end], "/")
	if space := strings.IndexAny(name, " \t\r\n/"); space >= 0 {
		name = name[:space]
	}
	if inlineTags[strings.ToLower(name)] {
		return end + 1
	}
	return 0
}

// Pieces returns the stretches of the whole from which the bytes [from, to) of the text came; one if no
// tag was among them.
func (u *Untagged) Pieces(from, to int) [][2]int {
	var list [][2]int
	next, before := slices.BinarySearchFunc(u.gaps, from, func(g gap, at int) int {
		return int(g.at) - at
	})
	if before {
		next++ // what was left out before the first byte
	}
	size := 0
	if next > 0 {
		size = int(u.gaps[next-1].size)
	}
	for ; next < len(u.gaps) && int(u.gaps[next].at) < to; next++ {
		g := u.gaps[next]
		list = append(list, [2]int{from + size, int(g.at) + size})
		from, size = int(g.at), int(g.size)
	}
	return append(list, [2]int{from + size, to + size})
}

// SplitNumber is a number with tags among its digits.
type SplitNumber struct {
	Occurrence          // its offsets are those of the first piece
	Pieces     [][2]int // of the text
}

// SplitNumbers returns the card numbers of a text that tags split.
func SplitNumbers(s string, j Judge) []SplitNumber {
	u, ok := WithoutTags(s)
	if !ok {
		return nil
	}
	var found []SplitNumber
	for _, n := range Numbers(u.Text, true, j) {
		pieces := u.Pieces(n.From, n.To)
		if n.Verdict == Card && len(pieces) > 1 {
			n.From, n.To = pieces[0][0], pieces[0][1]
			found = append(found, SplitNumber{n, pieces})
		}
	}
	return found
}
