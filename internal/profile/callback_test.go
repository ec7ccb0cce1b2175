package profile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

const calling = `profile: shop
paths: [/shop/]
operations:
  pay: {methods: [POST], path: /shop/pay, carrier: json, writes: true}
  status: {methods: [GET], path: /shop/status, carrier: query}
callbacks:
  address: [notifyUrl, hook]
  event: type
  causes: {paid: [pay]}
  accepted: 202
  attempts: 4
  pause: 10s
  sign:
    algorithm: hmac-sha256
    key: base64
    over: ${header.webhook-id}.${timestamp}.${body}
    encoding: base64
    header: webhook-signature
    text: v1,${signature}
    timestamp: webhook-timestamp
  request: {id: minted payment, card: "client shared card, pan"}
  requestHeaders: {Webhook-Id: ignored}
`

func TestCallbacks(t *testing.T) {
	t.Parallel()
	p, err := profile.Parse("shop.yaml", []byte(calling))
	if err != nil {
		t.Fatal(err)
	}
	c := p.Callbacks
	if diff := cmp.Diff([]string{"notifyUrl", "hook"}, c.Address); diff != "" {
		t.Errorf("address (-want +got):\n%s", diff)
	}
	if c.Event != "type" || c.Attempts != 4 || c.Accepted != 202 || c.Pause != 10*time.Second {
		t.Errorf("event %q, %d attempts, pause %v", c.Event, c.Attempts, c.Pause)
	}
	want := &profile.Signature{
		Algorithm: profile.HMACSHA256, Key: profile.KeyBase64,
		Over: "${header.webhook-id}.${timestamp}.${body}", Encoding: profile.SignatureBase64,
		Header: "webhook-signature", Text: "v1,${signature}", Timestamp: "webhook-timestamp",
	}
	if diff := cmp.Diff(want, c.Sign); diff != "" {
		t.Errorf("sign (-want +got):\n%s", diff)
	}
	for _, test := range []struct {
		event, operation string
		want             bool
	}{{"paid", "pay", true}, {"paid", "refund", false}, {"refunded", "refund", true}} {
		if got := c.MayFollow(test.event, test.operation); got != test.want {
			t.Errorf("%q after %q: %v", test.event, test.operation, got)
		}
	}
}

// TestFindCallback looks a field of a callback up, whose rows stand among those that take
// something out.
func TestFindCallback(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	p, err := profile.Parse("shop.yaml", []byte(calling))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(p); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		api, key string
		want     profile.Field
	}{
		{"shop", "id", profile.Field{From: profile.Minted, Of: "payment"}},
		{"shop", "card", profile.Field{
			From: profile.Shared, Of: "card", Secret: profile.PAN, Rule: "shop/callback/request/card",
		}},
		{"gateway", "mdOrder", profile.Field{From: profile.Minted, Of: "order"}},
		{"gateway", "checksum", profile.Field{
			From: profile.Ignored, Secret: profile.Token, Rule: "gateway/callback/request/checksum",
		}},
	} {
		c := s.FindCallback(test.api)
		got, known := s.Field(c, profile.Request, profile.At{Key: test.key, Shape: test.key})
		if diff := cmp.Diff(test.want, got); !known || diff != "" {
			t.Errorf("%s, %s: known %v (-want +got):\n%s", test.api, test.key, known, diff)
		}
	}
	for _, api := range []string{"cardv1", "nobody"} {
		if c := s.FindCallback(api); c.Operation != nil {
			t.Errorf("%s has callbacks", api)
		}
	}
	if c := s.Find("POST", "/shop/callback"); c.Operation != nil {
		t.Errorf("a path leads to %q", c.Operation.Name)
	}
}

func TestCallbackErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ old, new, want string }{
		{"causes: {paid: [pay]}", "causes: {paid: [status]}",
			`shop.yaml:9: callbacks: causes: paid: expected the name of an operation that writes, found "status"`},
		{"accepted: 202", "accepted: 404",
			`shop.yaml:10: callbacks: accepted: expected a status from 200 to 299, found "404"`},
		{"attempts: 4", "attempts: 0", `shop.yaml:11: callbacks: attempts: expected a number from 1 to 100, found "0"`},
		{"pause: 10s", "pause: 10", `shop.yaml:12: callbacks: pause: expected a duration such as 30s, found "10"`},
		{"algorithm: hmac-sha256", "algorithm: md5",
			`shop.yaml:14: callbacks: sign: algorithm: expected hmac-sha256, hmac-sha512, rsa-sha256, rsa-sha512, found "md5"`},
		{".${body}", ".${bodies}",
			`shop.yaml:16: callbacks: sign: over: expected a text with ${parameters}, ${body}, ${timestamp}, ${header.} alone, found "${header.webhook-id}.${timestamp}.${bodies}"`},
		{"    header: webhook-signature\n", "",
			`shop.yaml:14: callbacks: sign: expected either the key "field" or the key "header", found a mapping`},
		{".${body}", ".${parameters}",
			`shop.yaml:14: callbacks: sign: expected the key "parameter" together with ${parameters}, found a mapping`},
		{"text: v1,${signature}", "text: v1",
			`shop.yaml:14: callbacks: sign: expected a text with ${signature}, found a mapping`},
	} {
		text := strings.Replace(calling, test.old, test.new, 1)
		if text == calling {
			t.Fatalf("%q is not in the profile", test.old)
		}
		_, err := profile.Parse("shop.yaml", []byte(text))
		if err == nil || withoutColumn(err) != test.want {
			t.Errorf("%s:\ngot  %v\nwant %s", test.new, err, test.want)
		}
	}
}
