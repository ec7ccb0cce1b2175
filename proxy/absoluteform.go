package proxy

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// originForm hands requests to a handler, those for the deck's own address always with a path as
// their target. A server takes such a request in absolute form too, and what the target says counts
// and not the Host (RFC 9112, section 3.2.2):
//
//	GET http://127.0.0.1:8080/payment/rest/getOrderStatus.do?orderId=1 HTTP/1.1
//
// A target with any other authority is one for a proxy, and stays as it is. The deck looks up no
// names: an authority is its own that has the port of the connection, and the address of the
// connection, the name of this machine, or at a loopback address "localhost".
func originForm(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !strings.HasPrefix(req.RequestURI, "/") && req.Method != http.MethodConnect {
			if origin, target := splitAbsolute(req.Method, req.RequestURI); ownOrigin(req, origin) {
				req.RequestURI = target
			}
		}
		next.ServeHTTP(w, req)
	})
}

// ownOrigin reports whether an origin, in canonical form, is that of the deck itself.
func ownOrigin(req *http.Request, origin string) bool {
	local, _ := req.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil || origin == "" {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	to, bad := url.Parse(origin)
	if err != nil || bad != nil || to.User != nil || (to.Scheme == "https") != (req.TLS != nil) {
		return false
	}
	port := to.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[to.Scheme]
	}
	return port == strconv.Itoa(int(at.Port())) && ownHost(to.Hostname(), at.Addr().Unmap())
}

// ownHost reports whether a host is this machine, for a client that came to one of its addresses.
func ownHost(host string, at netip.Addr) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap() == at
	}
	name, err := os.Hostname()
	return host == "localhost" && at.IsLoopback() || err == nil && strings.EqualFold(host, name)
}
