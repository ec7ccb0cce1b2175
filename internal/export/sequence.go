package export

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/paytape/paytape/internal/leaf"
)

// Sequence returns a sequence diagram of Mermaid.
func Sequence(t Tape) string {
	var b strings.Builder
	hosts := map[string]string{} // names in the diagram
	var order []string
	shop := false
	for _, f := range t.Flows {
		for _, c := range f.Calls {
			shop = shop || c.isCallback()
			host := hostOf(c.Exchange.Exchange().URL)
			if hosts[host] == "" && !c.isCallback() {
				hosts[host] = "s" + strconv.Itoa(len(hosts)+1)
				order = append(order, host)
			}
		}
	}
	b.WriteString("sequenceDiagram\n  participant client\n")
	for _, host := range order {
		fmt.Fprintf(&b, "  participant %s as %s\n", hosts[host], words(host))
	}
	if shop {
		b.WriteString("  participant shop\n")
	}
	for _, f := range t.Flows {
		last := "s1" // who has sent a callback: the host of the call before
		noted := f.Title == ""
		for _, c := range f.Calls {
			x := c.Exchange.Exchange()
			from, to := "client", hosts[hostOf(x.URL)]
			if c.isCallback() {
				from, to = last, "shop"
				if len(order) == 0 {
					from = "client"
				}
			} else {
				last = to
			}
			if !noted {
				fmt.Fprintf(&b, "  Note over client: %s\n", words(f.Title))
				noted = true
			}
			fmt.Fprintf(&b, "  %s->>%s: %s\n", from, to, words(fmt.Sprintf("%d %s", x.Meta.Number, c.Name)))
			fmt.Fprintf(&b, "  %s-->>%s: %s\n", to, from, words(answer(x, c.Outcome)))
		}
	}
	return b.String()
}

// answer says what came back.
func answer(x *leaf.Exchange, outcome string) string {
	if x.Response.Code == 0 || x.Meta.Fault == leaf.FaultNoAnswer || x.Meta.Fault == leaf.FaultTimeout {
		return "no answer"
	}
	return strings.TrimSpace(strconv.Itoa(x.Response.Code) + " " + outcome)
}

// hostOf returns the host of a URL, without what may stand before it.
func hostOf(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return "sandbox"
	}
	return u.Host
}

// longestWords is how many characters of a text a diagram shows.
const longestWords = 80

// ends finds the word that ends a block of Mermaid wherever it stands.
var ends = regexp.MustCompile(`(?i)\be(nd)\b`)

// words writes a text for Mermaid, which ends a message at a new line or a semicolon, and reads # and
// markup as something else: all but letters, digits and a few signs by number.
func words(text string) string {
	var b strings.Builder
	for i, r := range []rune(line(text)) {
		switch {
		case i == longestWords:
			return b.String() + "..."
		case r <= unicode.MaxLatin1 && strings.ContainsRune(" .,/_*-", r), unicode.IsLetter(r), unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return ends.ReplaceAllString(b.String(), "#101;$1")
}
