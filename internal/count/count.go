// Package count writes numbers of things for people: "1 exchange", "2 exchanges". It knows no
// more of English than our messages need.
package count

import (
	"fmt"
	"strings"
)

// Of writes a number of things, whose word is given for one of them.
func Of[N int | int64](n N, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "s"): // a miss
		thing += "es"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
