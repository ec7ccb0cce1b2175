package proxy

import "github.com/paytape/paytape/proxy/internal/authority"

// Authority is the certificate authority of one install, by which the forward door shows itself to
// clients as the hosts that it stands for. Its key never leaves its file, which only the owner can
// read. It signs for nothing but servers, and no authority below it.
//
// Whoever has the key can pose as any host to whoever trusts the certificate. An authority may
// therefore be limited to hosts when it is made. An authority that is made on first use is not
// limited, because each deck has other hosts; the door signs for configured hosts alone.
type Authority = authority.Authority

var (
	// ErrNoAuthority is returned where no certificate authority has been made yet.
	ErrNoAuthority = authority.ErrNone
	// ErrExpired is returned where an authority is needed whose life is over.
	ErrExpired = authority.ErrExpired
)

// CreateAuthority makes an authority in a folder and fails if there is one already. Where hosts
// are given, names or IP addresses, clients refuse its certificates for other hosts.
func CreateAuthority(dir string, hosts []string) (*Authority, error) {
	return authority.Create(dir, hosts)
}

// OpenAuthority returns the authority in a folder and makes an authority if there is none.
// Processes that do so at the same time get the same authority.
func OpenAuthority(dir string) (*Authority, error) { return authority.Open(dir) }

// ReplaceAuthority makes a new authority in the place of that in a folder, if there is any; clients
// must be made to trust it anew.
func ReplaceAuthority(dir string, hosts []string) (*Authority, error) {
	return authority.Replace(dir, hosts)
}

// LoadAuthority reads the authority in a folder; its error is ErrNoAuthority if there is none. A
// file that others can read is refused: they may have the key.
func LoadAuthority(dir string) (*Authority, error) { return authority.Load(dir) }
