package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

func newTestSealer(t testing.TB, b byte) *sealer {
	t.Helper()
	s, err := newSealer(bytes.Repeat([]byte{b}, LeastKey))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSealed wants what was sealed back, by the same key and for the same purpose alone.
func TestSealed(t *testing.T) {
	t.Parallel()
	s, other := newTestSealer(t, 1), newTestSealer(t, 2)
	said := entry{N: 3, At: time.Unix(5, 0).UTC(), Request: &requestFields{
		ID: "one", Method: "POST", Header: http.Header{"A": {"b"}}, Body: []byte("secret\x00\xff"),
	}}
	sealed, err := s.close("log", said)
	if err != nil || bytes.Contains(sealed, []byte("POST")) {
		t.Fatalf("%q %v", sealed, err)
	}
	var got entry
	if err := s.open("log", sealed, &got); err != nil || !reflect.DeepEqual(got, said) {
		t.Errorf("%v %v", got, err)
	}
	if again, _ := s.close("log", said); bytes.Equal(again, sealed) {
		t.Error("the same is sealed the same")
	}
	for name, err := range map[string]error{
		"another purpose": s.open("ask", sealed, &got), "another key": other.open("log", sealed, &got),
		"cut": s.open("log", sealed[:len(sealed)-1], &got), "nothing": s.open("log", nil, &got),
	} {
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.id == other.id || s.token("a") == other.token("a") || s.token("a") == s.token("b") {
		t.Error("two keys, or two names, look the same")
	}
	if _, err := newSealer([]byte("short")); err == nil {
		t.Error("a short key is good enough")
	}
}

// FuzzOpen opens what may be anything.
func FuzzOpen(f *testing.F) {
	s := newTestSealer(f, 1)
	sealed, err := s.close("log", []entry{{N: 1, Opened: "deck.a"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed, []byte(`[{"N":1}]`))
	f.Add([]byte{}, []byte(`{"Answer":{"Pieces":[{"Data":"AA=="}]}}`))
	f.Fuzz(func(t *testing.T, data, text []byte) {
		var entries []entry
		if s.open("log", data, &entries) == nil && (len(entries) != 1 || entries[0].Opened != "deck.a") {
			t.Error("what nobody has sealed is opened")
		}
		// A deck of another version, with the key, may have sealed any text.
		var said reply
		if s.open("x", s.aead.Seal(nil, nil, text, []byte("x")), &said) == nil && said.Answer != nil {
			w := httptest.NewRecorder()
			said.Answer.Wait, said.Answer.Pieces = 0, nil
			if said.Answer.Code >= 100 && said.Answer.Code < 1000 && said.Answer.End == EndWhole {
				(&Answer{answerFields: *said.Answer}).play(w, httptest.NewRequest("GET", "/", nil))
			}
		}
		decodeClaim(text)
	})
}

// TestUnprinted keeps what clients say out of whatever prints.
func TestUnprinted(t *testing.T) {
	t.Parallel()
	r := &Request{requestFields: requestFields{Target: "/secret", Body: []byte("secret")}}
	a := &Answer{answerFields: answerFields{Code: 200, Pieces: []Piece{{Data: []byte("secret")}}}}
	for _, v := range []any{r, a, *r, *a} {
		text, _ := json.Marshal(v)
		if said := fmt.Sprintf("%v %+v %#v %s", v, v, v, text); strings.Contains(said, "secret\"") ||
			strings.Contains(said, "/secret") || strings.Contains(said, "115 101") {
			t.Errorf("printed: %s", said)
		}
	}
}

// TestRecordedAndPlayed records what handlers answer, and plays it to a real client: it is what the
// handler would have told the client.
func TestRecordedAndPlayed(t *testing.T) {
	t.Parallel()
	handlers := map[string]http.HandlerFunc{
		"nothing": func(http.ResponseWriter, *http.Request) {},
		"a body":  func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) },
		"no type": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"], w.Header()["Date"] = nil, nil
			w.Header().Set("Content-Length", "2")
			w.WriteHeader(201)
			_, _ = w.Write([]byte("{}"))
		},
		"trailers": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			w.WriteHeader(200)
			_, _ = w.Write([]byte("hello"))
			w.Header().Set("X-Sum", "5")
		},
		"values": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Set-Cookie"] = []string{"a=1", "b=2"}
			w.Header()["x-odd"] = []string{""}
			w.WriteHeader(404)
		},
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write([]byte("hello"))
			_ = http.NewResponseController(w).Flush() // as a door does with what it has
			panic(http.ErrAbortHandler)
		},
		"no answer": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	for name, h := range handlers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := ask(t, h)
			played := ask(t, func(w http.ResponseWriter, req *http.Request) {
				a := Record(h, req, func() time.Duration { return 0 })
				sealed, err := newTestSealer(t, 1).close("x", reply{Answer: &a.answerFields})
				var said reply
				if err != nil || newTestSealer(t, 1).open("x", sealed, &said) != nil {
					t.Error("it cannot be sealed")
				}
				(&Answer{answerFields: *said.Answer}).play(w, req)
			})
			if direct != played {
				t.Errorf("played:\n%s\ndirectly:\n%s", played, direct)
			}
		})
	}
}

