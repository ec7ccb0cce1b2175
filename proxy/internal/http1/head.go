package http1

import (
	"bytes"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// head is what a connection must know of the head of a request in HTTP/1: where its body
// ends, and what net/http would change or refuse. What can be read in two ways is a problem,
// because the next server might choose the other one (RFC 9112, section 11.2).
type head struct {
	leaf.Unprinted
	method string
	// target is the request target as it came, where net/http is shown another one; empty
	// where net/http reads it as it came.
	target string
	// bare is set for "Pragma: no-cache" without Cache-Control, to which net/http adds one.
	bare bool
	// length is that of the body in bytes; -1 for one in chunks.
	length int64
	// arrived says that all of the body had come with the head.
	arrived bool
	// problem is why the request is refused; nil for one that is not.
	problem *problem.Problem

	minor                   byte // of the version: '0' or '1'
	hosts, lengths, codings int  // how many fields there were
	cached, pragma          bool
	framed                  bool // a trailer is announced that would change the framing
	// steers says that something is said for net/http to read: of the connection, of another protocol, or
	// of where the request is to go.
	steers bool
}

// The problems of heads and of framing. All of them end the connection, because nobody can
// say where the next request begins.
var (
	problemLine = &problem.Problem{
		Code: http.StatusBadRequest, Kind: "request-line",
		Message: "the first line is no request of HTTP/1",
		Hint:    "speak HTTP here; TLS is spoken only if the deck has a certificate",
	}
	problemTarget = &problem.Problem{
		Code: http.StatusBadRequest, Kind: "request-target",
		Message: "the request target is neither a path nor an address",
	}
	problemVersion = &problem.Problem{
		Code: http.StatusHTTPVersionNotSupported, Kind: "version",
		Message: "requests are taken in HTTP/1.0 and HTTP/1.1, and in HTTP/2 over TLS",
	}
	problemHead = &problem.Problem{
		Code: http.StatusRequestHeaderFieldsTooLarge, Kind: "head-too-large",
		Message: "the head of the request is larger than " + strconv.Itoa(MaxHead>>10) + " KiB",
	}
	problemExpect = &problem.Problem{
		Code: http.StatusExpectationFailed, Kind: "expect",
		Message: "all that can be expected is 100-continue",
	}
	problemField = ambiguous("a line of the head is no header field")
	problemHost  = ambiguous("a request has one Host")

	problemLength = ambiguous("the length of the body is not given once, as a number")
	problemBoth   = ambiguous("the body is framed by length and by chunks at once")
	problemCoding = &problem.Problem{
		Code: http.StatusNotImplemented, Kind: "framing",
		Message: "the only transfer coding taken is chunked, once, in HTTP/1.1",
	}
)

// problemSlow is a head that did not come to its end in time. Nobody is left to read an answer.
var problemSlow = &problem.Problem{Kind: "head-timeout"}

// Problems returns why clients are refused here, each kind at least once.
func Problems() []*problem.Problem {
	return []*problem.Problem{
		problemLine, problemTarget, problemVersion, problemHead, problemField, problemCoding,
		problemExpect, problemSlow,
	}
}

// ambiguous is a head that two servers might read as two different ones.
func ambiguous(message string) *problem.Problem {
	return &problem.Problem{
		Code: http.StatusBadRequest, Kind: "framing", Message: message,
		Hint: "the request was not forwarded, because the next server might read it in " +
			"another way",
	}
}

var crlf = []byte("\r\n")

// readHead reads a whole head, with the empty line that ends it, of which every line ends in CR
// LF. It is stricter than net/http and keeps to what RFC 9112 lets a client send.
func readHead(text []byte) (h head) {
	line, rest := cutLine(text)
	if h.problem = h.requestLine(line); h.problem != nil {
		return h
	}
	for {
		line, rest = cutLine(rest)
		if len(line) == 0 {
			h.problem = h.framing()
			return h
		}
		if h.problem = h.field(line); h.problem != nil {
			return h
		}
	}
}

// cutLine cuts text behind its first line, which is returned without its end.
func cutLine(text []byte) (line, rest []byte) {
	end := bytes.IndexByte(text, '\n')
	return bytes.TrimSuffix(text[:max(end, 0)], crlf[:1]), text[end+1:]
}

func (h *head) requestLine(line []byte) *problem.Problem {
	method, rest, _ := bytes.Cut(line, []byte(" "))
	target, version, found := bytes.Cut(rest, []byte(" "))
	switch {
	case !found || len(target) == 0 || !IsToken(method):
		return problemLine
	case !all(target, inTarget):
		return problemTarget
	case string(version) == "HTTP/1.0" || string(version) == "HTTP/1.1":
		h.method, h.minor = methodName(method), version[len(version)-1]
		h.steers = target[0] != '/' // the host is that of the target, if it has one
		return h.shown(target)
	case bytes.HasPrefix(version, []byte("HTTP/")):
		return problemVersion
	}
	return problemLine
}

// methodName returns a method as text. The methods of nearly all requests take no memory.
func methodName(method []byte) string {
	switch string(method) {
	case http.MethodGet:
		return http.MethodGet
	case http.MethodPost:
		return http.MethodPost
	case http.MethodPut:
		return http.MethodPut
	}
	return string(method)
}

// shown finds out what net/http shall be shown as the target: it refuses a bad percent
// escape, which a sandbox may well answer.
func (h *head) shown(target []byte) *problem.Problem {
	if plainPath(target) && h.method != http.MethodConnect {
		return nil
	}
	text := string(target)
	if h.method == http.MethodConnect {
		// An authority, which is read by the door.
		if _, err := url.ParseRequestURI("http://" + text); err != nil {
			return problemTarget
		}
		return nil
	}
	if _, err := url.ParseRequestURI(text); err == nil {
		return nil
	}
	if _, err := url.ParseRequestURI(escapePercent(text)); err != nil {
		return problemTarget
	}
	h.target = text
	return nil
}

// plainPath reports whether a target is a path in which nothing could be wrong, as nearly all are.
func plainPath(target []byte) bool {
	return target[0] == '/' && !bytes.HasPrefix(target, []byte("//")) &&
		bytes.IndexByte(target, '%') < 0
}

// escapePercent makes of each percent sign that begins no escape an escape of itself.
func escapePercent(target string) string {
	var b strings.Builder
	for i := range len(target) {
		b.WriteByte(target[i])
		if target[i] == '%' && (i+2 >= len(target) || !all(target[i+1:i+3], hexDigit)) {
			b.WriteString("25")
		}
	}
	return b.String()
}

// field reads a header field. A line that begins with white space would go on with the one
// before (RFC 9112, section 5.2); that and a space before the colon are refused.
func (h *head) field(line []byte) *problem.Problem {
	colon := bytes.IndexByte(line, ':')
	if colon < 0 {
		return problemField
	}
	name, value := line[:colon], line[colon+1:]
	if !IsToken(name) || !all(value, inValue) {
		return problemField
	}
	value = bytes.Trim(value, " \t")
	switch {
	case is(name, "Host"):
		h.hosts++
		if !all(value, inHost) {
			return problemHost
		}
	case is(name, "Content-Length"):
		h.lengths++
		n, ok := decimal(value)
		if !ok {
			return problemLength
		}
		h.length = n
	case is(name, "Transfer-Encoding"):
		h.codings++
		if !is(value, "chunked") {
			return problemCoding
		}
	case is(name, "Connection"):
		h.steers = h.steers || !is(value, "keep-alive")
	case is(name, "Upgrade"):
		h.steers = true
	case is(name, "Expect"):
		h.steers = true
		if len(value) > 0 && !is(value, "100-continue") {
			return problemExpect
		}
	case is(name, "Trailer"):
		h.framed = h.framed || slices.ContainsFunc(bytes.Split(value, []byte(",")), framingName)
	case is(name, "Cache-Control"):
		h.cached = true
	case is(name, "Pragma"):
		h.pragma = h.pragma || string(value) == "no-cache"
	}
	return nil
}

// framing decides where the body ends, when all fields have been read.
func (h *head) framing() *problem.Problem {
	h.bare = h.pragma && !h.cached
	switch {
	case h.hosts > 1, h.hosts == 0 && h.minor == '1':
		return problemHost
	case h.lengths > 1:
		return problemLength
	case h.codings > 0 && h.lengths > 0:
		return problemBoth
	case h.codings > 1, h.codings > 0 && h.minor == '0':
		return problemCoding
	case h.method == http.MethodConnect && (h.codings > 0 || h.length > 0):
		return problemBoth // what follows is meant for the tunnel
	case h.codings > 0 && h.framed:
		return problemBoth
	case h.codings > 0:
		h.length = -1
	}
	return nil
}

// framingName reports whether a name is that of a field which frames a message, and which a
// trailer must not be (RFC 9110, section 6.5.1).
func framingName(name []byte) bool {
	name = bytes.Trim(name, " \t")
	return is(name, "Content-Length") || is(name, "Transfer-Encoding") || is(name, "Trailer")
}

// decimal reads a length. Signs, spaces and lists, which some servers take, are refused.
func decimal(text []byte) (int64, bool) {
	if len(text) == 0 || !all(text, digit) {
		return 0, false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return n, err == nil && n < math.MaxInt64
}

// is reports whether a text is a word, without regard to ASCII case.
func is(text []byte, word string) bool {
	return len(text) == len(word) && (string(text) == word || strings.EqualFold(string(text), word))
}
