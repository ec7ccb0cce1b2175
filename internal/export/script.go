package export

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/curl"
)

// Script returns a script for a POSIX shell that sends the requests of a tape, one after the other. The
// script says what its variables stand for, and ends if one is not set.
func Script(t Tape) string {
	variables := curl.Variables{}
	origins := origins{}
	var calls strings.Builder
	for _, f := range t.Flows {
		if f.Title != "" {
			fmt.Fprintf(&calls, "\n# %s\n", line(f.Title))
		}
		for _, c := range f.Calls {
			x := c.Exchange.Exchange()
			title := strings.TrimSuffix(fmt.Sprintf("#%d %s: %s", x.Meta.Number, c.Name, c.Outcome), ": ")
			if c.isCallback() {
				fmt.Fprintf(&calls, "\n# %s, which the sandbox sends\n", line(title))
				continue
			}
			command := curl.Command(x, curl.Options{
				Origin: origins.variable(origin(x)), Profiles: t.Profiles, Variables: variables, Script: true,
			})
			fmt.Fprintf(&calls, "\n# %s\n%s\necho\n", line(title), command)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# The calls of the cassette %s. In the place of secrets stand variables.\n",
		line(t.Name))
	b.WriteString("set -eu\ncurl() { command curl -sS \"$@\"; }\n\n")
	for _, o := range origins {
		fmt.Fprintf(&b, "[ -n \"${%[1]s:-}\" ] || %[1]s=%[2]s\n", o.variable, quoted(o.origin))
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		fmt.Fprintf(&b, ": \"${%s:?is not set: on tape it is %s}\"\n", name, plainWord(variables[name]))
	}
	return b.String() + calls.String()
}

// origins are the origins of a tape and their variables.
type origins []struct{ origin, variable string }

// variable returns the variable of an origin: BASE, BASE_2 and so on.
func (o *origins) variable(origin string) string {
	for _, known := range *o {
		if known.origin == origin {
			return known.variable
		}
	}
	name := "BASE"
	if n := len(*o); n > 0 {
		name += "_" + strconv.Itoa(n+1)
	}
	*o = append(*o, struct{ origin, variable string }{origin, name})
	return name
}

// quoted writes a text as a word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(line(s), "'", `'\''`) + "'" }

// plainWord returns what of a surrogate can stand inside quotes of a shell: markers and card numbers can.
func plainWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '.'
	}, s)
}
