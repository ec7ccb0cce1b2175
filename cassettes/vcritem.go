package cassettes

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"go.yaml.in/yaml/v3"
)

// splitVCR splits a cassette of go-vcr into its interactions. All lines of an interaction but the
// first lie further right than its dash. So an interaction that is a document by itself is the
// same one in the file: whatever is open at its end, a quote or a bracket, is an error of the
// document. It reports false for a file that is laid out in another way.
func splitVCR(data []byte) (items [][]byte, ok bool) {
	rest, ok := skipHead(data)
	if !ok {
		return nil, false
	}
	mark := slices.Concat(leading(rest), []byte("- "))
	if !bytes.HasPrefix(rest, mark) {
		return nil, false
	}
	start := 0
	for at := lineLength(rest); at < len(rest); {
		line := rest[at : at+lineLength(rest[at:])]
		switch {
		case bytes.HasPrefix(line, mark):
			items = append(items, rest[start:at])
			start = at
		case len(leading(line)) < len(mark) && len(bytes.TrimSpace(line)) > 0:
			if !commentsAlone(rest[at:]) {
				return nil, false
			}
			return append(items, rest[start:at]), true
		}
		at += len(line)
	}
	return append(items, rest[start:]), true
}

// vcrHead is what stands above the interactions, where nothing else does.
var vcrHead = regexp.MustCompile(`^(#.*\n)*(---\n)?(#.*\n)*(version: [0-9]\n)?interactions:\n`)

// skipHead skips the lines above the first interaction.
func skipHead(data []byte) (rest []byte, ok bool) {
	head := vcrHead.Find(data)
	return data[len(head):], head != nil && printable(head)
}

// commentsAlone reports whether all lines are empty or comments.
func commentsAlone(lines []byte) bool {
	for line := range bytes.Lines(lines) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return printable(lines)
}

// leading returns the spaces that a line begins with.
func leading(line []byte) []byte { return line[:len(line)-len(bytes.TrimLeft(line, " "))] }

// readVCR reads an interaction that splitVCR has found.
func readVCR(item []byte) (*leaf.Exchange, bool) {
	if x, ok := (&vcrReader{rest: item}).read(); ok {
		return x, true
	}
	return readVCRTree(item)
}

// readVCRTree reads an interaction with a YAML library. It leaves one with keys that are unknown to who
// reads the file as a whole, and can tell their lines.
func readVCRTree(item []byte) (*leaf.Exchange, bool) {
	var doc yaml.Node
	if err := yaml.Unmarshal(item, &doc); err != nil || len(doc.Content) != 1 {
		return nil, false
	}
	list := doc.Content[0]
	if list.Kind != yaml.SequenceNode || len(list.Content) != 1 || Expands(&doc, int64(len(item))) {
		return nil, false
	}
	if len(itemShape.strangers(list.Content[0])) > 0 {
		return nil, false
	}
	return ReadInteraction(list.Content[0])
}
