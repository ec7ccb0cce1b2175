package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The digest of a profile is one of its meaning, and not of its text: who adds a comment or sorts
// the rows has changed nothing that a tape depends on, and who changes a row of a base has changed
// every profile on top of the base.

// wordsForPeople are the keys of what is neither recorded nor replayed by: at the top of a profile,
// and in an operation.
var wordsForPeople = []string{extendsKey, "title", "document", "doc", "outcome"}

// digestOf sums up a profile with its bases.
func digestOf(root *yaml.Node) string {
	sum := sha256.New()
	digest(sum, root, nil)
	return hex.EncodeToString(sum.Sum(nil))
}

// digest writes a node in one form: keys are sorted, and every text has its length before it.
func digest(to hash.Hash, n *yaml.Node, path []string) {
	switch n.Kind {
	case yaml.MappingNode:
		type member struct {
			key   string
			value *yaml.Node
		}
		var all []member
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := text(n.Content[i])
			if !forPeople(append(path, key)) {
				all = append(all, member{key, n.Content[i+1]})
			}
		}
		slices.SortFunc(all, func(a, b member) int { return strings.Compare(a.key, b.key) })
		_, _ = fmt.Fprintf(to, "{%d", len(all))
		for _, m := range all {
			_, _ = fmt.Fprintf(to, "%d:%s", len(m.key), m.key)
			digest(to, m.value, append(path, m.key))
		}
	case yaml.SequenceNode:
		_, _ = fmt.Fprintf(to, "[%d", len(n.Content))
		for _, item := range n.Content {
			digest(to, item, append(path, ""))
		}
	default:
		said := strings.Join(strings.Fields(n.Value), " ")
		_, _ = fmt.Fprintf(to, "=%d:%s", len(said), said)
	}
}

// forPeople reports whether nothing is recorded or replayed by what stands at a path of keys.
func forPeople(path []string) bool {
	last := path[len(path)-1]
	return slices.Contains(wordsForPeople, last) &&
		(len(path) == 1 || len(path) == 3 && path[0] == "operations" && last != "outcome")
}
