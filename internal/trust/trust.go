// Package trust gives a command what makes it use a deck as its proxy and believe the certificates
// that the deck shows: files, and variables that name them.
//
// An example. A test suite in Python and Java runs under "paytape run". Both get HTTPS_PROXY, Python
// finds the authority in REQUESTS_CA_BUNDLE, and Java, which heeds neither, in JAVA_TOOL_OPTIONS as a
// store of its own form.
//
// go-pkcs12 writes that store: Java 8 reads no other form without a tool of its own.
package trust

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"software.sslmate.com/src/go-pkcs12"
)

// Trust is what a command is given so that it trusts the certificates of the proxy: files that last
// until Remove. It does not change and is safe for concurrent use.
type Trust struct {
	folder string
	ours   string // file with our authority alone
	bundle string // file with ours and those of the system
	java   string // file with the same, as Java reads it
}

// systemRoots are the files in which systems keep the authorities that they trust, as Go's
// crypto/x509 knows them.
var systemRoots = [...]string{
	"/etc/ssl/certs/ca-certificates.crt",                // Debian, Arch, Alpine
	"/etc/pki/tls/certs/ca-bundle.crt",                  // Fedora
	"/etc/ssl/ca-bundle.pem",                            // SUSE
	"/etc/pki/tls/cacert.pem",                           // OpenELEC
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // Red Hat
	"/etc/ssl/cert.pem",                                 // macOS, OpenBSD
	"/usr/local/etc/ssl/cert.pem",                       // FreeBSD
}

// Write writes the files in a folder of their own, which only their owner can read. authority is the
// certificate of the proxy's authority in PEM; lookup finds variables of the environment. Where
// SSL_CERT_FILE names authorities already, the command trusts these too.
func Write(authority []byte, lookup func(string) (string, bool)) (*Trust, error) {
	folder, err := os.MkdirTemp("", "paytape-run-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder: %w", err)
	}
	t := &Trust{
		folder, filepath.Join(folder, "ca.pem"), filepath.Join(folder, "bundle.pem"),
		filepath.Join(folder, "java.p12"),
	}
	bundle := append(systemBundle(lookup), authority...)
	store, err := javaStore(bundle)
	err = errors.Join(err, os.WriteFile(t.ours, authority, 0o600),
		os.WriteFile(t.bundle, bundle, 0o600), os.WriteFile(t.java, store, 0o600))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("writing certificates: %w", err), t.Remove())
	}
	return t, nil
}

// systemBundle returns the authorities that the system trusts; nothing where it keeps them
// elsewhere, and then the command trusts ours alone.
func systemBundle(lookup func(string) (string, bool)) []byte {
	files := systemRoots[:]
	if named, ok := lookup("SSL_CERT_FILE"); ok && named != "" {
		files = []string{named}
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			return append(data, '\n')
		}
	}
	return nil
}

// Remove removes the files.
func (t *Trust) Remove() error { return os.RemoveAll(t.folder) }

// Environ returns the variables of a command whose deck has an address: those of this
// process, and in place of them or beside them what leads to the deck.
func (t *Trust) Environ(base []string, deck, noProxy string) []string {
	set := map[string]string{
		"PAYTAPE_URL":         deck,
		"NODE_USE_ENV_PROXY":  "1",    // Node heeds the variables of proxies only if told so
		"NODE_EXTRA_CA_CERTS": t.ours, // added to those that Node brings
		"DENO_CERT":           t.ours,
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		set[name], set[strings.ToLower(name)] = deck, deck
	}
	set["NO_PROXY"], set["no_proxy"] = noProxy, noProxy
	for _, name := range []string{ // in place of those of the system
		"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
		"AWS_CA_BUNDLE", "PIP_CERT", "CARGO_HTTP_CAINFO", "NIX_SSL_CERT_FILE",
		"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "BUNDLE_SSL_CA_CERT", "PERL_LWP_SSL_CA_FILE",
		"npm_config_cafile", "HTTPLIB2_CA_CERTS",
	} {
		set[name] = t.bundle
	}
	set[javaVariable] = t.javaOptions(lastOf(base, javaVariable), deck, noProxy)
	env := slices.DeleteFunc(slices.Clone(base), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		_, ours := set[name]
		return ours
	})
	for name, value := range set {
		env = append(env, name+"="+value)
	}
	slices.Sort(env[len(env)-len(set):])
	return env
}

// Java heeds neither the variables of proxies nor files in PEM, but it takes options from a
// variable, and says so in a line on stderr.
const (
	javaVariable = "JAVA_TOOL_OPTIONS"
	// javaPassword keeps nothing secret: Java reads a store of certificates only with one.
	javaPassword = "changeit"
)

// javaStore returns certificates in the form that Java reads. What is none is left out, as those
// who read a bundle do.
func javaStore(bundle []byte) ([]byte, error) {
	var list []pkcs12.TrustStoreEntry
	for n := 1; ; n++ {
		block, rest := pem.Decode(bundle)
		if block == nil {
			break
		}
		bundle = rest
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			list = append(list, pkcs12.TrustStoreEntry{Cert: c, FriendlyName: fmt.Sprint(n)})
		}
	}
	// Java 8 reads no store that is encrypted in the modern way.
	store, err := pkcs12.LegacyDES.EncodeTrustStoreEntries(list, javaPassword)
	if err != nil {
		return nil, fmt.Errorf("making a trust store for Java: %w", err)
	}
	return store, nil
}

// javaOptions are what the options of a command have already, and what leads to a deck. Of
// options that are given twice Java takes the last.
func (t *Trust) javaOptions(before, deck, noProxy string) string {
	options := []string{
		"http.nonProxyHosts=" + javaHosts(noProxy),
		"javax.net.ssl.trustStore=" + t.java,
		"javax.net.ssl.trustStoreType=PKCS12",
		"javax.net.ssl.trustStorePassword=" + javaPassword,
	}
	if at, err := url.Parse(deck); err == nil {
		for _, scheme := range []string{"http", "https"} {
			options = append(options, scheme+".proxyHost="+at.Hostname(), scheme+".proxyPort="+at.Port())
		}
	}
	var b bytes.Buffer
	b.WriteString(before)
	for _, option := range options {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if strings.ContainsAny(option, " \t") {
			b.WriteString(`"-D` + option + `"`)
			continue
		}
		b.WriteString("-D" + option)
	}
	return b.String()
}

// javaHosts says in Java's form which hosts are reached past the proxy: a name there stands for
// itself alone, and elsewhere for the names below it too. Networks cannot be named.
func javaHosts(noProxy string) string {
	var list []string
	for host := range strings.SplitSeq(noProxy, ",") {
		host = strings.TrimSpace(host)
		ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
		switch name := strings.TrimLeft(host, "*."); {
		case host == "" || strings.Contains(host, "/"):
		case err == nil && ip.Is6():
			list = append(list, "["+ip.String()+"]")
		case err == nil:
			list = append(list, ip.String())
		case name == "":
			list = append(list, "*")
		case name == host:
			list = append(list, name, "*."+name)
		default:
			list = append(list, "*."+name)
		}
	}
	return strings.Join(list, "|")
}

// lastOf returns the value of a variable; empty if there is none.
func lastOf(environ []string, name string) string {
	value := ""
	for _, pair := range environ {
		if key, v, _ := strings.Cut(pair, "="); key == name {
			value = v
		}
	}
	return value
}
