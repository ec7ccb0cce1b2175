package pretty

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// beside finds values near a value: an amount has its currency beside it, or further up.
type beside struct {
	paths map[string]string // the first value of each path
	keys  map[string]string // the first value of each key
}

func newBeside(m *leaf.Message) *beside {
	b := &beside{map[string]string{}, map[string]string{}}
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Key == "" || l.Value == "" {
			continue
		}
		for at, value := range map[string]map[string]string{l.Path: b.paths, l.Key: b.keys} {
			if at = strings.ToLower(at); value[at] == "" {
				value[at] = l.Value
			}
		}
	}
	return b
}

// find returns the value of a key in the object that a value lies in, else in an object around it,
// else the first of the message.
func (b *beside) find(l *leaf.Leaf, key string) (string, bool) {
	for path := strings.ToLower(l.Path); path != ""; {
		path = path[:max(0, strings.LastIndexAny(path, ".>"))]
		if value := b.paths[strings.TrimPrefix(path+"."+key, ".")]; value != "" {
			return value, true
		}
	}
	value := b.keys[key]
	return value, value != ""
}
