package leaf

import (
	"hash/maphash"
	"strconv"
	"strings"
	"sync/atomic"
)

// join adds a member to a path; a dot inside a key is escaped. Messages of an API have a few
// hundred paths among them, so paths that were joined lately are kept: where messages are alike,
// their paths are the same strings, and cost no memory.
func join(path, key string) string {
	if path == "" || strings.HasSuffix(path, ">") || len(path)+len(key) > longestJoined ||
		strings.IndexByte(key, '.') >= 0 {
		return joinAnew(path, key)
	}
	hash := maphash.String(joinSeed, path)*31 + maphash.String(joinSeed, key)
	places := &joinedLately[hash%uint64(len(joinedLately))]
	for i := range places {
		j := places[i].Load()
		if j != nil && j.path() == path && j.separator() == '.' && j.key() == key {
			return j.text
		}
	}
	return places.keep(&joined{joinAnew(path, key), len(path)})
}

// indexed adds the index of an element to a path: "orders[3]". Paths of the first elements are kept
// as join keeps them.
func indexed(path string, i int) string {
	const kept = 64
	if path == "" || i >= kept || len(path) > longestJoined {
		return path + "[" + strconv.Itoa(i) + "]"
	}
	places := &joinedLately[(maphash.String(joinSeed, path)+uint64(i))%uint64(len(joinedLately))]
	index := strconv.Itoa(i) // which is in the program
	for n := range places {
		j := places[n].Load()
		if j != nil && j.path() == path && j.separator() == '[' &&
			strings.TrimSuffix(j.key(), "]") == index {
			return j.text
		}
	}
	return places.keep(&joined{path + "[" + index + "]", len(path)})
}

func joinAnew(path, key string) string {
	if strings.IndexByte(key, '.') >= 0 { // of nearly none
		key = strings.ReplaceAll(key, ".", `\.`)
	}
	if path == "" || strings.HasSuffix(path, ">") {
		return path + key
	}
	return path + "." + key
}

// joined is a path and where the path ends that a member or an element was added to. It keeps nothing
// of the message that it came from.
type joined struct {
	text string
	end  int
}

func (j *joined) path() string    { return j.text[:j.end] }
func (j *joined) separator() byte { return j.text[j.end] } // "." before a member, "[" before an index
func (j *joined) key() string     { return j.text[j.end+1:] }

// longestJoined is the length of what is worth keeping, in bytes. With the number of places it
// bounds what is kept to 1 MB.
const longestJoined = 200

// joinedLately has two places for each hash of a path and a key, for what was joined last of those
// that have the hash. With one place, each fiftieth process had two paths of one message that took it from
// one another with every message.
var (
	joinedLately [1 << 11]joinedPlaces
	joinSeed     = maphash.MakeSeed()
)

type joinedPlaces [2]atomic.Pointer[joined]

// keep keeps what was joined, and what was kept last before, and returns the path.
func (p *joinedPlaces) keep(j *joined) string {
	p[1].Store(p[0].Load())
	p[0].Store(j)
	return j.text
}
