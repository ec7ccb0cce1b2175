package proxy

import (
	"io"
	"net/http"
	"slices"
	"strings"
)

// notServed are the headers of a recorded answer that are made anew or belong to the
// connection on which it was recorded (RFC 9110, section 7.6.1).
var notServed = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding",
	"Upgrade", "Content-Length", "Content-Encoding", "Date",
}

// headersAdded is how many headers an answer has that are made for it.
const headersAdded = 3

// recordedHeader returns a recorded header without what is not served, to be added to: the
// recorded one and its values stay as they are.
func recordedHeader(recorded http.Header) http.Header {
	h := make(http.Header, len(recorded)+headersAdded)
	for name, values := range recorded {
		h[name] = slices.Clip(values)
	}
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range notServed {
		delete(h, name)
	}
	return h
}

// delivery is the body of a served answer. The answer counts as delivered when its last byte
// is handed to the door, because a client that has it may send the next request before the
// door asks for more; and no longer, if the door then does not.
type delivery struct {
	text  *strings.Reader
	done  func(whole bool)
	told  bool
	ended bool
}

// WriteTo is Read for those who take all at once.
func (d *delivery) WriteTo(w io.Writer) (int64, error) {
	if !d.told {
		d.told = true
		d.done(true)
	}
	n, err := d.text.WriteTo(w)
	d.ended = err == nil
	return n, err
}

func (d *delivery) Read(p []byte) (int, error) {
	n, err := d.text.Read(p)
	if d.text.Len() == 0 && !d.told {
		d.told = true
		d.done(true)
	}
	d.ended = d.ended || err == io.EOF
	return n, err
}

// Close takes back what a Read said if the door has not come for the end.
func (d *delivery) Close() error {
	if !d.ended {
		d.ended = true
		d.done(false)
	}
	return nil
}
