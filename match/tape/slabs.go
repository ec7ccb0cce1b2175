package tape

import "github.com/paytape/paytape/internal/slab"

// slabs are the memory of a tape while it is compiled. What they give out lives as long as the tape,
// but for the last of them, which live until it is compiled.
type slabs struct {
	recordings slab.Of[Recording]
	asked      slab.Of[Asked]
	requests   slab.Of[*Asked]
	named      slab.Of[Named]
	entities   slab.Of[Entity]
	mores      slab.Of[more]
	relatives  slab.Of[*Entity] // roles, births, wholes, scopes and parts
	scopes     []*Entity        // of the last entity that had any
	names      slab.Of[NameValue]
	holes      slab.Of[Hole]
	writings   slab.Of[Writing]
	sources    slab.Of[Source]
	pieces     slab.Of[Piece]
	texts      slab.Texts

	kin        slab.Of[*Entity] // wholes, scopes and parts as they grow
	rests      slab.Of[Rest]
	tokens     slab.Of[string]
	attributes slab.Of[Attribute]
	namings    slab.Of[Naming]
	values     slab.Of[value]
	notes      slab.Of[notes]
}
