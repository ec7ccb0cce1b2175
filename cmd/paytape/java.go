package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"software.sslmate.com/src/go-pkcs12"
)

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
func (t *trust) javaOptions(before, deck, noProxy string) string {
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
