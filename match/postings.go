package match

import (
	"slices"

	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// postings tell where values stand in a list of recordings. A posting is the digest of a value, less
// its last bits, and the place of a recording that has the value in these bits. Postings are sorted, so
// that those of one value stand together, in the order of the recordings. Two values may have one
// digest by chance: whoever follows a posting compares.
type postings []uint64

// placeBits are the bits of a posting that hold a place. Recordings behind that many have no postings.
const (
	placeBits = 24
	placeMask = 1<<placeBits - 1
)

// add adds that the recording at a place has a value. The postings are to be sorted afterwards.
func (p *postings) add(value uint64, place int) {
	*p = append(*p, value&^placeMask|uint64(place))
}

// of returns the postings of a value.
func (p postings) of(value uint64) postings {
	from, _ := slices.BinarySearch(p, value&^placeMask)
	to, found := slices.BinarySearch(p[from:], value|placeMask)
	if found {
		to++
	}
	return p[from : from+to]
}

// place returns the place of the i-th posting.
func (p postings) place(i int) int { return int(p[i] & placeMask) }

// shape is what requests with the same parameters have in common, whatever values these have and in
// whatever order they come.
type shape uint64

func (s *shape) add(path string) { *s += shape(request.Digest(path)) }

// valuesOf returns the postings of the parameters of recordings, and of the shapes of the requests.
func valuesOf(recorded []*machine.Recording) postings {
	var p postings
	var asked []tape.Asked
	for i, r := range recorded[:min(len(recorded), placeMask+1)] {
		var shape shape
		asked = r.Request.Append(asked[:0])
		for j := range asked {
			a := &asked[j]
			shape.add(a.Path)
			p.add(request.Digest(a.Path, a.Text), i)
		}
		p.add(uint64(shape), i)
	}
	slices.Sort(p)
	return p
}

// pathsOf returns the postings of the paths of recordings. Of recordings of one path and method that
// follow each other only the first has a posting.
func pathsOf(recorded []*machine.Recording) postings {
	var p postings
	for i, r := range recorded[:min(len(recorded), placeMask+1)] {
		p.add(request.Digest(r.Target), i)
	}
	slices.Sort(p)
	return slices.CompactFunc(p, func(a, b uint64) bool {
		return a>>placeBits == b>>placeBits &&
			recorded[a&placeMask].Method == recorded[b&placeMask].Method
	})
}
