package proxy

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/rules"
)

// answered shows the rules the true answer of an exchange as it was on the wire, before it is put on
// tape, and notes in it which rules fired.
func (r *ruledRequest) answered(x *leaf.Exchange, limit int64) {
	if r == nil {
		return
	}
	if r.Looks() {
		text, _, ok := decodedAnswer(x.Response.Headers, x.Response.Body, limit)
		r.Answered(rules.Answer{
			Code: x.Code, Header: x.Response.Headers, Body: text, Partial: !ok || !x.Replayable(),
		})
	}
	x.Meta.Rules = r.Fired()
}

// decodedAnswer returns the body of an answer without content coding, in UTF-8, and the charset that
// it was in; false if that cannot be undone.
func decodedAnswer(h http.Header, body string, limit int64) (text, charset string, ok bool) {
	plain, err := leaf.Decode(coding(h), []byte(body), limit)
	if err != nil {
		return "", "", false
	}
	text, charset, err = leaf.DecodeText(h.Get("Content-Type"), string(plain))
	return text, charset, err == nil
}

// recoded returns a text in the content coding that a header names. A coding that cannot be applied
// is taken out of the header.
func recoded(h http.Header, text string) string {
	names := coding(h)
	if names == "" {
		return text
	}
	body, err := leaf.Encode(names, []byte(text))
	if err != nil {
		h.Del("Content-Encoding")
		return text
	}
	return string(body)
}

// change makes the answer of the mode what the client gets of it. It reads the true answer to its
// end, which is then on tape.
func (m *Ruled) change(req *http.Request, r *ruledRequest, res *http.Response) error {
	body, whole, rest := []byte(nil), true, res.Body
	if !streams(res.Header) && req.Method != http.MethodHead {
		body, whole, rest = readAhead(res.Body, m.requests.limit)
	}
	text, charset, readable := decodedAnswer(res.Header, string(body), m.requests.limit)
	given := rules.Answer{
		Code: res.StatusCode, Header: res.Header, Body: text,
		Partial: !whole || !readable || streams(res.Header),
	}
	r.Answered(given)
	res.Body = rest
	if !r.Changes() {
		return nil
	}
	a := r.Change(given)
	if a.Code != res.StatusCode {
		res.StatusCode, res.Status = a.Code, ""
	}
	if a.Header.Get("Content-Type") != res.Header.Get("Content-Type") {
		charset = "" // another body, which is in UTF-8
	}
	clear(res.Header)
	maps.Copy(res.Header, a.Header)
	if a.Body == text {
		return nil // the body passes as it came
	}
	encoded, err := leaf.EncodeText(charset, a.Body)
	if err != nil {
		encoded = a.Body
	}
	_ = discard(res, nil) // what is left of the true body is not for the client
	setBody(res, recoded(res.Header, encoded))
	return nil
}

// setBody gives an answer a body.
func setBody(res *http.Response, body string) {
	res.Body, res.ContentLength, res.TransferEncoding = textBody(body), int64(len(body)), nil
	res.Header["Content-Length"] = []string{strconv.Itoa(len(body))}
}

// textBody is a body of a text.
func textBody(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }

// ruledResponse makes a response of an answer of a rule.
func ruledResponse(req *http.Request, a *rules.Answer) *http.Response {
	res := &http.Response{
		StatusCode: a.Code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}
	maps.Copy(res.Header, a.Header)
	if bodyAllowed(a.Code) {
		setBody(res, a.Body)
	}
	if req.Method == http.MethodHead {
		res.Body = http.NoBody
	}
	return res
}

// deliver lets the client have an answer as the rules say: late, slowly, in part, or not at all. What
// is not delivered has happened all the same: the mode's answer is read to its end.
func (m *Ruled) deliver(req *http.Request, r *ruledRequest, res *http.Response,
) (*http.Response, error) {
	m.explain(r, res)
	d := r.Delivery()
	if err := pause(req, d.Delay); err != nil {
		return nil, discard(res, err)
	}
	switch d.Fail {
	case rules.Empty:
		return nil, discard(res, ErrAbort)
	case rules.Reset:
		return nil, discard(res, errReset)
	case rules.Garbage:
		return nil, discard(res, errGarbage)
	case rules.Timeout:
		err := discard(res, ErrAbort)
		<-req.Context().Done()
		return nil, err
	case rules.Cut:
		return res, cutAt(res, d.CutAt, m.requests.limit)
	}
	if d.Drip > 0 {
		return res, dripBody(req, res, d.Drip, m.requests.limit)
	}
	return res, nil
}

// pause waits. Its error is ErrAbort if the client does not wait that long.
func pause(req *http.Request, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-req.Context().Done():
		return ErrAbort
	}
}

// discard reads an answer that nobody gets to its end, and returns err.
func discard(res *http.Response, err error) error {
	_, _ = io.Copy(io.Discard, res.Body) // how it ended the mode knows
	_ = res.Body.Close()
	return err
}

// cutAt lets n bytes of the body of an answer pass, or half of it if n is negative, and has the
// client see that there was more.
func cutAt(res *http.Response, n int, limit int64) error {
	body, whole, rest := readAhead(res.Body, limit)
	if n < 0 {
		n = len(body) / 2
	}
	n = min(n, len(body))
	if whole {
		_ = discard(&http.Response{Body: rest}, nil)
		rest = http.NoBody
	}
	if n == len(body) && res.ContentLength >= 0 { // a cut behind the last byte is one before the end
		res.ContentLength++
		res.Header["Content-Length"] = []string{strconv.FormatInt(res.ContentLength, 10)}
	}
	res.Body = prefixedBody{io.MultiReader(bytes.NewReader(body[:n]), errorReader{io.ErrUnexpectedEOF}), rest}
	return nil
}

// dripPieces is in how many pieces a body drips.
const dripPieces = 20

// dripBody has the body of an answer come in pieces over a time.
func dripBody(req *http.Request, res *http.Response, over time.Duration, limit int64) error {
	body, whole, rest := readAhead(res.Body, limit)
	if !whole {
		res.Body = rest // too large to be held
		return nil
	}
	_ = discard(&http.Response{Body: rest}, nil)
	pieces := max(min(dripPieces, len(body)), 1)
	res.Body = &drip{
		req: req, body: body, piece: (len(body) + pieces - 1) / pieces, every: over / time.Duration(pieces),
	}
	return nil
}

// drip is a body of which a piece comes every so often.
type drip struct {
	req   *http.Request
	body  []byte
	piece int // bytes
	every time.Duration
}

func (d *drip) Read(p []byte) (int, error) {
	if len(d.body) == 0 {
		return 0, io.EOF
	}
	if err := pause(d.req, d.every); err != nil {
		return 0, err
	}
	n := copy(p, d.body[:min(d.piece, len(d.body))])
	d.body = d.body[n:]
	return n, nil
}

// Close does nothing: the answer was read before.
func (d *drip) Close() error { return nil }

// flushed is a response writer whose bytes go out at once.
type flushed struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w flushed) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	if err == nil {
		err = w.control.Flush()
	}
	return n, err
}
