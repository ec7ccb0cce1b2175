package http1

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/paytape/paytape/proxy/internal/problem"
)

// This file is of the package itself: what is ambiguous deserves a table of its own.

func TestReadHead(t *testing.T) {
	t.Parallel()
	const host = "Host: x\r\n"
	tests := []struct {
		name, head string
		want       *problem.Problem
	}{
		{"a plain request", "GET /a HTTP/1.1\r\n" + host, nil},
		{"no Host in HTTP/1.0", "GET /a HTTP/1.0\r\n", nil},
		{"an odd path", "GET /a{}|^[]`\"<>%zz%?%zz HTTP/1.1\r\n" + host, nil},
		{"the server itself", "OPTIONS * HTTP/1.1\r\n" + host, nil},
		{"absolute form with a bad escape", "GET http://x/%zz HTTP/1.1\r\n" + host, nil},
		{"a tunnel", "CONNECT a.test:443 HTTP/1.1\r\n" + host, nil},
		{"an empty value", "GET / HTTP/1.1\r\n" + host + "X-A:\r\n", nil},
		{"a value that is no ASCII", "GET / HTTP/1.1\r\n" + host + "X-A: \xff\xe9\r\n", nil},

		{"nothing", "", problemLine},
		{"one word", "GET\r\n", problemLine},
		{"no version", "GET /\r\n" + host, problemLine},
		{"two spaces", "GET  / HTTP/1.1\r\n" + host, problemLine},
		{"a space in the target", "GET /a b HTTP/1.1\r\n" + host, problemLine},
		{"a tab for a space", "GET\t/ HTTP/1.1\r\n" + host, problemLine},
		{"a method that is no token", "G(T / HTTP/1.1\r\n" + host, problemLine},
		{"a version of another protocol", "GET / ICY/1.1\r\n" + host, problemLine},
		{"HTTP/2 in clear", "PRI * HTTP/2.0\r\n", problemVersion},
		{"an unknown version", "GET / HTTP/1.2\r\n" + host, problemVersion},
		{"a lower-case version", "GET / http/1.1\r\n" + host, problemLine},
		{"no path", "GET foo HTTP/1.1\r\n" + host, problemTarget},
		{"a control character in the target", "GET /\x01 HTTP/1.1\r\n" + host, problemTarget},
		{"a NUL in the target", "GET /\x00 HTTP/1.1\r\n" + host, problemTarget},

		{"no Host", "GET / HTTP/1.1\r\n", problemHost},
		{"two Hosts", "GET / HTTP/1.1\r\n" + host + host, problemHost},
		{"two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\n" + host + host, problemHost},
		{"a line without a colon", "GET / HTTP/1.1\r\n" + host + "X-A\r\n", problemField},
		{"a name that is empty", "GET / HTTP/1.1\r\n" + host + ": x\r\n", problemField},
		{"a space before the colon", "GET / HTTP/1.1\r\n" + host + "X-A : x\r\n", problemField},
		{"a tab before the colon", "GET / HTTP/1.1\r\n" + host + "X-A\t: x\r\n", problemField},
		{"a folded line", "GET / HTTP/1.1\r\n" + host + "X-A: x\r\n y\r\n", problemField},
		{"a first line that is folded", "GET / HTTP/1.1\r\n X-A: x\r\n" + host, problemField},
		{"a bare CR in a value", "GET / HTTP/1.1\r\n" + host + "X-A: x\ry\r\n", problemField},
		{"a NUL in a value", "GET / HTTP/1.1\r\n" + host + "X-A: x\x00\r\n", problemField},
		{"a name that is no ASCII", "GET / HTTP/1.1\r\n" + host + "X-\xc4: x\r\n", problemField},

		{"a length that is empty", "POST / HTTP/1.1\r\n" + host + "Content-Length:\r\n", problemLength},
		{"a sign", "POST / HTTP/1.1\r\n" + host + "Content-Length: +3\r\n", problemLength},
		{"a minus", "POST / HTTP/1.1\r\n" + host + "Content-Length: -3\r\n", problemLength},
		{"hex", "POST / HTTP/1.1\r\n" + host + "Content-Length: 0x3\r\n", problemLength},
		{"a list", "POST / HTTP/1.1\r\n" + host + "Content-Length: 3, 3\r\n", problemLength},
		{"a fraction", "POST / HTTP/1.1\r\n" + host + "Content-Length: 3.0\r\n", problemLength},
		{
			"a length that is too large",
			"POST / HTTP/1.1\r\n" + host + "Content-Length: 9223372036854775808\r\n", problemLength,
		},
		{
			"two lengths", "POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 4\r\n",
			problemLength,
		},
		{
			"the same length twice",
			"POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 3\r\n", problemLength,
		},
		{
			"length and chunks",
			"POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
			problemBoth,
		},
		{
			"chunks and length",
			"POST / HTTP/1.1\r\n" + host + "transfer-encoding: Chunked\r\ncontent-length: 3\r\n",
			problemBoth,
		},
		{
			"a tunnel with a body", "CONNECT a:1 HTTP/1.1\r\n" + host + "Content-Length: 3\r\n",
			problemBoth,
		},
		{"another coding", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n", problemCoding},
		{
			"two codings",
			"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n", problemCoding,
		},
		{
			"chunked twice",
			"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
			problemCoding,
		},
		{"identity", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: identity\r\n", problemCoding},
		{"quotes", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: \"chunked\"\r\n", problemCoding},
		{"an empty coding", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding:\r\n", problemCoding},
		{
			"a vertical tab before the coding",
			"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: \vchunked\r\n", problemField,
		},
		{"chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n", problemCoding},
	}
	for _, tt := range tests {
		if got := readHead([]byte(tt.head + "\r\n")).problem; got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestReadingAHeadTakesNoMemory reads a head as nearly all are.
func TestReadingAHeadTakesNoMemory(t *testing.T) { // not parallel: it counts allocations
	text := []byte("POST /payment/rest/register.do HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n" +
		"User-Agent: Go-http-client/1.1\r\nContent-Length: 23\r\n" +
		"content-type: application/x-www-form-urlencoded\r\nX-Signature: \xff\r\n\r\n")
	if got := testing.AllocsPerRun(100, func() { readHead(text) }); got > 0 {
		t.Errorf("a head takes %v allocations", got)
	}
}

// TestCharacters compares the table of characters with the words of the standards.
func TestCharacters(t *testing.T) {
	t.Parallel()
	const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	controls := ""
	for c := range byte(' ') {
		controls += string(rune(c))
	}
	rows := []struct {
		class         byte
		may, mayNever string // of ASCII
		above         bool   // of the bytes beyond ASCII
	}{
		{inToken, alphanumeric + "!#$%&'*+-.^_`|~", controls + " \x7f\"(),/:;<=>?@[\\]{}", false},
		{inTarget, alphanumeric + "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", controls + " \x7f", true},
		{inValue, alphanumeric + "\t !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
			strings.ReplaceAll(controls, "\t", "") + "\x7f", true},
		{inHost, alphanumeric + "-._~!$&'()*+,;=%:[]", controls + " \x7f\"#/<>?@\\^`{|}", false},
		{digit, "0123456789", "aAfF+-. ,\x00", false},
		{hexDigit, "0123456789abcdefABCDEF", "gGxX+-_ \x00", false},
	}
	for _, row := range rows {
		for i := range len(row.may) {
			if !all(row.may[i:i+1], row.class) {
				t.Errorf("class %d: %q is missing", row.class, row.may[i])
			}
		}
		for i := range len(row.mayNever) {
			if all(row.mayNever[i:i+1], row.class) {
				t.Errorf("class %d has %q", row.class, row.mayNever[i])
			}
		}
		for c := 0x80; c <= 0xff; c++ {
			if all([]byte{byte(c)}, row.class) != row.above {
				t.Errorf("class %d: byte %x is wrong", row.class, c)
			}
		}
	}
}

func TestChunks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		rest       string // what is not of the body
		bad        bool
	}{
		{"one chunk", "3\r\nabc\r\n0\r\n\r\n", "", false},
		{"the next request behind it", "3\r\nabc\r\n0\r\n\r\nGET", "GET", false},
		{"no data", "0\r\n\r\n", "", false},
		{"leading zeros and capitals", "00A\r\n0123456789\r\n000\r\n\r\n", "", false},
		{"an extension", "3;a=\"b\"\r\nabc\r\n0;c\r\n\r\n", "", false},
		{"a trailer", "0\r\nX-Sum: 7\r\n\r\n", "", false},
		{"line ends in the data", "4\r\n\r\n\r\n\r\n0\r\n\r\n", "", false},

		{"no size", "\r\nabc\r\n0\r\n\r\n", "", true},
		{"a sign", "+3\r\nabc\r\n0\r\n\r\n", "", true},
		{"a minus", "-3\r\nabc\r\n0\r\n\r\n", "", true},
		{"a prefix of hex", "0x3\r\nabc\r\n0\r\n\r\n", "", true},
		{"a space before the size", " 3\r\nabc\r\n0\r\n\r\n", "", true},
		{"a space behind it", "3 \r\nabc\r\n0\r\n\r\n", "", true},
		{"an underscore", "1_0\r\n0123456789abcdef\r\n0\r\n\r\n", "", true},
		{"a size that is too large", "8000000000000000\r\n", "", true},
		{"a size that wraps around", "10000000000000003\r\nabc\r\n0\r\n\r\n", "", true},
		{"a size without CR", "3\nabc\r\n0\r\n\r\n", "", true},
		{"a CR in an extension", "3;a\rb\r\nabc\r\n0\r\n\r\n", "", true},
		{"a LF in an extension", "3;a\nb\r\nabc\r\n0\r\n\r\n", "", true},
		{"data that is too long", "3\r\nabcd\r\n0\r\n\r\n", "", true},
		{"data without its end", "3\r\nabc0\r\n\r\n", "", true},
		{"data that ends in LF", "3\r\nabc\n0\r\n\r\n", "", true},
		{"a last line without CR", "0\r\n\n", "", true},
		{"a size that is no number", "g\r\n", "", true},
		{"an endless size", strings.Repeat("0", 5000) + "\r\n", "", true},
		{"endless trailers", "0\r\n" + strings.Repeat("X-A: b\r\n", 1000) + "\r\n", "", true},
		{"a trailer that is none", "0\r\nX-Sum 7\r\n\r\n", "", true},
		{"a folded trailer", "0\r\nX-Sum: 7\r\n 8\r\n\r\n", "", true},
		{"a length as trailer", "0\r\nContent-Length: 7\r\n\r\n", "", true},
		{"a coding as trailer", "0\r\ntransfer-encoding: chunked\r\n\r\n", "", true},
		{"a host as trailer", "0\r\nHost: y\r\n\r\n", "", true},
	}
	for _, tt := range tests {
		for _, step := range []int{1, 2, 3, len(tt.body)} {
			rest, err := feedAll(tt.body, step)
			if tt.bad != errors.Is(err, errFraming) || !tt.bad && (err != io.EOF || rest != tt.rest) {
				t.Errorf("%s, by %d bytes: got %v, rest %q", tt.name, step, err, rest)
			}
		}
	}
}

// feedAll feeds a body in steps and returns what is left of it at its end.
func feedAll(body string, step int) (rest string, err error) {
	c := &chunks{}
	for len(body) > 0 {
		n := 0
		if n, err = c.feed([]byte(body[:min(step, len(body))])); err != nil {
			return body[n:], err
		}
		body = body[n:]
	}
	return "", nil
}

// spoken is a connection on which a client has said something and left.
type spoken struct {
	net.Conn
	said io.Reader
}

func (s spoken) Read(p []byte) (int, error) { return s.said.Read(p) }

// What a wire lets through net/http reads as the wire did: as many requests, with the same
// targets, and each with its own body.
func FuzzWire(f *testing.F) {
	for _, seed := range []string{
		"GET /a%zz?b=%zz HTTP/1.1\r\nHost: x\r\n\r\nGET /c HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc\r\nGET / HTTP/1.0\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nA: b\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
		"GET / HTTP/1.1\nHost: x\n\n", "\x16\x03\x01", "\r\n\r\nGET / HTTP/1.1\r\n\r\n",
		"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\nanything",
	} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, said string, slow bool) {
		var from io.Reader = strings.NewReader(said)
		if slow {
			from = iotest.OneByteReader(from)
		}
		c := &Conn{Conn: spoken{said: from}}
		r := bufio.NewReader(c)
		for {
			req, err := http.ReadRequest(r)
			h, known := c.pop()
			if err != nil && known {
				// Hosts of bad characters and the like are left to net/http.
				if h.problem != nil {
					t.Fatalf("net/http cannot read what stands for %v", h.problem)
				}
				return
			}
			if err != nil {
				return
			}
			if !known {
				t.Fatalf("net/http reads a request that the wire has not")
			}
			if h.problem != nil || h.method == http.MethodConnect {
				return
			}
			if h.length >= 0 && req.ContentLength != h.length {
				t.Fatalf("length %d for %d", req.ContentLength, h.length)
			}
			if shown := escapePercent(h.target); h.target != "" && req.RequestURI != shown {
				t.Fatalf("net/http saw %q for %q", req.RequestURI, h.target)
			}
			if _, err := io.Copy(io.Discard, req.Body); err != nil {
				return // cut, or malformed
			}
		}
	})
}
