package tape

import "github.com/paytape/paytape/internal/slab"

// slabs are the memory of a tape while it is compiled. What they give out lives as long as the tape,
// but for values and notes, which live until it is compiled.
type slabs struct {
	recordings slab.Of[Recording]
	asked      slab.Of[Asked]
	requests   slab.Of[*Asked]
	named      slab.Of[Named]
	entities   slab.Of[Entity]
	relatives  slab.Of[*Entity] // roles, births, wholes, scopes and parts
	tokens     slab.Of[string]
	attributes slab.Of[Attribute]
	namings    slab.Of[Naming]
	names      slab.Of[NameValue]
	holes      slab.Of[Hole]
	writings   slab.Of[Writing]
	sources    slab.Of[Source]
	pieces     slab.Of[Piece]
	texts      slab.Texts

	values slab.Of[value]
	notes  slab.Of[notes]
}
