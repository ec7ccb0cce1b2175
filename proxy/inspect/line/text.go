package line

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/rivo/uniseg"
)

// A value may be a body of megabytes. Of a value in a row that many bytes are looked at, which is more
// than any terminal shows; a page has that many of it.
const inRow, inPage = 2 << 10, 16 << 10

// maxCombining bounds the combining runes on a letter. Scripts that people write need two or three.
const maxCombining = 3

// plain returns a text that a terminal shows in one line and does nothing else with. What is not
// printable is an escape: control characters, those that turn the direction of text, and those that
// have no width of their own where nothing is before them. Blanks of all widths are spaces, and the
// selectors of variants go, because terminals differ in what they make of them.
func plain(text string) string { return escape(leaf.Clip(text, inRow)) }

// whole is plain for a value on a page.
func whole(text string) string { return escape(leaf.Clip(text, inPage)) }

// escape is plain for a text of any length.
func escape(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	combining := maxCombining // nothing is before the first rune that it could stand on
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Variation_Selector, r):
		case unicode.Is(unicode.M, r) && combining < maxCombining:
			combining++
			b.WriteRune(r)
		case unicode.Is(unicode.Zs, r):
			combining = maxCombining
			b.WriteByte(' ')
		case unicode.IsPrint(r) && !unicode.Is(unicode.M, r):
			combining = 0
			b.WriteRune(r)
		default:
			combining = maxCombining
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// sgr is a sequence that sets colours.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]{0,32}m")

// Shown returns a text that another process has written, with its lines and its colours and with
// nothing else that a terminal would obey.
func Shown(text string) string {
	var b strings.Builder
	for text != "" {
		next := sgr.FindStringIndex(text)
		if next == nil {
			next = []int{len(text), len(text)}
		}
		for i, l := range strings.Split(text[:next[0]], "\n") {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(escape(l))
		}
		b.WriteString(text[next[0]:next[1]])
		text = text[next[1]:]
	}
	return b.String()
}

// isPlain reports whether a text is of printable ASCII, as most are.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// width is how many columns of a terminal a plain text takes.
func width(text string) int {
	if isPlain(text) {
		return len(text)
	}
	return uniseg.StringWidth(text)
}

// cut returns a plain text of at most some columns. What is longer ends with "..".
func cut(text string, columns int) string {
	if width(text) <= columns {
		return text
	}
	dots := ".."[:min(2, max(0, columns))]
	return strings.TrimRight(firstColumns(text, columns-len(dots)), " .") + dots
}

// firstColumns returns the beginning of a text that takes at most some columns.
func firstColumns(text string, columns int) string {
	end, state := 0, -1
	for rest := text; rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if columns -= w; columns < 0 {
			break
		}
		end += len(cluster)
	}
	return text[:end]
}

// pad adds spaces behind a text, up to some columns; padLeft adds them before it.
func pad(text string, columns int) string { return text + spaces(columns-width(text)) }

func padLeft(text string, columns int) string { return spaces(columns-width(text)) + text }

func spaces(n int) string { return strings.Repeat(" ", max(0, n)) }

// wrap breaks a plain text into lines of at most some columns, between words where it can.
func wrap(text string, columns int) []string {
	columns = max(columns, 1)
	if text != "" && width(text) <= columns {
		return []string{text}
	}
	var all []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && width(line)+1+width(word) <= columns {
			line += " " + word
			continue
		}
		if line != "" {
			all = append(all, line)
		}
		for width(word) > columns {
			part := firstColumns(word, columns)
			if part == "" { // one that is wider than a line
				part = word
			}
			all, word = append(all, part), word[len(part):]
		}
		line = word
	}
	if line != "" {
		all = append(all, line)
	}
	return all
}

// fold returns a text of several lines as plain lines of at most some columns, which may begin with
// spaces; longer ones go on in the next line.
func fold(text string, columns int) []string {
	var all []string
	for line := range strings.Lines(text) {
		line = plain(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))
		for width(line) > columns {
			part := firstColumns(line, columns)
			if part == "" {
				break
			}
			all, line = append(all, part), line[len(part):]
		}
		all = append(all, line)
	}
	return all
}

// join joins what is not empty.
func join(between string, parts ...string) string {
	var there []string
	for _, p := range parts {
		if p != "" {
			there = append(there, p)
		}
	}
	return strings.Join(there, between)
}
