package kinds

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/internal/similar"
)

// Options say what a store is opened with. The zero value is for most.
type Options struct {
	// Roots are the authorities that are trusted; nil is those of the system.
	Roots *x509.CertPool
	// Lookup looks up environment variables: where credentials and endpoints are.
	Lookup func(name string) (string, bool)
}

// ErrURL is returned for a URL that is that of no store.
var ErrURL = errors.New("the URL of a store")

func wrongURL(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrURL, fmt.Errorf(format, args...))
}

// opener opens a store by its URL.
type opener struct {
	scheme string
	form   string // of the URL, for people
	open   func(*url.URL, *client) (blob.Store, error)
}

// openers are all kinds but folders, which have no authority in their URL.
var openers = []opener{
	{"oci", "oci://REGISTRY/REPOSITORY", openOCI},
	{"s3", "s3://BUCKET/PREFIX", openS3},
	{"https", "https://HOST/PATH", openWeb},
	{"http", "https://HOST/PATH", openWeb},
}

const dirScheme = "dir"

// Open opens the store that a URL names. Nothing is asked of it yet.
func Open(location string, o Options) (blob.Store, error) {
	scheme, rest, ok := strings.Cut(location, ":")
	if ok && scheme == dirScheme {
		return openDir(rest)
	}
	at := slices.IndexFunc(openers, func(k opener) bool { return k.scheme == scheme })
	if !ok || at < 0 {
		return nil, unknownScheme(scheme, ok)
	}
	kind := openers[at]
	authority, isURL := strings.CutPrefix(rest, "//")
	authority, _, _ = strings.Cut(authority, "/")
	if strings.Contains(authority, "@") {
		return nil, wrongURL("it may hold no credentials: they are taken from where docker, aws and " +
			"git have them")
	}
	u, err := url.Parse(location)
	if err != nil || !isURL || u.Host == "" || u.User != nil || u.Fragment != "" {
		return nil, wrongURL("expected %s", kind.form)
	}
	if u.RawQuery != "" && scheme != "s3" {
		return nil, wrongURL("expected %s, without anything behind a ?", kind.form)
	}
	return kind.open(u, newClient(o))
}

// unknownScheme tells which kinds there are. What stands before the colon is not repeated unless it is
// nearly the name of a kind: it may be the name of a user.
func unknownScheme(scheme string, colon bool) error {
	known, forms := map[string]bool{dirScheme: true}, []string{"dir:PATH"}
	for _, k := range openers {
		known[k.scheme] = true
		forms = append(forms, k.form)
	}
	near := ""
	if colon {
		near = similar.Most(scheme, known)
	}
	if near != "" {
		return wrongURL("there is no kind %q: %s is meant, perhaps", scheme, near)
	}
	return wrongURL("expected %s", strings.Join(slices.Compact(forms), ", "))
}

// client is what stores that are asked over HTTP have in common.
type client struct {
	http   *http.Client
	lookup func(string) (string, bool)
}

// perHost is how many connections to a server are kept: as many as there are transfers at once.
const perHost = 16

func newClient(o Options) *client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true // blobs are to come as they are
	t.MaxIdleConnsPerHost = perHost
	if o.Roots != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: o.Roots}
	}
	lookup := o.Lookup
	if lookup == nil {
		lookup = func(string) (string, bool) { return "", false }
	}
	return &client{&http.Client{Transport: guarded{t}, CheckRedirect: keepLogin}, lookup}
}

// guarded speaks without TLS to this machine only, wherever a server leads to, and returns a
// *blob.BusyError for an answer that asks for patience: the libraries tell nothing of its headers.
type guarded struct{ http.RoundTripper }

var errPlain = fmt.Errorf("%w: it leads to a server without TLS that is not this machine", blob.ErrPermanent)

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !isLocal(r.URL.Host) {
		return nil, errPlain
	}
	res, err := g.RoundTripper.RoundTrip(r)
	if unknown, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return nil, fmt.Errorf("%w: %w", errUntrusted, certificateError(unknown))
	}
	if err != nil {
		return nil, err
	}
	if after := retryAfter(res, time.Now()); after > 0 {
		return nil, errors.Join(&blob.BusyError{Status: res.StatusCode, After: after}, res.Body.Close())
	}
	return res, nil
}

var errUntrusted = fmt.Errorf("%w: its certificate is not trusted", blob.ErrPermanent)

// certificateError returns what is wrong with a certificate, without what else the verifier has tried.
func certificateError(err *tls.CertificateVerificationError) error {
	if unknown, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return x509.UnknownAuthorityError{Cert: unknown.Cert}
	}
	return err.Err
}

// retryAfter returns how long a server wants to be left alone; 0 if it does not say.
func retryAfter(res *http.Response, now time.Time) time.Duration {
	if res.StatusCode != http.StatusTooManyRequests && res.StatusCode != http.StatusServiceUnavailable {
		return 0
	}
	text := res.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(now)).Round(time.Second)
}

// mostRedirects is how often a server may lead elsewhere, as net/http has it.
const mostRedirects = 10

// keepLogin keeps credentials to where they belong: another scheme, host or port is another server.
// net/http looks at the host alone.
func keepLogin(r *http.Request, via []*http.Request) error {
	if len(via) >= mostRedirects {
		return fmt.Errorf("%w: it led elsewhere %d times", blob.ErrPermanent, len(via))
	}
	if first := via[0].URL; r.URL.Scheme != first.Scheme || r.URL.Host != first.Host {
		r.Header.Del("Authorization")
	}
	return nil
}

// env returns the first variable of several that is set.
func (c *client) env(names ...string) string {
	for _, name := range names {
		if text, ok := c.lookup(name); ok && text != "" {
			return text
		}
	}
	return ""
}

// isLocal reports whether a host, with or without a port, is this machine.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// byStatus returns what a status of a server means, nil if it is no error.
func byStatus(status int) error {
	said := func(err error) error { return fmt.Errorf("%w (status %d)", err, status) }
	switch {
	case status < 300:
		return nil
	case status == http.StatusNotFound || status == http.StatusGone:
		return said(blob.ErrNotFound)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return said(blob.ErrDenied)
	case status == http.StatusRequestTimeout || status == http.StatusTooEarly ||
		status == http.StatusTooManyRequests || status >= 500:
		return fmt.Errorf("status %d", status)
	}
	return said(blob.ErrPermanent)
}
