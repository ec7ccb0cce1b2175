package proxy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
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
