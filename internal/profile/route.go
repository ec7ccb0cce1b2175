package profile

import (
	"net/url"
	"slices"
	"strings"
)

// route is a node of the tree from path segments to operations. Finding one takes a map
// look-up per segment and allocates nothing.
type route struct {
	next      map[string]*route // by constant segment
	parameter *route            // where any segment may stand
	here      []*Operation      // those whose pattern ends here
}

func (t *route) add(path string, o *Operation) {
	for segment := range strings.SplitSeq(path[1:], "/") {
		t = t.child(segment)
	}
	t.here = append(t.here, o)
}

// child returns the node below a segment of a pattern, and makes it if it is not there.
func (t *route) child(segment string) *route {
	if parameter(segment) != "" {
		if t.parameter == nil {
			t.parameter = &route{}
		}
		return t.parameter
	}
	if t.next == nil {
		t.next = map[string]*route{}
	}
	if t.next[segment] == nil {
		t.next[segment] = &route{}
	}
	return t.next[segment]
}

// find returns the operation that a path without query belongs to, or nil. A constant
// beats a parameter. Empty segments do not count, as in package leaf, which numbers the
// others.
func (t *route) find(method, path string) *Operation {
	path = strings.TrimLeft(path, "/")
	if path == "" {
		i := slices.IndexFunc(t.here, func(o *Operation) bool {
			return slices.Contains(o.Methods, method)
		})
		if i < 0 {
			return nil
		}
		return t.here[i]
	}
	segment, rest, _ := strings.Cut(path, "/")
	if next := t.constant(segment); next != nil {
		if o := next.find(method, rest); o != nil {
			return o
		}
	}
	if t.parameter == nil {
		return nil
	}
	return t.parameter.find(method, rest)
}

// constant returns the node below a segment of a raw path, which may have escaped what
// needs no escape.
func (t *route) constant(raw string) *route {
	if next := t.next[raw]; next != nil || !strings.Contains(raw, "%") {
		return next
	}
	segment, err := url.PathUnescape(raw)
	if err != nil {
		return nil
	}
	return t.next[segment]
}

// parameter returns the name in a segment of the form {name}; "" for a constant.
func parameter(segment string) string {
	if len(segment) > 2 && segment[0] == '{' && segment[len(segment)-1] == '}' {
		return segment[1 : len(segment)-1]
	}
	return ""
}

// under reports whether a path lies below a prefix that ends with "/", or is it.
func under(prefix, path string) bool {
	return strings.HasPrefix(path, prefix) || path == prefix[:len(prefix)-1]
}

// clash reports whether some call would belong to both operations and neither pattern is
// the more special one.
func clash(a, b *Operation) bool {
	if !slices.ContainsFunc(a.Methods, func(m string) bool {
		return slices.Contains(b.Methods, m)
	}) {
		return false
	}
	as, bs := strings.Split(a.Path, "/"), strings.Split(b.Path, "/")
	if len(as) != len(bs) {
		return false
	}
	aSpecial, bSpecial := false, false
	for i := range as {
		aConst, bConst := parameter(as[i]) == "", parameter(bs[i]) == ""
		if aConst && bConst && as[i] != bs[i] {
			return false
		}
		aSpecial = aSpecial || aConst && !bConst
		bSpecial = bSpecial || bConst && !aConst
	}
	return aSpecial == bSpecial
}

// HasSegments reports whether some segment of the path stands for a parameter.
func (o *Operation) HasSegments() bool { return strings.IndexByte(o.Path, '{') >= 0 }

// Segment returns the name of the {parameter} that path segment i, counted from 0, stands
// for; "" if it is a constant or there is none. A path parameter is a field of the request
// like any other, and its row has the name between the braces: for "/v2/cards/{id}" the
// row is "id".
func (o *Operation) Segment(i int) string {
	for segment := range strings.SplitSeq(strings.TrimPrefix(o.Path, "/"), "/") {
		if i == 0 {
			return parameter(segment)
		}
		i--
	}
	return ""
}
