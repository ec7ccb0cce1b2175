package http1_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/paytape/paytape/proxy/internal/http1"
)

// TestWhenAnswered has clients that do not read at once: until they do, the answer is not sent.
func TestWhenAnswered(t *testing.T) {
	t.Parallel()
	whole := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "4")
		_, _ = io.WriteString(w, "body")
	}
	plain := func(w http.ResponseWriter) { // net/http has nothing to add
		described(w, 4)
		_, _ = io.WriteString(w, "body")
	}
	for name, test := range map[string]struct {
		answer func(w http.ResponseWriter)
		field  string // of the request
		asks   int64  // how often
		leaves bool   // the client closes its connection in place of reading
	}{
		"a whole answer":         {whole, "", 3, false},
		"the last of its client": {whole, "Connection: close\r\n", 1, false},
		"in chunks": {func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, "body")
			_ = http.NewResponseController(w).Flush()
		}, "", 3, false},
		"a large one":              {func(w http.ResponseWriter) { _, _ = io.WriteString(w, strings.Repeat("x", 1<<16)) }, "", 3, false},
		"an empty one":             {func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }, "", 3, false},
		"nobody reads":             {whole, "", 1, true},
		"a plain one":              {plain, "", 3, false},
		"nobody reads a plain one": {plain, "", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var told, sent atomic.Int64
				s := serving(t, func(w http.ResponseWriter, req *http.Request) {
					defer http1.ConnOf(req).WhenAnswered(func(ok bool) {
						told.Add(1)
						if ok {
							sent.Add(1)
						}
					})
					test.answer(w)
				})
				for n := range test.asks {
					s.write(t, "GET / HTTP/1.1\r\nHost: a\r\n"+test.field+"\r\n")
					synctest.Wait()
					if got := told.Load(); got != n {
						t.Fatalf("%d answers have come to their end, and %d were read", got, n)
					}
					if test.leaves {
						_ = s.client.Close()
					} else {
						s.read(t)
					}
					synctest.Wait()
					if got := told.Load(); got != n+1 {
						t.Fatalf("%d answers have come to their end, and %d were read", got, n+1)
					}
				}
				want := test.asks
				if test.leaves {
					want = 0
				}
				if got := sent.Load(); got != want {
					t.Errorf("%d answers are sent, want %d", got, want)
				}
			})
		})
	}
}

// write sends bytes.
func (s *server) write(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(s.client, text); err != nil {
		t.Fatal(err)
	}
}

// read reads an answer.
func (s *server) read(t *testing.T) {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(s.client), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
}
