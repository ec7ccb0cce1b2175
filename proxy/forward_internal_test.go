package proxy

import (
	"net/http"
	"testing"
)

func FuzzForwardTargets(f *testing.F) {
	for _, seed := range []string{
		"pay.test:443", "pay.test", "[::1]:443", "user@pay.test:443", "pay.test:0443", "pay.test:443/",
		"http://pay.test/x?y", "https://pay.test", "http://u:p@pay.test/", "pay.test:65536", "*",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if origin, ok := connectTarget("https", text); ok {
			again, end := originOf(origin)
			if again != origin || end != len(origin) {
				t.Fatalf("%q became %q, which is no origin", text, origin)
			}
		}
		origin, target := splitAbsolute(http.MethodOptions, text)
		if origin != "" && target != "*" && target[0] != '/' {
			t.Fatalf("%q has the target %q", text, target)
		}
		if name, rest, ok := inHost(text); ok && (rest == "" || hostPrefix+name+rest != text &&
			hostPrefix+name+rest[1:] != text) {
			t.Fatalf("%q became %q and %q", text, name, rest)
		}
	})
}

func FuzzAddHosts(f *testing.F) {
	for _, seed := range []string{
		"acs=https://acs.test/base", "pay.hard.test=http://127.0.0.1:80", "a b=https://x.test",
		"=https://x.test", "https://x.test", "-a=https://x.test",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		u := &Upstreams{}
		if u.AddHosts([]string{spec}) != nil {
			if len(u.all) > 0 {
				t.Fatal("an error comes with a host")
			}
			return
		}
		up := u.all[0]
		w, rest, ok := u.through("https://"+up.Name, "/x")
		if !ok || w.up != up || rest != "/x" {
			t.Fatalf("%q is not found by its name", spec)
		}
		if !u.knows(up.Origin) || u.AddHosts([]string{spec}) == nil {
			t.Fatalf("%q is not known by its origin", spec)
		}
	})
}
