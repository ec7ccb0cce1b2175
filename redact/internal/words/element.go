package words

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/surrogate"
)

// longestUser bounds the user information of a URL, in bytes.
const longestUser = 256

// urlPassword returns the password of a URL whose scheme ends with the colon s[at]. The user
// name is no secret.
func urlPassword(s string, at int) (Mention, bool) {
	begin := at + len("://")
	if at == 0 || !scan.IsAlphanumeric(s[at-1]) || !strings.HasPrefix(s[at:], "://") {
		return Mention{}, false
	}
	host := s[begin:min(len(s), begin+longestUser)]
	if end := strings.IndexAny(host, "/?#\\\"'<> \t\r\n"); end >= 0 {
		host = host[:end]
	}
	user := host[:max(0, strings.LastIndexByte(host, '@'))]
	name, password, found := strings.Cut(user, ":")
	if !found || strings.ContainsAny(name, "=&") || strings.Trim(password, "*x") == "" {
		return Mention{}, false
	}
	from := begin + len(name) + 1
	return Mention{From: from, To: from + len(password), Kind: profile.Token}, true
}

// longestTag bounds the tags of elements that are looked at, in bytes.
const longestTag = 512

// element returns the text of an element named by a keyword whose opening tag ends at s[at],
// with or without attributes, name space and CDATA.
func element(s string, at int) (Mention, bool) {
	begin := max(0, at-longestTag)
	begin += strings.LastIndexByte(s[begin:at], '<') + 1
	if begin == 0 || s[begin-1] != '<' || strings.HasSuffix(s[begin:at], "/") {
		return Mention{}, false
	}
	name := s[begin:at]
	if end := strings.IndexAny(name, " \t\r\n"); end >= 0 {
		name = name[:end]
	}
	name = name[strings.LastIndexByte(name, ':')+1:]
	if strings.ContainsAny(name, "/!?") || strings.Contains(name, surrogate.Prefix) {
		return Mention{}, false
	}
	n := NameOf(name)
	if n.Kind == profile.NotSecret {
		return Mention{}, false
	}
	const open, shut = "<![CDATA[", "]]>"
	from, end := at+1+space(s[at+1:]), "<"
	if strings.HasPrefix(s[from:], open) {
		from, end = from+len(open), shut
	}
	to := len(s)
	if n := strings.Index(s[from:], end); n >= 0 {
		to = from + n
	}
	from += space(s[from:to])
	to = from + len(strings.TrimRight(s[from:to], " \t\r\n"))
	return Mention{from, to, n.Kind, n.Word}, n.fits(s[from:to])
}

// space returns the length of the white space that s begins with.
func space(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\r\n")) }
