package http1

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// A header is written as net/http writes it, whatever the header of the answer before was.
func TestFields(t *testing.T) {
	t.Parallel()
	base := http.Header{"Date": {"now"}, "Content-Type": {"text/plain"}, "Content-Length": {"12"}}
	with := func(name string, values ...string) http.Header {
		h := base.Clone()
		h[name] = values
		return h
	}
	large := base.Clone()
	for i := range maxFields {
		large["X"+strings.Repeat("x", i)] = nil
	}
	own := []http.Header{
		base, with("Server", "a"), with("A", "1", "\t2\r\n 3 ", ""), with("Zone", "z"), with("Server"),
		with("x-low", " v "), with("Date"), base,
	}
	others := []http.Header{
		with("Connection", "close"), with("Transfer-Encoding", "chunked"), with("No token", "1"),
		large, {}, {"Date": {"now"}, "Content-Type": {"text/plain"}},
		with("Content-Length", "012"), with("Content-Length", "12", "12"),
	}
	a := &wholeAnswer{}
	for _, h := range own {
		for _, other := range others {
			a.text = make([]byte, firstRoom)
			if a.fields(other, 12) {
				t.Errorf("%v was written, and is net/http's", other)
			}
			if left := bytes.Trim(a.text[:cap(a.text)][firstRoom:], "\x00"); len(left) > 0 {
				t.Errorf("of %v there is left %q", other, left)
			}
			for range 2 {
				a.text = make([]byte, firstRoom)
				var want strings.Builder
				if err := h.Write(&want); err != nil {
					t.Fatal(err)
				}
				if !a.fields(h, 12) || string(a.text[firstRoom:]) != want.String()+"\r\n" {
					t.Errorf("%v is written as %q, not %q", h, a.text[firstRoom:], want.String())
				}
			}
		}
	}
}
