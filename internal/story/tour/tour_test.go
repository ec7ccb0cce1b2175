package tour_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/internal/story/tour"
)

type telling func(*story.Teller, context.Context) ([]story.Value, error)

func TestToursHoldAtTheSandbox(t *testing.T) {
	t.Parallel()
	for name, tour := range map[string]telling{
		"v1":      tour.V1,
		"v2":      tour.V2,
		"gateway": tour.Gateway,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(sandbox.New(sandbox.Options{Seed: 1}))
			defer srv.Close()
			for _, teller := range []*story.Teller{
				{Customer: "100001", Payee: "Payee", Today: time.Now(), OrderNumber: "A-1",
					ClientID: "client-1", Card: "400000" + "1111111118"},
				{Customer: "200001", Payee: `O"Hara`, Today: time.Now(), Surname: "Müller & Co",
					Phone: "4930000000", Merchant: `shop \ 7`, OrderNumber: "B&2 ",
					ClientID: "O'Hara & Co", Card: "555555" + "5555555599",
					Shop: "https://other.example/back?run=7"},
			} {
				teller.Base, teller.HTTP = srv.URL, srv.Client()
				seen, err := tour(teller, t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range seen {
					if v.Text == "" {
						t.Errorf("%s is empty", v.Name)
					}
				}
			}
		})
	}
}

// liar is a transport that changes a text in answers.
type liar struct {
	next     http.RoundTripper
	from, to string
}

func (l liar) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	body = bytes.ReplaceAll(body, []byte(l.from), []byte(l.to))
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// A tour is a careful client: a value that is another, of another type, missing or not to be
// there makes it fail, with an error that repeats no value.
func TestToursNoticeWrongAnswers(t *testing.T) {
	t.Parallel()
	v1, v2, gateway := tour.V1, tour.V2, tour.Gateway
	for _, test := range []struct {
		name     string
		tour     telling
		from, to string
		want     string // part of the error
	}{
		{"an echo", v1, `"100001"`, `"100002"`, `registerCustomer: customerNumber "${customer}"`},
		{"a number in a string", v1, `"hotCardStatus":6`, `"hotCardStatus":"6"`,
			"cardStatusInquiry: hotCardStatus 6"},
		{"a value that is not there", v1, `"accountNumber"`, `"number"`,
			`getCustomerInfo: there is no value "account"`},
		{"a value too many", v2, `"status":"active"`, `"status":"active","number":"1"`,
			"POST /cards: number "},
		{"a decline that is approved", v2, `"declined"`, `"approved"`, `status "declined"`},
		{"no JSON", v2, "{", "<", "the answer is not JSON"},
		{"an id in an address", gateway, "?mdOrder=", "?order=", `formUrl?mdOrder "${held}"`},
		{"a text in a number", gateway, `"errorCode":0`, `"errorCode":"0"`,
			"rest/paymentorder.do: errorCode 0"},
		{"an id in a packed message", gateway, `"packedCReq":"ey`, `"packedCReq":"fy`,
			`rest/3ds/continue.do: packedCReq>`},
		{"a form without a field", gateway, `name="password"`, `name="word"`,
			`form.fields.password ""`},
		{"another way back", gateway, `action="../3ds/notification"`,
			`action="https://elsewhere.example/"`, `at "${shop:and}orderId=${c}&lang=en"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(sandbox.New(sandbox.Options{Seed: 1}))
			defer srv.Close()
			client := srv.Client()
			client.Transport = liar{client.Transport, test.from, test.to}
			teller := &story.Teller{
				Base: srv.URL, HTTP: client,
				Customer: "100001", Payee: "Payee", Today: time.Now(), OrderNumber: "100001",
				ClientID: "client-1", Card: "400000" + "1111111118",
			}
			_, err := test.tour(teller, t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got error %v, want one with %q", err, test.want)
			}
			if strings.Contains(err.Error(), "100001") {
				t.Error("the error repeats a value")
			}
		})
	}
}
