package sandbox_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// told is a callback as a shop receives it.
type told struct {
	method, path, kind string     // kind is the Content-Type
	values             url.Values // of the query and the form
	body               string
}

func (d told) get(name string) string { return d.values.Get(name) }

// listener is the server of a shop that is called back.
type listener struct {
	t   testing.TB
	url string
	got chan told
}

func newListener(t testing.TB) *listener {
	t.Helper()
	s := &listener{t: t, got: make(chan told, 1000)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL + "/callback"
	return s
}

func (s *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("reading a callback: %v", err)
	}
	values := r.URL.Query()
	form, err := url.ParseQuery(string(body))
	if err != nil {
		s.t.Errorf("a callback holds no form")
	}
	for name, list := range form {
		values[name] = append(values[name], list...)
	}
	s.got <- told{r.Method, r.URL.Path, r.Header.Get("Content-Type"), values, string(body)}
}

// next waits for the next callback.
func (s *listener) next() told {
	s.t.Helper()
	select {
	case d := <-s.got:
		return d
	case <-time.After(5 * time.Minute): // what hangs is a failure; nothing else takes so long
		s.t.Fatal("no callback came")
		return told{}
	}
}

// wants waits for callbacks of these operations, in this order.
func (s *listener) wants(operations ...string) {
	s.t.Helper()
	for _, operation := range operations {
		if got := s.next().get("operation"); got != operation {
			s.t.Errorf("told of %q, want %q", got, operation)
		}
	}
}

// proof is the checksum as a shop computes it (domain facts, Callbacks).
func (d told) proof(key string) string {
	var names []string
	for name := range d.values {
		if name != "checksum" && name != "sign_alias" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	mac := hmac.New(sha256.New, []byte(key))
	for _, name := range names {
		mac.Write([]byte(name + ";" + d.get(name) + ";"))
	}
	return strings.ToUpper(hex.EncodeToString(mac.Sum(nil)))
}
