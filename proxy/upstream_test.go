package proxy_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/proxy"
)

func TestParseUpstreamsRefuses(t *testing.T) {
	tests := []struct {
		name  string
		specs []string
		want  string
	}{
		{"nothing", nil, "no upstream is given"},
		{
			"an unknown profile",
			[]string{"shoe=https://a.test"}, `profile "shoe" is unknown: known are bank, shop`,
		},
		{"an empty profile", []string{"=https://a.test"}, "the name before '=' is empty"},
		{"another scheme", []string{"ftp://a.test"}, "http:// or https://"},
		{"a bare host", []string{"shop=a.test:80"}, "http:// or https://"},
		{"no host", []string{"https:///x"}, "it has no host"},
		{"a query", []string{"https://a.test/x?y=z"}, "it has a query"},
		{"an empty query", []string{"https://a.test/x?"}, "it has a query"},
		{"a fragment", []string{"https://a.test/x#y"}, "it has a fragment"},
		{"a password", []string{"https://user:hunter22@a.test"}, "user and password do not belong"},
		{"a password in what is no URL", []string{"https://user:hunter22@a.test:x%%"}, "it is not a URL"},
		{"two for all paths", []string{"https://a.test", "https://b.test"}, "one already for all paths"},
		{
			"two for a profile",
			[]string{"shop=https://a.test", "shop=https://b.test"}, `one already for profile "shop"`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := proxy.ParseUpstreams(profiles(t), tt.specs)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got error %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter22") {
				t.Error("the error repeats the password")
			}
		})
	}
}

func TestUpstreamsFor(t *testing.T) {
	u := upstreams(t, "HTTPS://All.test:443/base/", "shop=http://shop.test:8080")
	tests := []struct{ path, origin, base string }{
		{"/pay/register.do", "http://shop.test:8080", ""},
		{"/pay/unknown.do", "http://shop.test:8080", ""},
		{"/v9/cards", "https://all.test", "/base"},
		{"/elsewhere", "https://all.test", "/base"},
		{"*", "https://all.test", "/base"},
	}
	for _, tt := range tests {
		up, ok := u.For(tt.path)
		if !ok || up.Origin != tt.origin || up.Base != tt.base {
			t.Errorf("%s goes to %+v, %t; want %s%s", tt.path, up, ok, tt.origin, tt.base)
		}
	}
	if _, ok := upstreams(t, "shop=http://shop.test").For("/v9/cards"); ok {
		t.Error("a path that no upstream owns has found one")
	}
	if _, ok := (&proxy.Upstreams{}).For("/pay/x"); ok {
		t.Error("the zero Upstreams has found one")
	}
}

func FuzzParseUpstreams(f *testing.F) {
	for _, seed := range []string{
		"https://a.test", "shop=http://a.test:80/base", "shop=", "http://[::1]:80", "http://u:p@h",
		"https://a.test/%zz", "=", "://",
	} {
		f.Add(seed)
	}
	set := profiles(f)
	f.Fuzz(func(t *testing.T, spec string) {
		u, err := proxy.ParseUpstreams(set, []string{spec})
		if err != nil {
			return
		}
		up := u.All()[0]
		again, err := proxy.ParseUpstreams(set, []string{up.Origin + up.Base})
		if err != nil {
			t.Fatalf("%q was read as %q, which is refused: %v", spec, up.Origin+up.Base, err)
		}
		if got := again.All()[0]; got.Origin != up.Origin || got.Base != up.Base {
			t.Fatalf("%q was read as %q and then as %q", spec, up.Origin+up.Base, got.Origin+got.Base)
		}
	})
}