// ask returns what a client gets of a handler, as a text.
func ask(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	res, err := server.Client().Get(server.URL)
	if err != nil {
		return "no answer"
	}
	defer res.Body.Close()
	var body bytes.Buffer
	_, err = body.ReadFrom(res.Body)
	res.Header.Del("Date")
	return fmt.Sprint(res.Status, res.Header, res.ContentLength, body.String(), res.Trailer, err)
}

// TestPiecesTakeTheirTime plays an answer whose pieces come late.
func TestPiecesTakeTheirTime(t *testing.T) {
	t.Parallel()
	a := &Answer{answerFields: answerFields{
		Code: 200, Header: http.Header{}, Wait: 5 * time.Millisecond,
		Pieces: []Piece{{5 * time.Millisecond, []byte("a")}, {20 * time.Millisecond, []byte("b")}},
	}}
	begun := time.Now()
	w := httptest.NewRecorder()
	if !a.play(w, httptest.NewRequest("GET", "/", nil)) || w.Body.String() != "ab" {
		t.Errorf("got %q", w.Body.String())
	}
	if took := time.Since(begun); took < 20*time.Millisecond {
		t.Errorf("it took %s", took)
	}
}

// TestFinished remembers the last requests and forgets those long ago.
func TestFinished(t *testing.T) {
	t.Parallel()
	var f finished
	if f.has("0") {
		t.Error("nothing is there")
	}
	for i := range 3 * mostFinished {
		f.add(fmt.Sprint(i))
	}
	if !f.has(fmt.Sprint(3*mostFinished-1)) || !f.has(fmt.Sprint(2*mostFinished+1)) || f.has("0") {
		t.Error("the last are not there, or the first are")
	}
}

// TestDiffer wants to be told in what decks differ.
func TestDiffer(t *testing.T) {
	t.Parallel()
	ours := []Fact{{"the tapes", "1"}, {"the rules", "2"}}
	if err := differ(ours, []Fact{{"the rules", "2"}, {"the tapes", "1"}}); err != nil {
		t.Error(err)
	}
	err := differ(ours, []Fact{{"the tapes", "3"}})
	if err == nil || !strings.Contains(err.Error(), "the tapes, the rules") {
		t.Error(err)
	}
}

// TestServers reads addresses of NATS.
func TestServers(t *testing.T) {
	t.Parallel()
	for servers, good := range map[string]bool{
		"nats://a": true, "nats://a:4222,tls://b": true, "nats://user:word@a": true, "": false,
		"a:4222": false, "http://a": false, "nats://a,": false, "nats://a/x": false,
	} {
		err := CheckServers(servers)
		if (err == nil) != good || err != nil && strings.Contains(err.Error(), "word") {
			t.Errorf("%q: %v", servers, err)
		}
	}
}
