package leaf

import (
	"regexp"
	"slices"
	"strings"
)

// Link is an address in the value of a leaf: the text [From, To) of it. One that is in a script
// may have its slashes escaped.
type Link struct {
	From, To int
	Escaped  bool
}

// links are the attributes of HTML by which a page leads on, or brings in others.
var links = []string{
	"action", "formaction", "href", "src", "data", "poster", "background", "manifest",
}

// HTML reports whether the body of a message is a page: its media type says so or, where it has
// none, its beginning.
func (m *Message) HTML() bool {
	t := m.Header.Get("Content-Type")
	if t == "" {
		return looksMarkup(m.Body) && isHTML(m.Body)
	}
	media := mediaType(t)
	return media == "text/html" || media == "application/xhtml+xml"
}

// Links returns where in the value of a leaf of a page addresses stand that a browser goes to:
// in attributes of links, frames, forms and images, in styles, in a refresh, and in scripts as
// whole strings. In scripts only those are told that name a host or are given to the browser to
// go there.
func (l *Leaf) Links() []Link {
	if l.Place != Markup || l.in != nil || l.part != nil {
		return nil
	}
	key := strings.ToLower(l.Key)
	if !strings.HasSuffix(l.Shape, "@"+l.Key) {
		switch key {
		case "script":
			return scriptLinks(l.Value)
		case "style", "@style":
			return styleLinks(l.Value)
		}
		return nil
	}
	from := skip(l.Value, 0)
	switch {
	case strings.HasPrefix(key, "on"):
		return scriptLinks(l.Value)
	case key == "content":
		if link, ok := Refresh(l.Value); ok {
			return []Link{link}
		}
	case key == "srcset", key == "imagesrcset":
		return setLinks(l.Value)
	case !slices.Contains(links, key):
	case hasPrefixFold(l.Value[from:], "javascript:"):
		return scriptLinks(l.Value)
	default:
		return []Link{{From: from, To: len(l.Value)}}
	}
	return nil
}

// HiddenLinks returns which leaves of a page are hidden fields of forms that hold an address with its
// host, and nothing else, and the action of the form of each: "" for a form without one. A browser does not
// go to such an address, but whoever gets the form may send it there: the TermUrl of 3-D Secure 1. It
// returns only fields that are posted as a form, not in parts or as text. It returns nil if there are none.
func (m *Message) HiddenLinks() map[int]string {
	var hidden map[int]string
	type form struct {
		action string
		other  bool // it is posted in another form
	}
	forms := map[string]form{} // by their paths
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place != Markup || l.in != nil || l.part != nil {
			continue
		}
		element := l.Path[:max(0, strings.LastIndexByte(l.Path, '.'))]
		switch {
		case l.isAttribute("form", "@action"):
			f := forms[element]
			f.action = strings.TrimSpace(l.Value)
			forms[element] = f
		case l.isAttribute("form", "@enctype"):
			f := forms[element]
			f.other = mediaType(l.Value) != formType
			forms[element] = f
		case l.isAttribute("input", "@type") && strings.EqualFold(l.Value, "hidden"):
			at, path := m.valueOf(i, element), formOf(element)
			if at < 0 || path == "" || forms[path].other || !wholeAddress(m.Leaves[at].Value) {
				continue
			}
			if hidden == nil {
				hidden = map[int]string{}
			}
			hidden[at] = forms[path].action
		}
	}
	return hidden
}

// isAttribute reports whether a leaf is an attribute of an element, by their names.
func (l *Leaf) isAttribute(element, name string) bool {
	rest, found := strings.CutSuffix(l.Shape, name)
	if !found {
		return false
	}
	rest, found = strings.CutSuffix(rest, element+".")
	return found && (rest == "" || rest[len(rest)-1] == '.')
}

// valueOf returns the leaf that is the value of the field of which leaf i is another attribute; -1 if the
// field has no name or no value. The attributes of an element stand together.
func (m *Message) valueOf(i int, element string) int {
	of := func(n int) bool {
		return n >= 0 && n < len(m.Leaves) && strings.HasPrefix(m.Leaves[n].Path, element+".")
	}
	first := i
	for of(first - 1) {
		first--
	}
	for n := first; of(n); n++ {
		l := &m.Leaves[n]
		name := l.Path[len(element)+1:]
		if l.part == nil && l.Key == name && !strings.HasPrefix(name, "@") {
			return n
		}
	}
	return -1
}

// formOf returns the path of the form that an element is in; "" if it is in none.
func formOf(element string) string {
	for end := len(element); end > 0; end = strings.LastIndexByte(element[:end], '.') {
		name := element[strings.LastIndexByte(element[:end], '.')+1 : end]
		if name == "form" || strings.HasPrefix(name, "form[") {
			return element[:end]
		}
	}
	return ""
}

// wholeAddress reports whether a text is one address with its scheme.
func wholeAddress(text string) bool {
	return namesHost(text) && text[0] != '/' && !strings.ContainsAny(text, " \t\r\n")
}

// PathAlone reports whether an address in a page names no host, so that it is one of the page's own.
func PathAlone(address string) bool {
	before, _, scheme := strings.Cut(address, ":")
	return !strings.HasPrefix(address, "//") && (!scheme || strings.ContainsAny(before, "/?#"))
}

// LeadsOn reports whether a header of an answer holds addresses whatever a profile says of it.
func LeadsOn(name string) bool { return name == "Location" || name == "Refresh" || name == "Link" }

