package deck_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/proxy/deck"
)

// inquiry is a question about a card, and its answer, which tells a cardId.
func inquiry(n int) (question, answer string) {
	number := fmt.Sprintf("427600%010d", n*7919)
	question = `{"cardIdentification":{"cardNumber":"` + number + `","expDate":"203012"},` +
		`"cardAcceptorParameters":{"terminalIdentification":"TERM0001",` +
		`"merchantIdentification":"MERCH0000000001","merchantType":"5999",` +
		`"nameAndLocation":"Sandbox shop>Main street 1>Vilnius>LT"},"channel":"MOBILE","version":"1.0"}`
	answer = fmt.Sprintf(`{"responseCode":"00","hotCardStatus":%d,"processingCode":"310000",`+
		`"systemTraceAuditNumber":%d,"localTransactionDate":"2026-11-20T13:18:00","rrn":"%012d",`+
		`"cardNumber":"%s","cardId":"%020d","uniqueReferenceNumber":"REF-%010d",`+
		`"cardholder":{"lastName":"Doe","firstName":"Jane","phoneNumber":"37060000000"}}`,
		n%7, 100000+n%900000, 632400000000+n, number, n, n)
	return question, answer
}

// rawPeer is a connection by which messages are written and read with as little as that takes, so
// that what a benchmark measures is the deck between two of them.
type rawPeer struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte
}

func newRawPeer(conn net.Conn) *rawPeer { return &rawPeer{conn: conn, in: bufio.NewReader(conn)} }

// read reads a message that has a Content-Length, and keeps its body.
func (p *rawPeer) read() error {
	length := 0
	for {
		line, err := p.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
		if len(line) == len("\r\n") {
			break
		}
	}
	p.body = append(p.body[:0], make([]byte, length)...)
	_, err := io.ReadFull(p.in, p.body)
	return err
}

// inquiries is a sandbox that has answers to inquiries, by their questions.
func inquiries(b *testing.B) (url string, answers *sync.Map) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ln.Close() })
	answers = new(sync.Map)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				p := newRawPeer(conn)
				for p.read() == nil {
					answer, _ := answers.LoadAndDelete(string(p.body))
					fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"+
						"Date: Fri, 20 Nov 2026 13:18:00 GMT\r\nContent-Length: %d\r\n\r\n%s",
						len(answer.(string)), answer)
				}
			}()
		}
	}()
	return "http://" + ln.Addr().String(), answers
}

// BenchmarkRecord records inquiries, each about another card, from one client: what an exchange
// costs in the deck as a whole.
func BenchmarkRecord(b *testing.B) {
	url, answers := inquiries(b)
	d, err := deck.Start(b.Context(), deck.Options{
		Mode: deck.Record, Cassettes: []string{"tape"}, Dir: b.TempDir(), Sync: "none",
		Upstreams: []string{url},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	host := strings.TrimPrefix(d.URL, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	p, n := newRawPeer(conn), 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		question, answer := inquiry(n)
		answers.Store(question, answer)
		fmt.Fprintf(conn, "POST /v1/apigate/ws/rest/cardStatusInquiry HTTP/1.1\r\nHost: %s\r\n"+
			"User-Agent: Go-http-client/1.1\r\nContent-Length: %d\r\n"+
			"Authorization: Basic c2FuZGJveDpzYW5kYm94LXRva2Vu\r\n"+
			"Content-Type: application/json\r\n\r\n%s", host, len(question), question)
		if err := p.read(); err != nil {
			b.Fatal(err)
		}
		if len(p.body) != len(answer) {
			b.Fatalf("an answer of %d bytes came with %d", len(answer), len(p.body))
		}
	}
}
