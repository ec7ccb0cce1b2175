package trust

import (
	"slices"
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

func TestEnvironOfACommand(t *testing.T) {
	t.Parallel()
	tr := &Trust{ours: "ca.pem", bundle: "bundle.pem", java: "a folder/java.p12"}
	base := []string{"PATH=/bin", "https_proxy=http://other:1", "SSL_CERT_FILE=old", "EMPTY=",
		"JAVA_TOOL_OPTIONS=-Xmx1g"}
	got := tr.Environ(base, "http://127.0.0.1:1", "localhost")
	want := map[string]string{
		"PATH": "/bin", "EMPTY": "", "https_proxy": "http://127.0.0.1:1", "NO_PROXY": "localhost",
		"SSL_CERT_FILE": "bundle.pem", "NODE_EXTRA_CA_CERTS": "ca.pem",
		"PAYTAPE_URL": "http://127.0.0.1:1", "npm_config_cafile": "bundle.pem",
		"JAVA_TOOL_OPTIONS": "-Xmx1g -Dhttp.nonProxyHosts=localhost|*.localhost " +
			`"-Djavax.net.ssl.trustStore=a folder/java.p12" ` +
			"-Djavax.net.ssl.trustStoreType=PKCS12 -Djavax.net.ssl.trustStorePassword=changeit " +
			"-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=1 " +
			"-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=1",
	}
	seen := map[string]int{}
	for _, pair := range got {
		name, value, _ := strings.Cut(pair, "=")
		seen[name]++
		if w, ok := want[name]; ok && w != value {
			t.Errorf("%s is %q, want %q", name, value, w)
		}
		if seen[name] > 1 {
			t.Errorf("%s is there twice", name)
		}
	}
	for name := range want {
		if seen[name] == 0 {
			t.Errorf("%s is not there", name)
		}
	}
	if !slices.Equal(base, []string{"PATH=/bin", "https_proxy=http://other:1", "SSL_CERT_FILE=old",
		"EMPTY=", "JAVA_TOOL_OPTIONS=-Xmx1g"}) {
		t.Error("the variables of this process were changed")
	}
}
