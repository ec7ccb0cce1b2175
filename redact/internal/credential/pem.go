package credential

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
)

// The lines around a private key in PEM (RFC 7468, section 10): the label between the words differs.
const (
	pemStart = "-----BEGIN "
	pemStop  = "-----END "
	pemLabel = "PRIVATE KEY-----"
)

// Bounds of a private key in PEM, in bytes.
const (
	longestLabel = 60       // of a line of dashes
	longestKey   = 32 << 10 // RSA of 16384 bits has 13 KB
	minKey       = 40       // of its base64 that have to be there: the line of dashes alone is no key
)

// privateKey finds a private key in PEM that begins at s[i:]. The key goes up to the line that ends
// it; where the text was cut before that line, up to the last of its base64.
func privateKey(s string, i int) Occurrence {
	if !strings.HasPrefix(s[i:], pemStart) {
		return Occurrence{}
	}
	label := strings.Index(s[i:min(len(s), i+longestLabel)], pemLabel)
	if label < 0 {
		return Occurrence{}
	}
	from := i + label + len(pemLabel)
	end, to := pemEnd(s, from)
	last := 0 // behind the last stretch that is long enough
	for at := from; at < end; at++ {
		stop := min(scan.EndOfBase64(s, at), end)
		if stop-at >= minKey {
			last = stop
		} else if last > 0 && to == end && stop == at && strings.IndexByte(" \t\r\n\\=", s[at]) < 0 {
			break // no end was found: text follows
		}
		at = max(at, stop-1)
	}
	if last == 0 {
		return Occurrence{}
	}
	if to == end {
		to = withoutEnd(s, last)
	}
	return Occurrence{i, to, profile.Key}
}

// pemEnd returns where the line that ends a key begins and ends; for a key without such a line both
// are how far the key may go.
func pemEnd(s string, from int) (begin, end int) {
	limit := min(len(s), from+longestKey)
	stop := strings.Index(s[from:limit], pemStop)
	if stop < 0 {
		return limit, limit
	}
	stop += from
	label := strings.Index(s[stop:min(len(s), stop+longestLabel)], pemLabel)
	if label < 0 {
		return stop, stop
	}
	return stop, stop + label + len(pemLabel)
}

// withoutEnd returns where a key ends that has no last line: behind the short stretch of base64 and
// the padding that may follow its last whole line.
func withoutEnd(s string, last int) int {
	at := last
	for at < len(s) && strings.IndexByte(" \t\r\n\\", s[at]) >= 0 {
		at++
		if s[at-1] == '\\' && at < len(s) && strings.IndexByte("nrt", s[at]) >= 0 {
			at++ // an escape of JSON
		}
	}
	if stop := scan.EndOfBase64(s, at); stop > at && at > last {
		last = stop
	}
	for last < len(s) && s[last] == '=' {
		last++
	}
	return last
}