// HeaderLinks returns where in the value of a header addresses stand, if the header holds addresses: in Refresh
// behind the time, in Link between angle brackets (RFC 8288, section 3), and else it is one.
func HeaderLinks(name, value string) []Link {
	switch name {
	case "Refresh":
		if link, ok := Refresh(value); ok {
			return []Link{link}
		}
		return nil
	case "Link":
		return targets(value)
	}
	return []Link{{To: len(value)}}
}

// targets finds the addresses of a Link header. What stands in quotes is no address.
func targets(s string) []Link {
	var all []Link
	for at := 0; at < len(s); at++ {
		switch s[at] {
		case '"':
			at++
			for at < len(s) && s[at] != '"' {
				if s[at] == '\\' {
					at++
				}
				at++
			}
		case '<':
			end := until(s, at+1, ">")
			all = append(all, Link{From: at + 1, To: end})
			at = end
		}
	}
	return all
}

var refresh = regexp.MustCompile(`^\s*[0-9.]+\s*[;,]\s*(?i:url\s*=\s*)?(['"]?)`)

// Refresh returns the address in what a page or the header of that name says of going on by
// itself: "0; url=/x".
func Refresh(value string) (Link, bool) {
	m := refresh.FindStringSubmatchIndex(value)
	if m == nil {
		return Link{}, false
	}
	link := Link{From: m[1], To: len(value)}
	if quote := value[m[2]:m[3]]; quote != "" {
		link.To = until(value, m[1], quote)
	}
	return link, link.From < link.To
}

// setLinks finds the images of a set (HTML, section 4.8.4.2.1): each is an address, and behind a
// space what it is for. The address may hold commas, and ends with none.
func setLinks(s string) []Link {
	var all []Link
	for at := 0; at < len(s); {
		if space(s[at]) || s[at] == ',' {
			at++
			continue
		}
		link := Link{From: at, To: len(s)}
		if n := strings.IndexAny(s[at:], " \t\r\n\f"); n >= 0 {
			link.To = at + n
		}
		address := strings.TrimRight(link.Of(s), ",")
		if at = link.To; address == link.Of(s) {
			at = until(s, at, ",")
		}
		link.To = link.From + len(address)
		all = append(all, link)
	}
	return all
}

var styled = regexp.MustCompile(`(?i:url)\(\s*(["']?)|@(?i:import)\s+(["'])`)

// styleLinks finds the addresses of what a style brings in.
func styleLinks(s string) []Link {
	if !bringsIn(s) {
		return nil // as nearly every style of an element does
	}
	var all []Link
	for at := 0; ; {
		m := styled.FindStringSubmatchIndex(s[at:])
		if m == nil {
			return all
		}
		link, end := Link{From: at + m[1]}, ")"
		for _, quote := range [][]int{m[2:4], m[4:6]} {
			if quote[0] < quote[1] {
				end = s[at+quote[0] : at+quote[1]]
			}
		}
		at = until(s, link.From, end)
		link.To = link.From + len(strings.TrimRight(s[link.From:at], " \t\r\n\f"))
		if link.From < link.To {
			all = append(all, link)
		}
	}
}

// bringsIn reports whether a style has "url(" or "@import" somewhere, in letters of whatever case:
// without them no address stands in it.
func bringsIn(s string) bool {
	const url, rule = "url", "@import"
	for at := range len(s) {
		switch s[at] {
		case '(':
			if at >= len(url) && strings.EqualFold(s[at-len(url):at], url) {
				return true
			}
		case '@':
			if hasPrefixFold(s[at:], rule) {
				return true
			}
		}
	}
	return false
}

// goings are what stands before the address in a script that leads on, without spaces.
var goings = []string{
	"location=", ".href=", ".src=", ".action=", "location.assign(", "location.replace(", "open(",
}

// scriptLinks finds the strings of a script that are addresses.
func scriptLinks(s string) []Link {
	var all []Link
	for at := 0; at < len(s); at++ {
		if strings.IndexByte("\"'`", s[at]) < 0 || at+1 == len(s) {
			continue
		}
		link := Link{From: at + 1, To: until(s, at+1, s[at:at+1])}
		text := link.Of(s)
		link.Escaped = strings.Contains(text, `\/`)
		path := strings.HasPrefix(text, "/") || strings.HasPrefix(text, `\/`)
		if namesHost(unslash(text)) || path && leadsOn(s[:at]) {
			all = append(all, link)
			at = link.To
		}
	}
	return all
}

// namesHost reports whether a text begins as an address with a host does.
func namesHost(text string) bool {
	return hasPrefixFold(text, "http://") || hasPrefixFold(text, "https://") ||
		len(text) > 2 && strings.HasPrefix(text, "//") && (letter(text[2]) || text[2] == '[' ||
			text[2] >= '0' && text[2] <= '9')
}

// leadsOn reports whether a script up to a string gives that to the browser to go there.
func leadsOn(before string) bool {
	const longest = 40
	before = before[max(0, len(before)-longest):]
	squeezed := strings.Join(strings.Fields(before), "")
	return slices.ContainsFunc(goings, func(g string) bool { return strings.HasSuffix(squeezed, g) })
}

// Of returns the bytes of the link in a value.
func (k Link) Of(value string) string { return value[k.From:k.To] }

// Address returns the link in a value as an address, without escapes.
func (k Link) Address(value string) string {
	if !k.Escaped {
		return k.Of(value)
	}
	return unslash(k.Of(value))
}

// End returns where in a value the first n bytes of the address end.
func (k Link) End(value string, n int) int {
	at := k.From
	for ; n > 0; n-- {
		if k.Escaped && strings.HasPrefix(value[at:], `\/`) {
			at++
		}
		at++
	}
	return at
}

func unslash(s string) string { return strings.ReplaceAll(s, `\/`, "/") }

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
