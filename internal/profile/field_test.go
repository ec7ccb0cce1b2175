package profile_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

// A Field stands in each parameter on tape, of which a tape of 100,000 exchanges has a million.
func TestAFieldIsSmall(t *testing.T) {
	const most = 48
	if size := reflect.TypeFor[profile.Field]().Size(); size > most {
		t.Errorf("a field takes %d bytes, more than %d", size, most)
	}
}

// Each word of a row is read as a value whose word it is.
func TestWordsOfAField(t *testing.T) {
	for _, row := range []struct {
		name, row string
		want      profile.Field
	}{
		{"a card number", "client shared card, pan",
			profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}},
		{"an IP address, the last sensitivity", "ignored, ip",
			profile.Field{From: profile.Ignored, Secret: profile.IP}},
		{"a date of the first form", "date iso, born",
			profile.Field{From: profile.Date, Form: profile.ISO, Tells: profile.Born}},
		{"a date of the last form", "date java, done",
			profile.Field{From: profile.Date, Form: profile.Java, Tells: profile.Done}},
		{"a rendering", "scheme of card",
			profile.Field{From: profile.Rendering, Form: profile.Scheme, Of: "card"}},
		{"the last shape", "client shared, as day, max 10",
			profile.Field{From: profile.Shared, As: profile.DayShape, Max: 10}},
		{"a bound that no text reaches", "client shared, max 99999999999",
			profile.Field{From: profile.Shared, Max: 1<<31 - 1}},
	} {
		got, err := profile.ParseRow(row.row)
		if err != nil || got != row.want {
			t.Errorf("%s: %q is %+v (%v)", row.name, row.row, got, err)
		}
	}
	for _, row := range []string{
		"date mask", "date", "exact, ", "exact, exact", "client shared, as ", "client shared, as iso",
		"date iso, born, done",
	} {
		if f, err := profile.ParseRow(row); err == nil {
			t.Errorf("%q is %+v", row, f)
		}
	}
}

// Headers of a request are looked at where a row says more of one than that it is ignored.
func TestComparesHeaders(t *testing.T) {
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, method, path string
		want               bool
	}{
		{"an API that has no row", "POST", "/payment/rest/register.do", false},
		{"an API that knows its key by a header", "POST", "/v2/cards", true},
		{"an API that no profile knows", "POST", "/things", false},
	} {
		if got := set.ComparesHeaders(set.Find(row.method, row.path)); got != row.want {
			t.Errorf("%s: %v", row.name, got)
		}
	}
	call := set.Find("POST", "/payment/rest/register.do")
	exact, err := profile.ParseRow("exact")
	if err != nil {
		t.Fatal(err)
	}
	set.Override([]profile.Override{{
		Operation: call.Operation, Dir: profile.Request, Header: true, Key: "X-Shop", Field: exact,
	}})
	if !set.ComparesHeaders(call) {
		t.Error("a row on top of the profile's is not counted")
	}
}

// No header is turned away that has a row which is not ignored, however it is spelled, and most others
// are.
func TestMayCompareTurnsNoComparedHeaderAway(t *testing.T) {
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	sent := []string{
		"Authorization", "authorization", "X-API-KEY", "X-Api-Key", "Token", "X-Token", "Accept",
		"Accept-Encoding", "Content-Length", "Content-Type", "Cookie", "Host", "Traceparent",
		"User-Agent", "X-Forwarded-For", "X-Request-Id",
	}
	compared, turnedAway := 0, 0
	for _, p := range set.Profiles() {
		for _, o := range p.Operations {
			call := profile.Call{Profile: p, Operation: o}
			for _, name := range sent {
				f, known := set.HeaderField(call, profile.Request, name)
				is, may := known && f.From != profile.Ignored, set.MayCompare(call, name)
				switch {
				case is && !may:
					t.Errorf("%s %s: the header %s is turned away", p.Name, o.Name, name)
				case is:
					compared++
				case !may:
					turnedAway++
				}
			}
		}
	}
	if compared == 0 || turnedAway < 10*compared {
		t.Errorf("%d headers are compared and %d turned away, which tells little", compared, turnedAway)
	}
}

// What an operation that no row knows calls its state is no part of an address: "paid" is no place.
func TestStateIsOfAnAddress(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	for path, want := range map[string]profile.Sensitivity{
		"billingAddress.state": profile.Address, "state": profile.NotSecret, "order.state": profile.NotSecret,
	} {
		for _, at := range []string{"/v2/cardholders", "/v2/cardholders/1/orders"} {
			f, _ := set.Field(set.Find("POST", at), profile.Response, profile.At{Key: path[strings.LastIndexByte(path, '.')+1:], Shape: path})
			if f.Secret != want {
				t.Errorf("%s of %s is %v, want %v", path, at, f.Secret, want)
			}
		}
	}
}

// A client shows who it is by the secrets that are the same in all its calls.
func TestCredential(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]bool{
		"client shared credential, token": true,
		"client shared, token":            true,
		"client shared, token, decides":   false, // the payer's password: for one payment
		"ignored, token, decides":         false, // a card that is packed into a token
		"ignored, token":                  false, // another in each call
		"client shared, name":             false, // no secret of the client
	} {
		f, err := profile.ParseRow(row)
		if err != nil {
			t.Fatal(err)
		}
		if f.Credential() != want {
			t.Errorf("%s: a credential %v, want %v", row, f.Credential(), want)
		}
	}
}
