package main

import (
	"strings"
	"testing"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/paytape/paytape/proxy"
)

func TestJavaHosts(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		"":                        "",
		"localhost,127.0.0.1,::1": "localhost|*.localhost|127.0.0.1|[::1]",
		" a.test , [fd00::1]":     "a.test|*.a.test|[fd00::1]",
		".a.test,*.b.test":        "*.a.test|*.b.test",
		"*":                       "*",
		"10.0.0.0/8,":             "",
	} {
		if got := javaHosts(give); got != want {
			t.Errorf("javaHosts(%q) is %q, want %q", give, got, want)
		}
	}
}

// Java gets every certificate that the others get, and bundles have notes and more between them.
func TestJavaStore(t *testing.T) {
	t.Parallel()
	a, err := proxy.OpenAuthority(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bundle := "# a note\n" + string(a.PEM()) + "\n-----BEGIN CERTIFICATE-----\nAAAA\n" +
		"-----END CERTIFICATE-----\n" + string(a.PEM())
	store, err := javaStore([]byte(bundle))
	if err != nil {
		t.Fatal(err)
	}
	list, err := pkcs12.DecodeTrustStore(store, javaPassword)
	if err != nil || len(list) != strings.Count(string(a.PEM()), "BEGIN")*2 {
		t.Errorf("%d certificates, %v", len(list), err)
	}
}
