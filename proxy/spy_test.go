package proxy_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// spied is a SpyPlayer of one answer, one miss, or neither.
type spied struct {
	player
	adopted []leaf.Message
}

func (s *spied) Spy(r *match.Request) (*match.Answer, *match.Miss) { return s.Serve(r) }

func (s *spied) Adopt(_ *match.Request, _ int, answer leaf.Message) {
	s.adopted = append(s.adopted, answer)
}

// spy makes a Spy over a player, a sandbox and a tape.
func spy(t testing.TB, p proxy.SpyPlayer, s http.RoundTripper, tp *tape) *proxy.Spy {
	t.Helper()
	m, err := proxy.NewSpy(proxy.SpyOptions{
		Player: p, Replay: replayer(t, &player{}, func(o *proxy.ReplayOptions) { o.Limit = 1000 }),
		Record: recorder(t, s, tp),
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// unreached is a sandbox that nobody may ask.
func unreached(t testing.TB) fake {
	return func(*http.Request) (*http.Response, error) {
		t.Error("the sandbox was asked")
		return nil, errors.New("not to be asked")
	}
}

func TestASpyAnswersFromTape(t *testing.T) {
	tp := &tape{}
	taped := &match.Answer{Code: 200, Body: "taped", Cassette: "c", Number: 7, State: "x"}
	p := &spied{player: player{answer: taped}}
	req := request(t, "POST", "/~s/pay/register.do", "a=b")
	res, body := send(t, spy(t, p, unreached(t), tp), req)
	if body != "taped" || res.Header.Get("Paytape-Served") != "c#7; state=x; session=s" {
		t.Errorf("got %q with %v", body, res.Header)
	}
	p.answer, p.miss = nil, &match.Miss{Reason: match.BadState}
	res, _ = send(t, spy(t, p, unreached(t), tp), request(t, "POST", "/pay/register.do", "a=b"))
	if res.StatusCode != 501 || res.Header.Get("Paytape-Miss") != "state" {
		t.Errorf("a miss got %d %v", res.StatusCode, res.Header)
	}
	if len(tp.exchanges()) > 0 || len(p.adopted) > 0 {
		t.Error("what was answered from tape was recorded")
	}
}

func TestASpyAsksAndRecords(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := io.WriteString(z, `{"orderId":"1"}`); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	p, tp := &spied{}, &tape{}
	var sent string
	sandbox := fake(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		sent = string(body)
		return reply(200, http.Header{"Content-Encoding": {"gzip"}}, zipped.String()), err
	})
	m := spy(t, p, sandbox, tp)
	res, err := m.RoundTrip(request(t, "POST", "/pay/register.do", "a=b"))
	if err != nil {
		t.Fatal(err)
	}
	// All but the last byte may go out before the player knows what it brought.
	most := make([]byte, zipped.Len()-1)
	if _, err := io.ReadFull(res.Body, most); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(res.Body); err != nil || len(p.adopted) != 1 {
		t.Fatalf("%d exchanges were adopted, %v", len(p.adopted), err)
	}
	if got := p.adopted[0].Body; got != `{"orderId":"1"}` || sent != "a=b" {
		t.Errorf("adopted %q, sent %q", got, sent)
	}
	if x := tp.only(t); x.Request.Body != "a=b" || x.Response.Body != zipped.String() {
		t.Errorf("on tape is %q", x.Request.Body)
	}
}

func TestASpyAdoptsBeforeTheClientHasTheAnswer(t *testing.T) {
	p := &spied{}
	m := spy(t, p, always(200, nil, "ab"), &tape{})
	res, err := m.RoundTrip(request(t, "GET", "/pay/register.do", ""))
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	for got := ""; got != "ab"; {
		n, err := res.Body.Read(b)
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if got += string(b[:n]); got == "ab" && len(p.adopted) == 0 {
			t.Fatal("the client has the whole answer, and nobody knows what it brought")
		}
	}
}

func TestASpyAdoptsNothingThatFailed(t *testing.T) {
	broken := io.NopCloser(iotest.ErrReader(errors.New("malformed chunk")))
	tests := []struct {
		name    string
		sandbox fake
		request func(*http.Request)
		code    int
	}{
		{"an upstream that is down", func(*http.Request) (*http.Response, error) {
			return nil, errors.New("refused")
		}, nil, 502},
		{"a request that breaks off", func(req *http.Request) (*http.Response, error) {
			_, err := io.ReadAll(req.Body)
			return nil, err
		}, func(r *http.Request) { r.Body = broken }, 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, tp := &spied{}, &tape{}
			req := request(t, "POST", "/pay/register.do", "a=b")
			if tt.request != nil {
				tt.request(req)
			}
			res, _ := send(t, spy(t, p, tt.sandbox, tp), req)
			if res.StatusCode != tt.code || len(p.adopted) > 0 {
				t.Errorf("got %d, adopted %d", res.StatusCode, len(p.adopted))
			}
			if x := tp.only(t); x.Replayable() {
				t.Error("the tape takes it for a good exchange")
			}
		})
	}
}

// A body that is larger than any on tape is passed on whole.
func TestASpyPassesLargeBodiesOn(t *testing.T) {
	large := strings.Repeat("x", 1001)
	p := &spied{player: player{answer: &match.Answer{Code: 200}}}
	tp := &tape{}
	m := spy(t, p, always(200, nil, "ok"), tp)
	send(t, m, request(t, "POST", "/pay/register.do", large))
	if x := tp.only(t); x.Request.Body != large || len(p.asked) > 0 {
		t.Errorf("%d bytes are on tape, the player was asked %d times", len(x.Request.Body), len(p.asked))
	}
}

func TestNewSpyRefusesMissingParts(t *testing.T) {
	rep, rec := replayer(t, &player{}), recorder(t, unreached(t), &tape{})
	for want, o := range map[string]proxy.SpyOptions{
		"spying needs a player":          {Replay: rep, Record: rec},
		"spying needs replay and record": {Player: &spied{}, Replay: rep},
	} {
		if _, err := proxy.NewSpy(o); err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A spy looks a request up before it decides, and hands on what it has found: the record mode does
// not look again, or here it would find nothing.
func TestASpyLooksUpOnce(t *testing.T) {
	t.Parallel()
	blind, err := proxy.ParseUpstreams(&profile.Set{}, []string{"https://sandbox.test"})
	if err != nil {
		t.Fatal(err)
	}
	tp := &tape{}
	m, err := proxy.NewSpy(proxy.SpyOptions{
		Player: &spied{}, Replay: replayer(t, &player{}),
		Record: recorder(t, always(200, nil, "{}"), tp, func(o *proxy.RecordOptions) {
			o.Upstreams = blind
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	send(t, m, request(t, "POST", "/~s/pay/register.do", "a=b"))
	x := tp.only(t)
	if x.Meta.Operation != "register.do" || x.URL != "https://sandbox.test/pay/register.do" {
		t.Errorf("on tape is operation %q at %s", x.Meta.Operation, x.URL)
	}
}
