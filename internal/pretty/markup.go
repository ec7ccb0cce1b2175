package pretty

import "strings"

// indentMarkup puts each element of XML or HTML into a line, where no line of it can be read: between
// two tags that follow one another, white space means nothing to a reader. What has lines of its own
// stays as it is, and so does what is in script, style, pre and textarea.
func indentMarkup(s string) string {
	const readable = 400 // bytes of a line
	if longestLine(s) <= readable && strings.Contains(strings.TrimSpace(s), "\n") {
		return s
	}
	var b strings.Builder
	depth, at := 0, 0
	for at < len(s) {
		open := strings.IndexByte(s[at:], '<')
		if open < 0 {
			break
		}
		text := s[at : at+open]
		at += open
		tag := s[at:]
		if end := strings.IndexByte(tag, '>'); end >= 0 {
			tag = tag[:end+1]
		}
		name := tagName(tag)
		closes := strings.HasPrefix(tag, "</")
		if closes {
			depth--
		}
		if strings.TrimSpace(text) == "" && b.Len() > 0 && !(closes && endsWithOpen(b.String(), name)) {
			b.WriteString("\n" + indent(depth))
		} else {
			b.WriteString(text)
		}
		b.WriteString(tag)
		at += len(tag)
		if closes || name == "" || strings.HasSuffix(tag, "/>") || voids[name] {
			continue
		}
		depth++
		if verbatim[name] {
			depth--
			end := endOf(s, at, name)
			if i := strings.IndexByte(s[end:], '>'); i >= 0 {
				end += i + 1
			}
			b.WriteString(s[at:end])
			at = end
		}
	}
	b.WriteString(s[min(at, len(s)):])
	return b.String()
}

// endOf returns where the end tag of an element begins, from an offset on.
func endOf(s string, at int, name string) int {
	for {
		i := strings.Index(s[at:], "</")
		if i < 0 {
			return len(s)
		}
		at += i
		if from := at + len("</"); len(s) >= from+len(name) && strings.EqualFold(s[from:from+len(name)], name) {
			return at
		}
		at++
	}
}

// endsWithOpen reports whether the last tag written opens the element that ends now: an empty element
// stays in its line.
func endsWithOpen(written, name string) bool {
	i := strings.LastIndexByte(written, '<')
	return i >= 0 && strings.HasSuffix(written, ">") && tagName(written[i:]) == name
}

// tagName returns the name of an element, in lower case; empty for a comment, a declaration and what is
// no tag.
func tagName(tag string) string {
	tag = strings.TrimPrefix(strings.TrimPrefix(tag, "<"), "/")
	end := strings.IndexAny(tag+">", " \t\r\n/>")
	if end == 0 || tag[0] == '!' || tag[0] == '?' {
		return ""
	}
	return strings.ToLower(tag[:end])
}

// voids are elements of HTML that have no end.
var voids = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true,
	"input": true, "link": true, "meta": true, "source": true, "track": true, "wbr": true,
}

// verbatim are elements in which white space counts, or which hold no elements.
var verbatim = map[string]bool{"script": true, "style": true, "pre": true, "textarea": true}

func longestLine(s string) int {
	longest := 0
	for line := range strings.Lines(s) {
		longest = max(longest, len(line))
	}
	return longest
}
