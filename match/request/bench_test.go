package request_test

import (
	"net/http"
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// live are requests as clients send them: what most of the requests to a deck are like.
var live = []struct{ name, method, target, contentType, body string }{
	{"poll", "POST", "/payment/rest/getOrderStatusExtended.do", "application/x-www-form-urlencoded",
		"userName=shop-api&password=secret&orderId=06cf5599-3f17-7c86-bdbc-bd7d00a8b38b&language=en"},
	{"payment", "POST", "/payment/rest/paymentorder.do", "application/x-www-form-urlencoded",
		"userName=shop-api&password=secret&MDORDER=06cf5599-3f17-7c86-bdbc-bd7d00a8b38b" +
			"&%24PAN=5555555555555599&%24CVC=123&YYYY=2030&MM=12&TEXT=CARD+HOLDER&language=en"},
	{"inquiry", "POST", "/v2/cards/inquiry", "application/json",
		`{"pan":"5555555555555599","expiry":"203012","merchant":{"id":"M-1000","terminal":"T-17",` +
			`"name":"Books"},"requestId":"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b","amount":1500,` +
			`"currency":"933","items":[{"id":1,"price":700},{"id":2,"price":800}]}`},
}

// BenchmarkNewLive reads live requests into canonical form.
func BenchmarkNewLive(b *testing.B) {
	set, err := profile.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	for _, l := range live {
		b.Run(l.name, func(b *testing.B) {
			in := request.Incoming{
				Call:   set.Find(l.method, request.PathOf(l.target)),
				Method: l.method, Target: l.target, Body: l.body,
				Header: http.Header{
					"Content-Type": {l.contentType}, "Accept": {"*/*"}, "Host": {"sandbox.example"},
					"User-Agent": {"shop/1.0"}, "Accept-Encoding": {"gzip"},
				},
			}
			b.ReportAllocs()
			for b.Loop() {
				r, ok := request.NewLive(set, in)
				if !ok {
					b.Fatal("too large")
				}
				r.Release()
			}
		})
	}
}
