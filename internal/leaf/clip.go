package leaf

import (
	"fmt"
	"unicode/utf8"
)

// Clip returns a text of more than most bytes without its end, and tells the length of that.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return fmt.Sprintf("%s... (%d more bytes)", text[:most], len(text)-most)
}
