package proxy

import (
	"io"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/rules"
)

// answered shows the rules the true answer of an exchange as it was on the wire, before it is put
// on tape, and notes in it which rules fired. The answer of x may be the deck's own, if none came.
func (r *ruledRequest) answered(x *leaf.Exchange, limit int64, came bool) {
	if r == nil {
		return
	}
	if r.Looks() && came && x.Code != http.StatusSwitchingProtocols {
		text, _, ok := decodedAnswer(x.Response.Headers, x.Response.Body, limit)
		r.Answered(rules.Answer{
			Code: x.Code, Header: x.Response.Headers, Body: text, Partial: !ok || !x.Replayable(),
		})
	}
	x.Meta.Rules = r.Fired()
}

// decodedAnswer returns the body of an answer without content coding, in UTF-8, and the charset
// that it was in; false if that cannot be undone.
func decodedAnswer(h http.Header, body string, limit int64) (text, charset string, ok bool) {
	if names := coding(h); names != "" {
		plain, err := leaf.Decode(names, []byte(body), limit)
		if err != nil {
			return "", "", false
		}
		body = string(plain)
	}
	text, charset, err := leaf.DecodeText(h.Get("Content-Type"), body)
	return text, charset, err == nil
}

// recoded returns a text in a charset, and in the content coding that a header names. A coding that
// cannot be applied is taken out of the header.
func recoded(h http.Header, charset, text string) string {
	if encoded, err := leaf.EncodeText(charset, text); err == nil {
		text = encoded
	}
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

// charsetOf returns the charset that a rule means with a Content-Type.
func charsetOf(h http.Header) string {
	_, params, _ := mime.ParseMediaType(h.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	if _, err := leaf.EncodeText(charset, ""); err != nil {
		return ""
	}
	return charset
}

// change makes the answer of the mode what the client gets of it. It reads the true answer to its
// end, which is then on tape.
func (m *Ruled) change(req *http.Request, r *ruledRequest, res *http.Response) {
	body, whole := "", !r.streams
	if whole && req.Method != http.MethodHead {
		body, whole = m.hold(r, res)
	}
	m.requests.budget.cleaning(int64(len(body)), func() { m.changeHeld(req, r, res, body, whole) })
}

// changeHeld is change for an answer whose body is there, or will not be.
func (m *Ruled) changeHeld(req *http.Request, r *ruledRequest, res *http.Response, body string,
	whole bool) {
	given := rules.Answer{Code: res.StatusCode, Header: res.Header, Partial: !whole}
	charset := ""
	if whole {
		var readable bool
		given.Body, charset, readable = decodedAnswer(res.Header, body, m.requests.limit)
		given.Partial = !readable
	}
	r.Answered(given)
	if !r.Changes() {
		return
	}
	a := r.Change(given)
	if a.Header.Get("Content-Type") != res.Header.Get("Content-Type") {
		charset = charsetOf(a.Header)
	}
	if a.Code != res.StatusCode {
		res.StatusCode, res.Status = a.Code, ""
	}
	served := res.Header["Paytape-Served"]
	clear(res.Header)
	maps.Copy(res.Header, a.Header)
	if served != nil {
		res.Header["Paytape-Served"] = served // the mode was asked, whatever the client gets
	}
	switch {
	case !bodyAllowed(a.Code):
		m.replace(r, res, "")
		res.Header.Del("Content-Length")
	case a.Body == given.Body && a.Partial == given.Partial: // the body passes as it came
	case req.Method == http.MethodHead:
		res.Header.Set("Content-Length", strconv.Itoa(len(recoded(res.Header, charset, a.Body))))
	default:
		m.replace(r, res, recoded(res.Header, charset, a.Body))
	}
}

// replace gives an answer of the mode another body. What is left of the true one is read, and not
// for the client.
func (m *Ruled) replace(r *ruledRequest, res *http.Response, body string) {
	held, _ := res.Body.(*heldBody)
	if held == nil || !held.whole {
		r.exhaust(res)
		held, r.streams = r.held(nil), false
	}
	held.put(body)
	setBody(res, held, len(body))
}

// setBody gives an answer a body. One with trailers has no length: they follow its chunks.
func setBody(res *http.Response, body io.ReadCloser, length int) {
	res.Body, res.ContentLength, res.TransferEncoding = body, int64(length), nil
	res.Header["Content-Length"] = []string{strconv.Itoa(length)}
	if len(res.Trailer) > 0 {
		res.ContentLength = -1
		res.Header.Del("Content-Length")
	}
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
		body := recoded(res.Header, charsetOf(res.Header), a.Body)
		setBody(res, textBody(body), len(body))
	}
	if req.Method == http.MethodHead {
		res.Body = http.NoBody
	}
	return res
}

// deliver lets the client have an answer as the rules say: late, slowly, in part, or not at all.
// What is not delivered has happened all the same: the mode's answer is read to its end before the
// client waits. A mode that has its answers itself is told, for the client may send the write again.
func (m *Ruled) deliver(req *http.Request, r *ruledRequest, res *http.Response,
) (*http.Response, error) {
	m.explain(r, res)
	d := r.Delivery()
	if d.Delay > 0 && !r.streams {
		m.hold(r, res)
	}
	if err := pause(req, d.Delay); err != nil {
		return nil, r.lose(res, err)
	}
	switch d.Fail {
	case rules.Empty:
		return nil, r.lose(res, ErrAbort)
	case rules.Reset:
		return nil, r.lose(res, errReset)
	case rules.Garbage:
		return nil, r.lose(res, errGarbage)
	case rules.Timeout:
		err := r.lose(res, ErrAbort)
		if t := turnOf(req); t != nil {
			t.Hangs = true
			return nil, err
		}
		<-req.Context().Done()
		return nil, err
	case rules.Cut:
		m.cut(req, r, res, d.CutAt)
		return res, nil
	}
	if d.Drip > 0 && !r.streams {
		m.drip(req, r, res, d.Drip)
	}
	return res, nil
}

// pause waits. Its error is ErrAbort if the client does not wait that long.
func pause(req *http.Request, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	if t := turnOf(req); t != nil {
		t.Waited += d
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

// lose takes an answer from its client, and returns err.
func (r *ruledRequest) lose(res *http.Response, err error) error {
	r.exhaust(res)
	r.takeBack()
	r.settlement.settle()
	return err
}

// takeBack tells the mode that the client has not got its answer.
func (r *ruledRequest) takeBack() {
	if r.undelivered != nil {
		r.undelivered()
	}
}

// exhaust reads an answer that nobody gets to its end. A stream may have none: it is closed.
func (r *ruledRequest) exhaust(res *http.Response) {
	if !r.streams {
		_, _ = io.Copy(io.Discard, res.Body) // how it ended the mode knows
	}
	_ = res.Body.Close()
}

// cut lets n bytes of the body of an answer pass, or half of it if n is negative, and has the
// client see that there was more. Of a stream nobody knows the half: nothing comes of it.
func (m *Ruled) cut(req *http.Request, r *ruledRequest, res *http.Response, n int) {
	var begin io.Reader
	if r.streams {
		begin = io.LimitReader(res.Body, int64(max(n, 0)))
	} else {
		body, _ := m.hold(r, res)
		if n < 0 {
			n = len(body) / 2
		}
		n = min(n, len(body))
		begin = strings.NewReader(body[:n])
		all := n == len(body) && res.ContentLength >= 0
		if all && req.Method != http.MethodHead && bodyAllowed(res.StatusCode) {
			setBody(res, res.Body, n+1) // a cut behind the last byte is one before the end
		}
	}
	res.Body = prefixedBody{io.MultiReader(begin, errorReader{io.ErrUnexpectedEOF}), res.Body}
}

// dripPieces is in how many pieces a body drips.
const dripPieces = 20

// drip has the body of an answer come in pieces over a time. One that is too large to be held comes
// at once.
func (m *Ruled) drip(req *http.Request, r *ruledRequest, res *http.Response, over time.Duration) {
	if body, whole := m.hold(r, res); whole && body != "" {
		held, _ := res.Body.(*heldBody)
		n := min(dripPieces, len(body))
		res.Body = &drip{heldBody: held, req: req, every: over / time.Duration(n), left: n}
	}
}

// drip is a body of which a piece comes every so often.
type drip struct {
	*heldBody
	req   *http.Request
	every time.Duration
	left  int // pieces that have not come yet
	due   int // bytes that have come and were not read yet
}

func (d *drip) Read(p []byte) (int, error) {
	if d.due == 0 && d.left > 0 {
		if err := pause(d.req, d.every); err != nil {
			return 0, err
		}
		d.due = d.Len() / d.left // pieces are as equal as they can be
		d.left--
	}
	if d.due > 0 {
		p = p[:min(len(p), d.due)]
	}
	n, err := d.heldBody.Read(p)
	d.due -= n
	return n, err
}

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
