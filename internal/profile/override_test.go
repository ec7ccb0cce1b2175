package profile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

func TestOverride(t *testing.T) {
	t.Parallel()
	s, err := profile.Builtin() // of its own: it is changed
	if err != nil {
		t.Fatal(err)
	}
	c := s.Find("POST", "/payment/rest/paymentorder.do")
	row := func(dir profile.Direction, key, text string) profile.Override {
		f, err := profile.ParseRow(text)
		if err != nil {
			t.Fatal(err)
		}
		return profile.Override{Operation: c.Operation, Dir: dir, Key: key, Field: f}
	}
	header := row(profile.Response, "X-Payment", "minted payment")
	header.Header = true
	s.Override([]profile.Override{
		row(profile.Request, "Language", "minted order"), row(profile.Request, "LANGUAGE", "client unique tongue"),
		row(profile.Request, "shopCard", "client shared card, pan"),
		row(profile.Request, "$CVC", "keep"), row(profile.Request, "TEXT", "keep"),
		row(profile.Response, "errorCode", "keep"), header,
	})
	at := func(dir profile.Direction, key string) profile.Field {
		f, _ := s.Meaning(c, dir, profile.At{Key: key, Shape: key})
		return f
	}
	for _, test := range []struct {
		what      string
		got, want any
	}{
		{"the last row counts", at(profile.Request, "language").Of, "tongue"},
		{"case does not count", at(profile.Request, "LANGUAGE").From, profile.Unique},
		{"a new secret has a name", at(profile.Request, "shopCard").Rule, "gateway/paymentorder.do/request/shopCard"},
		{"a secret stays one", at(profile.Request, "$CVC").Secret, profile.CVC},
		{"and keeps its name", at(profile.Request, "$CVC").Rule, "gateway/paymentorder.do/request/$CVC"},
		{"personal data stay so", at(profile.Request, "TEXT").Secret, profile.Name},
		{"what is kept is exact", at(profile.Request, "TEXT").From, profile.Exact},
		{"other halves stay", at(profile.Response, "language").Of, ""},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.what, diff)
		}
	}
	if f, _ := s.HeaderField(c, profile.Response, "x-payment"); f.Of != "payment" {
		t.Errorf("header %+v", f)
	}
	other := s.Find("POST", "/payment/rest/register.do")
	if f, _ := s.Field(other, profile.Request, profile.At{Key: "language", Shape: "language"}); f.Of != "" {
		t.Errorf("another operation: %+v", f)
	}
}

// A rules file that names a documented field has no mistake there.
func TestNamesAreThoseOfAllDocumentedFields(t *testing.T) {
	t.Parallel()
	names := map[string]map[string]string{}
	for _, p := range builtin(t).Profiles() {
		names[p.Name] = p.Names()
	}
	n := 0
	for _, row := range table(t, "testdata/fields.txt") {
		all, known := names[row[0]]
		if !known || strings.HasPrefix(row[3], "header ") {
			continue // of all APIs
		}
		place := strings.TrimPrefix(row[3], "path ")
		last := place[strings.LastIndexAny(place, ".>(")+1:]
		last = strings.ToLower(strings.TrimPrefix(strings.TrimSuffix(last, ")"), "@"))
		if n++; all[last] == "" {
			t.Errorf("%s %s: no name %q", row[0], row[1], last)
		}
	}
	if n < 1000 {
		t.Errorf("only %d fields", n)
	}
}
