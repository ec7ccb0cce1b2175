package match_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// FuzzOutsideHoles replays any body with the tape's ids at the tape's time: not a byte changes,
// whatever was taken for a value in it. A later request carries what the first answer brings.
func FuzzOutsideHoles(f *testing.F) {
	for _, body := range []string{
		`{ "orderId" :"` + oldID + `" , "a":1.00,"a":1e3,"formUrl":"https:\/\/sandbox.example\/p?mdOrder=` + oldID + `"}`,
		`{"b":"\u0430\ud800","n":9007199254740993123,"id":"` + oldID + `","m":"411111**1111"}` +
			"\r\n\t ",
		"{\"x\":\"\xff\xfe\",\"id\":\"" + oldID + "\"}", "orderId=" + oldID + "&a=%zz&&b=%7e+&a=1",
		"<r id='" + oldID + "'>\n<a/>&#49;<![CDATA[ " + oldID + "]]></r>",
		`{"redirect":"https://a.example/?creq=` + challenge(tdsID, acsID) + `","date":1774953000000}`,
		`{"d":"2026-03-31T10:30:00.1+03:00","expiryDate":"203012","creationDate":"2026-03-31T10:30:00"}`,
		`{"paReq":"eNqzSbSzSbKrsNFPAlIAFhEDrg==","p":"H4sIAAAAAAAAA6tWSlSyUqpQqgUAlwKMfwkAAAA="}`,
		"data: {\"id\":\"" + oldID + "\"}\n\n: x\n",
	} {
		for _, target := range []string{"/acme/things", "/payment/rest/register.do", "/v2/cards"} {
			f.Add(target, body)
		}
	}
	set := profiles(f)
	f.Fuzz(func(t *testing.T, target, body string) {
		if _, err := http.NewRequest("POST", target, nil); err != nil || target == "" || target[0] != '/' {
			t.Skip()
		}
		var xs []*leaf.Exchange
		for i, sent := range []string{"a=1", body} {
			x := tape("POST /x a=1 => ")[0]
			x.URL, x.Request.Body, x.Response.Body = "https://sandbox.example"+target, sent, body
			x.Meta.Number, x.Meta.At = i+1, recorded
			x.Response.Headers = http.Header{"X-Body": {body}, "Location": {"/x?" + body}}
			xs = append(xs, x)
		}
		o := match.Options{Profiles: set, RecordedIDs: true, Now: func() time.Time { return recorded }}
		p := match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))
		for _, x := range xs {
			a, miss := p.Serve(match.NewRequest(set, x.Method, x.Target(), http.Header{}, x.Request.Body))
			if miss != nil {
				continue // a request of many shapes may need another before it
			}
			if a.Body != body || a.Header.Get("X-Body") != body || a.Header.Get("Location") != "/x?"+body {
				t.Fatalf("%q\nwas answered as %q, %q", body, a.Body, a.Header)
			}
		}
	})
}
