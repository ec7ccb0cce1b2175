package tape

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

// Two hosts of one tape may answer the same path. For the hosts of the APIs the path says which
// host a request is for; any other host has a name. A client of the forward door says it by
// address.

// hosts are the hosts of a tape.
type hosts struct {
	names     map[string]bool     // of the hosts that have a name
	addresses map[string][]string // under which names each address was recorded
	named     []request.Host
	aliases   []string // names that stood for an API, in the order of the tape
	origins   []string // the base addresses of all hosts, the longest first
}

func newHosts() hosts { return hosts{names: map[string]bool{}, addresses: map[string][]string{}} }

func (h *hosts) noteRecording(r *Recording) {
	h.names[r.Host] = true
	if names := h.addresses[r.Address]; !slices.Contains(names, r.Host) {
		h.addresses[r.Address] = append(names, r.Host)
	}
}

// noteHosts notes the hosts of a cassette, and sorts them. An address may lie below another
// address, so the longest addresses come first.
func (h *hosts) noteHosts(all []request.Host) {
	for _, host := range all {
		if host.Name != "" {
			h.named = slices.DeleteFunc(h.named, func(o request.Host) bool { return o.Name == host.Name })
			h.named = append(h.named, host)
		}
	}
	slices.SortStableFunc(all, func(a, b request.Host) int {
		return cmp.Compare(len(b.Address), len(a.Address))
	})
	h.origins = append(h.origins, addresses(all)...)
	slices.SortFunc(h.origins, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	h.origins = slices.Compact(h.origins)
}

func addresses(all []request.Host) []string {
	var out []string
	for _, h := range all {
		out = append(out, h.Address)
	}
	return out
}

// pathHosts is for requests whose host the path says.
var pathHosts = []string{""}

// Locate returns the names of the hosts of the tape that a request may be for, and the address
// that a recording must have, if it must have one. A host of which the tape knows neither name nor
// address stands for the hosts of the APIs: it is another name of such a host, or a sandbox that
// had another address when it was recorded.
func (t *Tape) Locate(r *request.Request) (names []string, address string) {
	recorded, known := t.hosts.addresses[r.Address]
	switch {
	case r.Host != "" && t.hosts.names[r.Host]:
		return []string{r.Host}, ""
	case r.Address != "" && known:
		return recorded, r.Address
	}
	return pathHosts, ""
}

// Hosts returns the hosts with a name on a tape. A host that was recorded at several addresses is
// listed with the last of them.
func (t *Tape) Hosts() []request.Host { return slices.Clone(t.hosts.named) }

// Aliases returns the names that stood for the sandboxes of the APIs while they were recorded.
func (t *Tape) Aliases() []string { return slices.Clone(t.hosts.aliases) }

// Addresses returns the base addresses of the sandboxes on the tape, the longest first.
func (t *Tape) Addresses() []string { return slices.Clone(t.hosts.origins) }

// addressOf returns the base address of the sandbox of an exchange: scheme, host and the
// upstream's base path. Empty for tapes of other programs that have none.
func addressOf(x *leaf.Exchange) string { return strings.TrimSuffix(x.URL, x.Target()) }
