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
	holders    slab.Of[holders]
	last       *holders // those that were kept last
	names      slab.Of[NameValue]
	holes      slab.Of[Hole]
	writings   slab.Of[Writing]
	sources    slab.Of[Source]
	pieces     slab.Of[Piece]
	fillings   slab.Of[Filling]
	refs       slab.Of[Ref] // with steps
	steps      slab.Of[Step]
	links      slab.Of[Link]
	listings   slab.Of[Listing]
	frames     slab.Of[Frame]
	kept       restSlabs // those of the tape when it is compiled
	texts      slab.Texts

	kin slab.Of[*Entity] // wholes, scopes and parts as they grow
	restSlabs
	holding slab.Of[holders] // as they grow
	values  slab.Of[value]
	notes   slab.Of[notes]
}

// restSlabs are the memory of the rests of recordings.
type restSlabs struct {
	rests      slab.Of[Rest]
	tokens     slab.Of[string]
	attributes slab.Of[Attribute]
	namings    slab.Of[Naming]
}
