package proxy

import (
	"net/http"
	"strconv"
	"strings"
)

// accepts reports whether a client takes a body in the content codings of a list such as
// "gzip, br". A client that names no coding gets none: RFC 9110, section 12.5.3, would allow
// any, but such a client seldom decodes.
func accepts(h http.Header, codings string) bool {
	weights := acceptedCodings(h)
	for name := range strings.SplitSeq(strings.ToLower(codings), ",") {
		name = canonicalCoding(name)
		if name == "" || name == "identity" {
			continue
		}
		weight, named := weights[name]
		if !named {
			weight = weights["*"]
		}
		if weight <= 0 {
			return false
		}
	}
	return true
}

// acceptedCodings reads Accept-Encoding: names and weights.
func acceptedCodings(h http.Header) map[string]float64 {
	weights := map[string]float64{}
	for _, line := range h.Values("Accept-Encoding") {
		for item := range strings.SplitSeq(strings.ToLower(line), ",") {
			name, parameter, _ := strings.Cut(item, ";")
			if name = canonicalCoding(name); name != "" {
				weights[name] = weight(parameter)
			}
		}
	}
	return weights
}

// weight reads "q=0.5"; no weight, or one that is none, counts as 1.
func weight(parameter string) float64 {
	text, found := strings.CutPrefix(strings.ReplaceAll(parameter, " ", ""), "q=")
	if !found {
		return 1
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 1
	}
	return q
}

// canonicalCoding trims a name and resolves the alias of RFC 9110, section 8.4.1.3.
func canonicalCoding(name string) string {
	if name = strings.TrimSpace(name); name == "x-gzip" {
		return "gzip"
	}
	return name
}
