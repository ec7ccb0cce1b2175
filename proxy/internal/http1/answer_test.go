package http1_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/paytape/paytape/proxy/internal/http1"
)

// date is what handlers here give as theirs: net/http adds one of its own where there is none.
const date = "Mon, 23 Nov 2026 12:00:00 GMT"

// described sets the header of an answer as a door does.
func described(w http.ResponseWriter, length int) http.Header {
	h := w.Header()
	h["Date"], h["Content-Type"] = []string{date}, []string{"text/html"}
	h["Content-Length"] = []string{strconv.Itoa(length)}
	return h
}

// TestAnswersAreThoseOfNetHTTP gives answers through this package and through net/http alone.
func TestAnswersAreThoseOfNetHTTP(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("<p>a line of a page</p>\n", 1000)
	const get = "GET / HTTP/1.1\r\nHost: deck.test\r\n"
	tests := []struct {
		name, request string
		answer        http.HandlerFunc
	}{
		{"in one piece", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)
			_, _ = io.WriteString(w, "whole")
		}},
		{"in one piece of bytes, with a code", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, len(page))["Set-Cookie"] = []string{"a=1", "b=2"}
			w.WriteHeader(http.StatusPaymentRequired)
			_, _ = w.Write([]byte(page))
		}},
		{"a code that has no words", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 1)
			w.WriteHeader(799)
			_, _ = io.WriteString(w, "a")
		}},
		{"in two pieces", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 10)
			_, _ = io.WriteString(w, "first")
			_, _ = io.WriteString(w, "other")
		}},
		{"larger than is held", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 8*len(page))
			_, _ = io.WriteString(w, strings.Repeat(page, 8))
		}},
		{"flushed", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)
			_, _ = io.WriteString(w, "whole")
			_ = http.NewResponseController(w).Flush()
		}},
		{"flushed before its body", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, "whole")
		}},
		{"nothing", get, func(http.ResponseWriter, *http.Request) {}},
		{"no body", get, func(w http.ResponseWriter, _ *http.Request) { described(w, 0) }},
		{"no body, written", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 0)
			_, _ = w.Write(nil)
		}},
		{"to a HEAD", "HEAD / HTTP/1.1\r\nHost: deck.test\r\n",
			func(w http.ResponseWriter, _ *http.Request) {
				described(w, 5)
				_, _ = io.WriteString(w, "whole")
			}},
		{"204", get, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Date"] = []string{date}
			w.WriteHeader(http.StatusNoContent)
		}},
		{"304", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)
			w.WriteHeader(http.StatusNotModified)
		}},
		{"behind early hints", get, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Link"] = []string{"</a>"}
			w.WriteHeader(http.StatusEarlyHints)
			described(w, 5)
			_, _ = io.WriteString(w, "whole")
		}},
		{"early hints that are late", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)
			w.WriteHeader(http.StatusOK)
			w.WriteHeader(http.StatusEarlyHints)
			_, _ = io.WriteString(w, "whole")
		}},
		{"a second code", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)
			w.WriteHeader(http.StatusAccepted)
			w.WriteHeader(http.StatusOK)
			_, _ = io.WriteString(w, "whole")
		}},
		{"the handler closes", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)["Connection"] = []string{"close"}
			_, _ = io.WriteString(w, "whole")
		}},
		{"the client closes", get + "Connection: close\r\n",
			func(w http.ResponseWriter, _ *http.Request) {
				described(w, 5)
				_, _ = io.WriteString(w, "whole")
			}},
		{"HTTP/1.0", "GET / HTTP/1.0\r\n", func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)
			_, _ = io.WriteString(w, "whole")
		}},
		{"HTTP/1.0 that stays", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n",
			func(w http.ResponseWriter, _ *http.Request) {
				described(w, 5)
				_, _ = io.WriteString(w, "whole")
			}},
		{"a body that nobody reads", "POST / HTTP/1.1\r\nHost: deck.test\r\nContent-Length: 300000\r\n",
			func(w http.ResponseWriter, _ *http.Request) {
				described(w, 5)
				_, _ = io.WriteString(w, "whole")
			}},
		{"trailers", get, func(w http.ResponseWriter, _ *http.Request) {
			h := described(w, 5)
			delete(h, "Content-Length")
			h["Trailer"] = []string{"X-Sum"}
			_, _ = io.WriteString(w, "whole")
			h["X-Sum"] = []string{"7"}
		}},
		{"without a length", get, func(w http.ResponseWriter, _ *http.Request) {
			delete(described(w, 5), "Content-Length")
			_, _ = io.WriteString(w, page)
		}},
		{"shorter than it says", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 6)
			_, _ = io.WriteString(w, "whole")
		}},
		{"longer than it says", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 4)
			_, _ = io.WriteString(w, "whole")
		}},
		{"a piece too many", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)
			_, _ = io.WriteString(w, "whole")
			_, _ = io.WriteString(w, "and more")
		}},
		{"the same piece again", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)
			_, _ = io.WriteString(w, "whole")
			_, _ = io.WriteString(w, "again")
		}},
		{"trailers beside a length", get, func(w http.ResponseWriter, _ *http.Request) {
			h := described(w, 5)
			h["Trailer"] = []string{"X-Sum"}
			_, _ = io.WriteString(w, "whole")
			h["X-Sum"] = []string{"7"}
		}},
		{"another protocol that is offered", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)["Upgrade"] = []string{"h2c"}
			_, _ = io.WriteString(w, "whole")
		}},
		{"a length beside a coding", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)["Transfer-Encoding"] = []string{"chunked"}
			_, _ = io.WriteString(w, "whole")
		}},
		{"no date", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)["Date"] = nil
			_, _ = io.WriteString(w, "whole")
		}},
		{"a date of the server's", get, func(w http.ResponseWriter, _ *http.Request) {
			delete(described(w, 5), "Date")
			_, _ = io.WriteString(w, "whole")
		}},
		{"two lengths", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)["Content-Length"] = []string{"5", "5"}
			_, _ = io.WriteString(w, "whole")
		}},
		{"a type that is guessed", get, func(w http.ResponseWriter, _ *http.Request) {
			delete(described(w, 5), "Content-Type")
			_, _ = io.WriteString(w, "whole")
		}},
		{"no type", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)["Content-Type"] = nil
			_, _ = io.WriteString(w, "whole")
		}},
		{"a header that would split the answer", get, func(w http.ResponseWriter, _ *http.Request) {
			h := described(w, 5)
			h["X-A"] = []string{" \ta\r\nX-B: b\r\n\r\n", "\n", ""}
			h["X C"], h["X-D\r\nX-E"], h[""] = []string{"c"}, []string{"d"}, []string{"f"}
			_, _ = io.WriteString(w, "whole")
		}},
		{"a header that would split the answer, and nothing else", get,
			func(w http.ResponseWriter, _ *http.Request) {
				described(w, 5)["X-A"] = []string{" \ta\r\nX-B: b\r\n\r\n", "\n", ""}
				_, _ = io.WriteString(w, "whole")
			}},
		{"a header that is changed behind it", get, func(w http.ResponseWriter, _ *http.Request) {
			h := described(w, 5)
			_, _ = io.WriteString(w, "whole")
			h["X-A"], h["Content-Type"] = []string{"late"}, []string{"image/png"}
		}},
		{"many fields", get, func(w http.ResponseWriter, _ *http.Request) {
			h := described(w, 5)
			for i := range 100 {
				h[fmt.Sprint("X-", i)] = []string{"a"}
			}
			_, _ = io.WriteString(w, "whole")
		}},
		{"a connection that is taken over", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)
			_, _ = io.WriteString(w, "whole")
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				conn.Close()
			}
		}},
		{"a handler that breaks off", get, func(w http.ResponseWriter, _ *http.Request) {
			described(w, 5)
			_, _ = io.WriteString(w, "whole")
			panic(http.ErrAbortHandler)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				strict, _ := served(t, tt.answer)
				want, got := said(bare(t, tt.answer), tt.request), said(strict, tt.request)
				if got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		})
	}
}

