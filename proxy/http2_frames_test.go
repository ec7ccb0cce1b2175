package proxy_test

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/paytape/paytape/proxy"
)

// Types and flags of frames (RFC 9113, section 6).
const (
	frameData, frameHeaders, frameReset, frameSettings, frameGoAway = 0, 1, 3, 4, 7

	flagEnd, flagAck, flagWholeHead = 1, 1, 4
)

// frame is a frame of HTTP/2 as bytes.
func frame(kind, flags byte, stream uint32, payload string) string {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	head = binary.BigEndian.AppendUint32(append(head, flags), stream)
	return string(head) + payload
}

// readFrame reads one.
func readFrame(r io.Reader) (kind, flags byte, stream uint32, payload string, err error) {
	head := make([]byte, 9)
	if _, err = io.ReadFull(r, head); err != nil {
		return 0, 0, 0, "", err
	}
	body := make([]byte, binary.BigEndian.Uint32(head)>>8)
	_, err = io.ReadFull(r, body)
	return head[3], head[4], binary.BigEndian.Uint32(head[5:]), string(body), err
}

// number is what a frame says in four bytes.
func number(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

// refuser is a sandbox that speaks HTTP/2 and answers each request with a frame of its own.
type refuser struct {
	url      string
	trusted  *tls.Config
	requests atomic.Int32
	answer   func(stream uint32) string
}

func newRefuser(t *testing.T, answer func(stream uint32) string) *refuser {
	t.Helper()
	certificate, trusted := certified(t, "sandbox")
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	r := &refuser{
		url: "https://" + ln.Addr().String(), trusted: &tls.Config{RootCAs: trusted}, answer: answer,
	}
	go accept(ln, r.serve)
	return r
}

func (r *refuser) serve(conn net.Conn) {
	defer conn.Close()
	if _, err := io.CopyN(io.Discard, conn, int64(len(preface))); err != nil {
		return
	}
	_, _ = io.WriteString(conn, frame(frameSettings, 0, 0, ""))
	for {
		kind, flags, stream, _, err := readFrame(conn)
		switch {
		case err != nil:
			return
		case kind == frameSettings && flags&flagAck == 0:
			_, _ = io.WriteString(conn, frame(frameSettings, flagAck, 0, ""))
		case kind == frameHeaders:
			r.requests.Add(1)
		}
		if (kind == frameHeaders || kind == frameData) && flags&flagEnd != 0 {
			_, _ = io.WriteString(conn, r.answer(stream))
		}
	}
}

// preface is what a client of HTTP/2 begins with.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// A request is one request at a sandbox that speaks HTTP/2 too, whether that has
// refused it before it looked at it or says that something is wrong.
func TestOneRequestIsOneRequestInHTTP2(t *testing.T) {
	reset := func(code uint32) func(uint32) string {
		return func(stream uint32) string { return frame(frameReset, 0, stream, number(code)) }
	}
	away := func(code uint32, words string) func(uint32) string {
		return func(uint32) string {
			return frame(frameGoAway, 0, 0, number(0)+number(code)+words)
		}
	}
	tests := []struct {
		name   string
		answer func(stream uint32) string
		says   string
	}{
		{"an error of the protocol", reset(1), "it broke the request off"},
		{"an error of its own", reset(2), "it broke the request off"},
		{"refused", reset(7), "it has not looked at the request"},
		{"it goes away", away(0, ""), "it has not looked at the request"},
		{"it goes away in anger", away(11, "enough"), "it has not looked at the request"},
	}
	for _, tt := range tests {
		for _, call := range []struct{ method, path, body string }{
			{"POST", "/pay/register.do", "a=b"},
			{"POST", "/pay/register.do?a=b", ""},
			{"POST", "/x", ""},
			{"DELETE", "/x", ""},
			{"GET", "/pay/register.do?a=b", ""},
			{"GET", "/x", ""},
		} {
			t.Run(tt.name+" "+call.method+" "+call.path, func(t *testing.T) {
				t.Parallel()
				up := newRefuser(t, tt.answer)
				transport := proxy.NewTransport()
				transport.SecureWith(up.trusted)
				t.Cleanup(transport.CloseIdleConnections)
				m := recorder(t, transport, &tape{}, func(o *proxy.RecordOptions) {
					o.Upstreams = upstreams(t, up.url)
				})
				res, body := send(t, m, request(t, call.method, call.path, call.body))
				if res.StatusCode != http.StatusBadGateway || !strings.Contains(body, tt.says) {
					t.Errorf("got %d, %s", res.StatusCode, body)
				}
				if got := up.requests.Load(); got != 1 {
					t.Errorf("the sandbox was sent %d requests for 1", got)
				}
			})
		}
	}
}
