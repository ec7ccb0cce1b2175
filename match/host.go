package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// Two hosts of one tape may answer the same path. Which of them a request is for, the path
// says for the APIs; the others have names. A client of the forward door says it by address.

// Host is a host beside the APIs on a tape, as recording knew it by name.
type Host struct{ Name, Address string }

// Hosts returns the hosts with a name on a tape. One that was recorded at several addresses is
// listed with the last of them.
func (t *Tape) Hosts() []Host { return slices.Clone(t.named) }

// addressOf returns the base address of the sandbox of an exchange: scheme, host and the
// upstream's base path. Empty for tapes of other programs that have none.
func addressOf(x *leaf.Exchange) string { return strings.TrimSuffix(x.URL, x.Target()) }

// hosts are the hosts of a tape.
type hosts struct {
	names     map[string]bool     // of those that have one
	addresses map[string][]string // under which names each address was recorded
}

func newHosts() hosts { return hosts{map[string]bool{}, map[string][]string{}} }

func (h *hosts) enter(e *exchange) {
	h.names[e.host] = true
	if names := h.addresses[e.address]; !slices.Contains(names, e.host) {
		h.addresses[e.address] = append(names, e.host)
	}
}

// pathHosts is for requests whose host the path says.
var pathHosts = []string{""}

// locate finds out which hosts of the tape a request is for. A host of which the tape knows
// neither name nor address stands for those of the APIs: it is another name of one, or a
// sandbox at another address than when it was recorded.
func (h *hosts) locate(r *Request) {
	r.hosts, r.exact = pathHosts, ""
	names, known := h.addresses[r.Address]
	switch {
	case r.Host != "" && h.names[r.Host]:
		r.hosts = []string{r.Host}
	case r.Address != "" && known:
		r.hosts, r.exact = names, r.Address
	}
}

// meets reports whether a recorded exchange is of a host that the request is for.
func (r *Request) meets(e *exchange) bool {
	return slices.Contains(r.hosts, e.host) && (r.exact == "" || r.exact == e.address)
}
