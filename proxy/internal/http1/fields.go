package http1

import (
	"net/http"
	"net/textproto"
	"reflect"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// fields is memory for the header of a request. A connection uses it for one request after the other.
type fields struct {
	leaf.Unprinted
	header http.Header
	values [lentFields]string // of header
}

// lentFields is how many fields have memory that is used again. Few requests have more.
const lentFields = 12

// read reads a head that is known to be well-formed.
func (f *fields) read(head string) (target, host string) {
	if f.header == nil {
		f.header = make(http.Header, 8) // what a map holds at least
	}
	line, rest := cutHead(head)
	_, line, _ = strings.Cut(line, " ")
	target, _, _ = strings.Cut(line, " ")
	for n := 0; ; {
		if line, rest = cutHead(rest); line == "" {
			return target, host
		}
		name, value, _ := strings.Cut(line, ":")
		name = textproto.CanonicalMIMEHeaderKey(name)
		value = textproto.TrimString(value)
		switch before, again := f.header[name]; {
		case name == "Host":
			host = value
		case again || n == len(f.values):
			f.header[name] = append(before, value)
		default:
			f.values[n] = value
			f.header[name] = f.values[n : n+1 : n+1]
			n++
		}
	}
}

// cutHead cuts a head behind its first line, which ends in CR LF and is returned without that.
func cutHead(head string) (line, rest string) {
	end := strings.IndexByte(head, '\n')
	return head[:end-1], head[end+1:]
}

// forget lets go of what was read. A map does not shrink, and clearing a large one takes long.
func (f *fields) forget() {
	if len(f.header) > len(f.values) {
		f.header = nil
	}
	clear(f.header)
	clear(f.values[:])
}

// KeptHeader is the header of a request for whoever keeps it when the request has been answered.
type KeptHeader struct {
	leaf.Unprinted
	head   string // in which the header stands
	header http.Header
}

// KeepHeader returns the header of a request, which nobody may change any more.
func KeepHeader(req *http.Request) KeptHeader {
	x, plain := req.Context().Value(exchangeKey{}).(*exchange)
	if plain && req.Header != nil && reflect.ValueOf(req.Header).Pointer() == reflect.ValueOf(x.conn.fields.header).Pointer() {
		return KeptHeader{head: x.head}
	}
	return KeptHeader{header: req.Header}
}

// Header returns the header.
func (k KeptHeader) Header() http.Header {
	if k.head == "" {
		return k.header
	}
	var f fields
	f.read(k.head)
	return f.header
}