// bare serves a connection with net/http alone until the test ends, and returns the client's end.
func bare(t *testing.T, h http.HandlerFunc) net.Conn {
	client, server := net.Pipe()
	ln := oneConn{make(chan net.Conn, 1), make(chan struct{})}
	ln.conn <- server
	srv := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(ln)
	}()
	t.Cleanup(func() {
		client.Close()
		srv.Close()
		<-done
	})
	return client
}

// said asks twice for the same, and returns what came in words that can be compared.
func said(client net.Conn, request string) string {
	var b strings.Builder
	in := bufio.NewReader(client)
	method, _, _ := strings.Cut(request, " ")
	for range 2 {
		go func() { _, _ = io.WriteString(client, request+"\r\n") }()
		for code := 0; code < http.StatusOK; {
			res, err := http.ReadResponse(in, &http.Request{Method: method})
			if err != nil {
				fmt.Fprintln(&b, "nothing came:", err)
				return b.String()
			}
			if len(res.Header["Date"]) == 1 && res.Header["Date"][0] != date {
				res.Header["Date"] = []string{"of the server's own"}
			}
			code = res.StatusCode
			body, err := io.ReadAll(res.Body)
			fmt.Fprintln(&b, res.Proto, res.Status, res.Header, res.ContentLength, res.Close)
			fmt.Fprintln(&b, len(body), string(body[:min(len(body), 100)]), err, res.Trailer)
		}
	}
	return b.String()
}

