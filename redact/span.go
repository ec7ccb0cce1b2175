package redact

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/surrogate"
)

// span is a stretch of a text and what takes its place.
type span struct {
	leaf.Unprinted
	from, to        int
	surrogate.Value        // what takes its place
	rule            string // that found it
	// named says that a keyword tells what it is: it gives the text where spans overlap.
	named bool
	// digits says that the text is what it replaces, with other digits in the places of digits.
	digits bool
}

// merge sorts spans and joins spans that overlap. Of two, a span that a keyword names gives the
// text, because the keyword stays and will name whatever stands there. Otherwise the span found
// first does: numbers before taint, and outer layers before inner layers.
func merge(found []span) []span {
	if len(found) < 2 {
		return found
	}
	rank := make([]int, len(found))
	for i := range rank {
		rank[i] = i
	}
	slices.SortStableFunc(rank, func(a, b int) int { return found[a].from - found[b].from })
	var out []span
	best := 0
	for _, i := range rank {
		f := found[i]
		last := len(out) - 1
		if last < 0 || f.from >= out[last].to {
			out, best = append(out, f), i
			continue
		}
		from, to := out[last].from, max(out[last].to, f.to)
		if before := found[best]; f.named && !before.named || f.named == before.named && i < best {
			out[last], best = f, i
		}
		out[last].from, out[last].to = from, to
	}
	return out
}

// splice writes spans into s.
func splice(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(surrogate.Prefix)*len(spans))
	last := 0
	for _, sp := range spans {
		b.WriteString(s[last:sp.from])
		b.WriteString(sp.Text)
		last = sp.to
	}
	b.WriteString(s[last:])
	return b.String()
}
