package proxy_test

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// message is a request or an answer as raw bytes say it, read without net/http: two messages
// of one meaning are equal. What belongs to a connection and not to the message is left out.
type message struct {
	Line    string
	Fields  map[string][]string // by canonical name; values in their order
	Body    string
	Trailer map[string][]string
	Framed  string   // "", "length N" or "open": in chunks, or up to the end of the connection
	Interim []string // of an answer: the lines and fields before it
	Cut     bool     // the connection ended before the message
}

// ofConnection are fields that say nothing about the message.
var ofConnection = []string{
	"Connection", "Host", "Keep-Alive", "Proxy-Connection", "Trailer", "Transfer-Encoding",
	"Content-Length",
}

// readMessage reads one message. method is that of the request which an answer answers, and
// empty for a request.
func readMessage(r *bufio.Reader, method string) (message, error) {
	m := message{}
	all, err := m.head(r)
	if err != nil {
		return m, err
	}
	for method != "" && strings.HasPrefix(status(m.Line), "1") && status(m.Line) != "101" {
		m.Interim = append(m.Interim, m.Line+" "+flat(all))
		if all, err = m.head(r); err != nil {
			m.Cut = true
			return m, nil
		}
	}
	m.Fields = maps.Clone(all)
	for _, name := range ofConnection {
		delete(m.Fields, name)
	}
	m.body(r, all, method)
	return m, nil
}

// head reads the first line and the fields.
func (m *message) head(r *bufio.Reader) (map[string][]string, error) {
	line, err := readLine(r)
	if err == nil && line == "" { // RFC 9112, section 2.2
		line, err = readLine(r)
	}
	if err != nil {
		return nil, err
	}
	m.Line = strings.TrimSuffix(line, " ") // an empty reason phrase
	return readFields(r)
}

func readFields(r *bufio.Reader) (map[string][]string, error) {
	all := map[string][]string{}
	for {
		line, err := readLine(r)
		if err != nil || line == "" {
			return all, err
		}
		name, value, _ := strings.Cut(line, ":")
		name = http.CanonicalHeaderKey(name)
		all[name] = append(all[name], strings.Trim(value, " \t"))
	}
}

func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), err
}

func (m *message) body(r *bufio.Reader, all map[string][]string, method string) {
	code := status(m.Line)
	length := slices.Max(append(all["Content-Length"], "")) // repeated ones are alike
	if length != "" && (length != "0" || method == "") {    // a request without a body has no length
		m.Framed = "length " + length
	}
	switch {
	case method != "" && (method == "HEAD" || code == "204" || code == "304" || code == "101"):
	case len(all["Transfer-Encoding"]) > 0:
		m.Framed = "open"
		m.chunks(r)
	case length != "":
		n, _ := strconv.Atoi(length)
		text := make([]byte, n)
		got, err := io.ReadFull(r, text)
		m.Body, m.Cut = string(text[:got]), err != nil
	case method != "":
		m.Framed = "open"
		text, err := io.ReadAll(r)
		m.Body, m.Cut = string(text), err != nil
	}
}

func (m *message) chunks(r *bufio.Reader) {
	m.Cut = true
	for {
		line, err := readLine(r)
		digits, _, _ := strings.Cut(line, ";")
		n, bad := strconv.ParseInt(strings.TrimSpace(digits), 16, 32)
		if err != nil || bad != nil {
			return
		}
		if n == 0 {
			break
		}
		text := make([]byte, n)
		got, err := io.ReadFull(r, text)
		m.Body += string(text[:got])
		if end, ended := readLine(r); err != nil || ended != nil || end != "" {
			return
		}
	}
	trailer, err := readFields(r)
	if len(trailer) > 0 {
		m.Trailer = trailer
	}
	m.Cut = err != nil
}

// status is the code in the first line of an answer.
func status(line string) string {
	_, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(rest, " ")
	return code
}

func flat(fields map[string][]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		all = append(all, name+": "+strings.Join(fields[name], " | "))
	}
	return strings.Join(all, "; ")
}

// gone reports whether reading failed because the other side has ended the connection.
func gone(err error) bool {
	return err != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.Contains(err.Error(), "reset by peer"))
}
