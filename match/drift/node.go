package drift

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
)

// node is a part of a message: a value, an object or an array. In markup an element may have a text
// and children.
type node struct {
	path  string
	value *value // nil for an object and an array
	kids  []*node
	names []string // of the kids: a member, or the index of an item
	at    map[string]int
	more  int    // values beside value
	text  string // as digested; empty until asked for
}

// maxDepth bounds the depth of a tree. What lies deeper is named by the rest of its path.
const maxDepth = 200

// treeOf puts the values of one body together.
func treeOf(values []*value) *node {
	root := &node{}
	for _, v := range values {
		n := root
		for rest, end := v.path, 0; rest != ""; {
			name, size := firstStep(rest)
			if strings.Count(n.path, ".") > maxDepth {
				name, size = rest, len(rest)
			}
			end += size
			rest = rest[size:]
			n = n.kid(name, strings.TrimRight(v.path[:end], ".>"))
		}
		n.add(v)
	}
	return root
}

// firstStep returns the first name, or index, of a path, and how many bytes the name has with the
// separator behind it.
func firstStep(path string) (name string, size int) {
	from := 0
	if path[0] == '.' || path[0] == '>' {
		from = 1
	}
	if from < len(path) && path[from] == '[' {
		if end := strings.IndexByte(path[from:], ']'); end > 0 {
			return path[from : from+end+1], from + end + 1
		}
	}
	for i := from; i < len(path); i++ {
		switch path[i] {
		case '\\':
			i++
		case '.', '>', '[':
			if i > from {
				return path[from:i], i
			}
		}
	}
	return path[from:], len(path)
}

// kid returns the child of a name, which is made if it is not there.
func (n *node) kid(name, path string) *node {
	if i, found := n.at[name]; found {
		return n.kids[i]
	}
	if n.at == nil {
		n.at = map[string]int{}
	}
	k := &node{path: path}
	n.at[name] = len(n.kids)
	n.kids, n.names = append(n.kids, k), append(n.names, name)
	return k
}

// add sets the value of a node. A second one, of a key that is there twice or a text behind a child, is
// a child by the side.
func (n *node) add(v *value) {
	if n.value == nil {
		n.value = v
		return
	}
	for {
		n.more++
		name := "#" + strconv.Itoa(n.more+1)
		if _, found := n.at[name]; !found {
			n.kid(name, n.path+name).value = v
			return
		}
	}
}

// isArray reports whether the children of a node are the items of an array.
func (n *node) isArray() bool {
	if n.value != nil {
		return n.value.kind == leaf.Empty && n.value.raw == "[]" && len(n.kids) == 0
	}
	for i, name := range n.names {
		if name != "["+strconv.Itoa(i)+"]" {
			return false
		}
	}
	return len(n.kids) > 0
}

// isObject reports whether a node has members, or could have.
func (n *node) isObject() bool {
	if n.value != nil && len(n.kids) == 0 {
		return n.value.kind == leaf.Empty && n.value.raw == "{}"
	}
	return !n.isArray()
}

// kind names the type of a node.
func (n *node) kind() string {
	switch {
	case n.isArray():
		return "array"
	case n.isObject():
		return "object"
	}
	return kinds[n.value.kind]
}

// kinds are the names of the types of values.
var kinds = map[leaf.Kind]string{
	leaf.String: "string", leaf.Number: "number", leaf.Bool: "boolean", leaf.Null: "null",
}

// String writes a node for people.
func (n *node) String() string {
	switch {
	case n.isArray():
		return "array of " + count.Of(len(n.kids), "item")
	case n.isObject():
		return "object with " + count.Of(len(n.kids), "member")
	}
	return n.value.String()
}

// digest returns a text that is equal for nodes that say the same.
func (n *node) digest() string {
	if n.text == "" {
		var b strings.Builder
		if v := n.value; v != nil {
			fmt.Fprintf(&b, "%d%q", v.kind, v.folded())
		}
		for i, k := range n.kids {
			fmt.Fprintf(&b, "{%q%s}", n.names[i], k.digest())
		}
		n.text = b.String() + "."
	}
	return n.text
}

// folded returns what a value is digested by.
func (v *value) folded() string {
	if v.loose {
		return "<>"
	}
	return v.fold
}

// keyed returns the items of a name/value list by their names; nil for any other array.
func (n *node) keyed() map[string]*node {
	by := map[string]*node{}
	for _, item := range n.kids {
		i, found := item.at["name"]
		if !found || item.kids[i].value == nil || item.at["value"] == 0 && len(item.kids) < 2 {
			return nil
		}
		name := item.kids[i].value.fold
		if _, has := item.at["value"]; !has || by[name] != nil {
			return nil
		}
		by[name] = item
	}
	return by
}
