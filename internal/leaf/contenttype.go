package leaf

import (
	"mime"
	"strings"
)

// mediaType returns a Content-Type without its parameters, in lower case.
func mediaType(contentType string) string {
	if contentType == "" || contentType == formType || contentType == "application/json" {
		return contentType // as nearly all are
	}
	if media, _, ok := simpleType(contentType); ok {
		return media
	}
	media, _, _ := mime.ParseMediaType(contentType)
	return media
}

// simpleType reads a Content-Type that is a type and a charset and nothing else, as
// "text/plain;charset=UTF-8": most are. It reports false for any other.
func simpleType(contentType string) (media, charset string, ok bool) {
	media, rest, _ := strings.Cut(contentType, ";")
	charset, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), "charset=")
	major, minor, cut := strings.Cut(media, "/")
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
	}
	lower := strings.ToLower(media) == media
	ok = ok && cut && lower && major != "" && minor != "" && charset != "" &&
		!strings.ContainsFunc(major+minor+charset, odd)
	return media, charset, ok
}
