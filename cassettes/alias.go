package cassettes

import (
	"errors"
	"math"

	"go.yaml.in/yaml/v3"
)

// errAliases is returned for a file whose aliases stand for more than the file itself: three
// thousand of one body of 1 MB would be 3 GB.
var errAliases = errors.New("the aliases of the file stand for more than the file itself")

// Expands reports whether the aliases of a document stand for more than its file, whose size is
// given in bytes.
func Expands(tree *yaml.Node, size int64) bool {
	a := aliases{sizes: map[*yaml.Node]int64{}}
	a.size(tree)
	return a.added > size
}

// aliases measure how much longer the aliases of a document make it.
type aliases struct {
	sizes map[*yaml.Node]int64 // of anchored nodes; endless while it is being measured
	added int64
}

// endless is longer than any document: an alias inside of what it stands for.
const endless = math.MaxInt64 / 4

// size returns how many bytes a node has, with all that its aliases stand for.
func (a *aliases) size(n *yaml.Node) int64 {
	if n.Kind == yaml.AliasNode {
		size := a.size(n.Alias)
		a.added = min(a.added+size, endless)
		return size
	}
	if size, known := a.sizes[n]; known {
		return size
	}
	if n.Anchor != "" {
		a.sizes[n] = endless
	}
	size := int64(len(n.Value)) + 1 // an empty node takes room too
	for _, child := range n.Content {
		size = min(size+a.size(child), endless)
	}
	if n.Anchor != "" {
		a.sizes[n] = size
	}
	return size
}
