// Package wordlist reads lists of words that are data: the keywords by which secrets are told, the
// verbs by which the call of an unknown API asks.
//
// A text has one list after another, each a name, a colon and words with commas between. A line that
// begins with a space goes on with the list above it, one that begins with '#' is a comment:
//
//	# Keys of fields that hold a security code.
//	keyword cvc: cvc, cvv,
//	  securitycode
package wordlist

import "strings"

// Read returns the words of each list by its name.
func Read(text string) map[string][]string {
	lists := map[string][]string{}
	name := ""
	for line := range strings.Lines(text) {
		if line == "\n" || line[0] == '#' {
			continue
		}
		if line[0] != ' ' {
			name, line, _ = strings.Cut(line, ":")
		}
		for word := range strings.SplitSeq(strings.TrimRight(line, ",\n"), ",") {
			lists[name] = append(lists[name], strings.TrimSpace(word))
		}
	}
	return lists
}
