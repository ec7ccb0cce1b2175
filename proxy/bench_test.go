package proxy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// post sends small POSTs over kept connections, as fast as the machine allows.
func post(b *testing.B, to string) {
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			res, err := client.Post(to, "application/x-www-form-urlencoded",
				strings.NewReader("orderNumber=1&amount=100&returnUrl=https%3A%2F%2Fshop.test%2F"))
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	})
}

var small = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
	_, _ = io.Copy(io.Discard, req.Body)
	_, _ = io.WriteString(w, `{"orderId":"1","formUrl":"https://elsewhere.test/form"}`)
})

// BenchmarkBare is the measure for BenchmarkRecord: a ReverseProxy that does nothing more.
func BenchmarkBare(b *testing.B) {
	up := httptest.NewServer(small)
	defer up.Close()
	to, err := url.Parse(up.URL)
	if err != nil {
		b.Fatal(err)
	}
	srv := httptest.NewServer(&httputil.ReverseProxy{
		Transport: proxy.NewTransport(), FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
	})
	defer srv.Close()
	post(b, srv.URL+"/pay/register.do")
}

// BenchmarkRecord records on a tape in memory, without cleaning.
func BenchmarkRecord(b *testing.B) {
	post(b, newDeck(b, small).url+"/pay/register.do")
}

// BenchmarkReplay is the mode and its door; finding the answer is measured in package match.
func BenchmarkReplay(b *testing.B) {
	m := replayer(b, found{&match.Answer{
		Code: 200, Header: http.Header{"Content-Type": {"application/json"}},
		Body: `{"orderId":"1","formUrl":"https://elsewhere.test/form"}`,
	}})
	srv := httptest.NewServer(proxy.NewDoor(m, nil))
	defer srv.Close()
	post(b, srv.URL+"/pay/register.do")
}

// found is a player that need not search.
type found struct{ answer *match.Answer }

func (f found) Serve(*match.Request) (*match.Answer, *match.Miss) { return f.answer, nil }

// BenchmarkEntrance is what a request costs from its handler or mode to its answer, without
// sockets, and where the answer need not be searched for: mostly how the request is taken apart and
// looked up.
func BenchmarkEntrance(b *testing.B) {
	set, err := profile.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	ups, err := proxy.ParseUpstreams(set, []string{"https://sandbox.test"})
	if err == nil {
		err = ups.AddHosts([]string{"acs=https://acs.test"})
	}
	if err != nil {
		b.Fatal(err)
	}
	known := func(o *proxy.ReplayOptions) { o.Profiles = set }
	player := found{&match.Answer{Code: 200, Header: http.Header{}, Body: "{}"}}
	replay := replayer(b, player, known)
	door := proxy.NewHosts(proxy.NewDoor(replay, nil), ups, nil)
	record := recorder(b, always(200, nil, "{}"), &tape{}, func(o *proxy.RecordOptions) {
		o.Upstreams, o.Tape = ups, noTape{}
	})
	spy, err := proxy.NewSpy(proxy.SpyOptions{Player: found{}, Replay: replay, Record: record})
	if err != nil {
		b.Fatal(err)
	}
	for _, mode := range []struct {
		name string
		http.RoundTripper
	}{{"replay", replay}, {"spy_forwards", spy}} {
		b.Run(mode.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				res, err := mode.RoundTrip(entering(b, "/~one/v2/cards/4711/status"))
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
	b.Run("hosts", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			req := entering(b, "")
			req.RequestURI = "/~one/_host/acs/acs/challenge"
			door.ServeHTTP(httptest.NewRecorder(), req)
		}
	})
}

// entering returns a small request.
func entering(b *testing.B, target string) *http.Request {
	req, err := http.NewRequest("GET", "http://deck.test"+target, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	return req
}

// Spy sends every request on.
func (f found) Spy(*match.Request) (*match.Answer, *match.Miss) { return nil, nil }

// Adopt needs to know of nothing.
func (f found) Adopt(*match.Request, int, leaf.Message) {}

// noTape is a tape that keeps nothing.
type noTape struct{}

func (noTape) Next() int                 { return 1 }
func (noTape) Append(redact.Clean) error { return nil }
