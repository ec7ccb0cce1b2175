package curl

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Options say how a command is to look.
type Options struct {
	// Base stands in place of scheme and host: "http://127.0.0.1:8080". Empty: the recorded ones.
	Base string
	// Origin is the name of a variable that stands in place of scheme, host and the path of the upstream.
	// Empty: there is none.
	Origin string
	// Profiles know which fields are secrets. Nil: only markers and surrogates are found.
	Profiles *profile.Set
	// Variables are those of the commands before in one script, and get those of this command. Nil: the
	// command stands alone.
	Variables Variables
	// Script says that the command is run by a script and not pasted: its body may have any length,
	// because the printf of a shell takes more than the kernel gives to a program.
	Script bool
}

// Variables are the values that variables stand for, by name. The values are surrogates.
type Variables map[string]string

// longestBody is the size of the largest body that a command line has: Linux takes 128 kB in one
// argument, and printf's escapes need up to five bytes for one.
const longestBody = 24 << 10

// Command returns the command that sends the request of an exchange that was cleaned.
func Command(x *leaf.Exchange, o Options) string {
	c := newCommand(x, o)
	c.method(x.Request.Method)
	c.address()
	c.header()
	pipe := c.body()
	return pipe + "curl" + c.first + " " + strings.Join(c.words, " \\\n  ")
}

// command is a command while it is made.
type command struct {
	x      *leaf.Exchange
	o      Options
	places map[part][]hole
	first  string   // the options before the address
	words  []string // the address, and then lines of options
}

// ofConnection are headers that are left out: those that a hop sets for the next (RFC 9110, section
// 7.6.1), and those that curl sets from what it sends. The bodies of a tape are without their content
// coding.
var ofConnection = []string{
	"Host", "Content-Length", "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate",
	"Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Accept-Encoding",
	"Content-Encoding", "Expect",
}

func (c *command) method(method string) {
	hasBody := c.x.Request.Body != ""
	switch {
	case method == http.MethodHead && !hasBody:
		c.first = " --head"
	case method == "" || method == http.MethodGet && !hasBody || method == http.MethodPost && hasBody:
	default:
		c.first = " -X " + quote(method)
	}
}

// address writes the URL. The origin of a callback is a name on tape alone, and a request without a
// host has none: a variable stands for it.
func (c *command) address() {
	url := c.x.URL
	begin := leaf.PathStart(url)
	origin := quote(url[:begin])
	switch lower := strings.ToLower(url); {
	case c.o.Origin != "":
		origin, begin = `"$`+c.o.Origin+`"`, len(url)-len(c.x.Target())
	case c.o.Base != "":
		origin = quote(strings.TrimRight(c.o.Base, "/"))
	case strings.HasPrefix(url, leaf.CallbackOrigin):
		origin = `"$SHOP"`
	case !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://"):
		origin = `"$BASE"`
	}
	target := c.write(part{place: leaf.Path}, url, begin, len(url))
	if strings.ContainsAny(url, "[]{}") {
		c.first += " --globoff"
	}
	if strings.Contains(url[begin:], "/.") {
		c.first += " --path-as-is"
	}
	c.words = append(c.words, join(origin, target))
}

// join writes two quoted words as one.
func join(a, b string) string {
	if a == "''" {
		return b
	}
	if inner, quoted := strings.CutSuffix(a, "'"); quoted && strings.HasPrefix(b, "'") &&
		!strings.HasSuffix(inner, `\`) {
		return inner + b[1:]
	}
	return a + b
}

func (c *command) header() {
	h := c.x.Request.Headers
	names := make([]string, 0, len(h))
	for name := range h {
		if !slices.Contains(ofConnection, http.CanonicalHeaderKey(name)) &&
			httpguts.ValidHeaderFieldName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for i, value := range h[name] {
			if value == "" {
				c.words = append(c.words, "-H "+quote(name+";")) // curl's way to send it empty
				continue
			}
			in := c.write(part{leaf.Header, name, i}, value, 0, len(value))
			c.words = append(c.words, "-H "+join(quote(name+": "), in))
		}
	}
	if c.x.Request.Body != "" && h.Get("Content-Type") == "" {
		c.words = append(c.words, "-H 'Content-Type:'") // or curl says that it is a form
	}
}

// body writes the body as options, and returns what comes before curl: a command whose output is the
// body, where no option can hold it.
func (c *command) body() (pipe string) {
	body := c.x.Request.Body
	switch {
	case body == "":
		return ""
	case len(body) > longestBody && !c.o.Script:
		c.words = append(c.words, "--data-binary @body")
		return fmt.Sprintf(": 'first save the body, %d bytes, as the file body'\n", len(body))
	case !printable(body) || len(body) > longestBody:
		c.words = append(c.words, "--data-binary @-")
		return c.printf(body) + " |\n"
	}
	c.words = append(c.words, strings.Join(c.data(body), " "))
	return ""
}

// data writes a printable body. In a form, curl escapes the values of variables.
func (c *command) data(body string) []string {
	holes := c.places[part{place: bodyPlace}]
	var options []string
	from := 0
	for i, h := range holes {
		name := strings.LastIndexByte(body[:h.from], '&') + 1
		whole := h.form && name >= from && (h.to == len(body) || body[h.to] == '&')
		if !whole {
			continue
		}
		if name > from {
			options = append(options, "--data-raw "+c.writeHoles(holes[:i], body, from, name-1))
		}
		options = append(options, "--data-urlencode "+
			join(quote(body[name:h.from]), `"$`+h.variable+`"`))
		from = min(h.to+1, len(body))
	}
	if from < len(body) || len(options) == 0 {
		options = append(options, "--data-raw "+c.writeHoles(holes, body, from, len(body)))
	}
	return options
}

// printable reports whether a text may stand in quotes: a terminal that it is pasted into changes
// or obeys other control characters, some characters turn the direction of what people read, and a
// shell cannot hold a NUL.
func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 ||
			unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	})
}