// TestWholeAnswerIsOneWrite counts the writes of answers of several sizes, in text and in bytes.
func TestWholeAnswerIsOneWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, size := range []int{1, 1000, 5000, 20_000, 60_000} {
			text := strings.Repeat("a", size)
			client, server := served(t, func(w http.ResponseWriter, req *http.Request) {
				described(w, size)
				if req.URL.Path == "/text" {
					_, _ = io.WriteString(w, text)
					return
				}
				_, _ = w.Write([]byte(text))
			})
			in := bufio.NewReader(client)
			for i, path := range []string{"/text", "/bytes"} {
				go func() { _, _ = fmt.Fprintf(client, "GET %s HTTP/1.1\r\nHost: deck.test\r\n\r\n", path) }()
				res, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatal(err)
				}
				if body, err := io.ReadAll(res.Body); string(body) != text || err != nil {
					t.Errorf("an answer of %d bytes came as %d, %v", size, len(body), err)
				}
				if got := server.writes.Load(); got != int64(i+1) {
					t.Errorf("answer %d of %d bytes took %d writes", i+1, size, got-int64(i))
				}
			}
		}
	})
}

// TestReasonPhraseOfAWholeAnswer has an answer in one piece keep the words of its status.
func TestReasonPhraseOfAWholeAnswer(t *testing.T) {
	t.Parallel()
	for _, phrase := range []string{"", "Fine", strings.Repeat("long ", 100)} {
		synctest.Test(t, func(t *testing.T) {
			client, _ := served(t, func(w http.ResponseWriter, req *http.Request) {
				http1.SetStatus(req, &http.Response{StatusCode: 201, Status: "201 " + phrase})
				described(w, 5)
				w.WriteHeader(http.StatusCreated)
				_, _ = io.WriteString(w, "whole")
			})
			go func() {
				_, _ = io.WriteString(client, "GET / HTTP/1.1\r\nHost: deck.test\r\nConnection: close\r\n\r\n")
			}()
			got, err := io.ReadAll(client)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(got, []byte("HTTP/1.1 201 "+phrase+"\r\nConnection: close\r\n")) ||
				!bytes.HasSuffix(got, []byte("\r\n\r\nwhole")) {
				t.Errorf("got %q", got)
			}
		})
	}
}
