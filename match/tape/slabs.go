package tape

import "github.com/paytape/paytape/internal/slab"

// slabs are the memory of a tape while it is compiled. What they give out lives as long as the tape,
// but for the last of them, which live until it is compiled.
type slabs struct {
	recordings  slab.Of[Recording]
	entities    slab.Of[Entity]
	mores       slab.Of[more]
	relatives   slab.Of[*Entity] // roles, births, wholes, scopes and parts
	holders     slab.Of[holders]
	last        *holders // those that were kept last
	fillings    slab.Of[Filling]
	links       slab.Of[Link]
	listings    slab.Of[Listing]
	items       slab.Of[Item]
	frames      slab.Of[Frame]
	kept        keptSlabs // those of the tape when it is compiled
	texts       slab.Texts
	entityNames slab.Texts

	drafts   slab.Texts // what fills holes, and names entities
	asked    slab.Of[Asked]
	requests slab.Of[*Asked]
	named    slab.Of[Named]
	asking   slab.Of[form] // of open parameters
	holes    slab.Of[Hole]
	pieces   slab.Of[Piece]
	open     slab.Of[layout]
	stepped  slab.Of[Filling] // those of ways with steps
	writings slab.Of[Writing] // of one hole each
	templateSlabs
	kin slab.Of[*Entity] // wholes, scopes and parts as they grow
	restSlabs
	holding slab.Of[holders] // as they grow
	values  slab.Of[value]
	notes   slab.Of[notes]
}

// keptSlabs are the memory of what is copied when the tape is compiled.
type keptSlabs struct {
	restSlabs
	templateSlabs
	layouts  slab.Of[layout]
	parts    slab.Of[part]
	forms    slab.Of[form]
	inForms  slab.Of[formPart]
	asked    slab.Of[Asked]
	writings slab.Of[Writing]
}

// templateSlabs are the memory of sources, and of ways with steps.
type templateSlabs struct {
	sources slab.Of[Source]
	refs    slab.Of[Ref]
	steps   slab.Of[Step]
}

// restSlabs are the memory of the rests of recordings.
type restSlabs struct {
	rests      slab.Of[Rest]
	tokens     slab.Of[string]
	attributes slab.Of[Attribute]
	namings    slab.Of[Naming]
}
