package scan

import "github.com/paytape/paytape/internal/leaf"

// View is what some reader could make of a stretch of a text: the escapes of a line undone, a
// stretch of base64 or hex decoded, what was compressed in it.
//
// A view knows the way back: Origin leads from its bytes to the bytes of the text. A cleaner that
// finds a secret in a view has to replace the stretch; an audit, which only reports, needs the
// place.
type View struct {
	leaf.Unprinted
	Text string // as that reader sees it
	// parent is what this is a view of. Nil: the text itself.
	parent *View
	// place returns the stretch of the parent that the bytes [from, to) of text came from. What
	// was compressed came from all of its stretch.
	place func(from, to int) (int, int)
	// line is the stretch of the parent whose escapes were undone; empty for what was decoded.
	line string
}

// Origin returns the stretch of the text itself that the bytes [from, to) of a view came from.
func (v *View) Origin(from, to int) (int, int) {
	for ; v.parent != nil; v = v.parent {
		from, to = v.place(from, to)
	}
	return from, to
}

// asIs is the place of bytes that are the text itself.
func asIs(from, to int) (int, int) { return from, to }

// shifted is the place of bytes that are the text from an offset on.
func shifted(at int) func(from, to int) (int, int) {
	return func(from, to int) (int, int) { return at + from, at + to }
}

// source is where decoded bytes come from: a stretch of a view.
type source struct {
	view *View
	// place leads from a stretch of the bytes to a stretch of the view's text.
	place func(from, to int) (int, int)
	below layers
	// first says that the bytes begin where the stretch does.
	first bool
}

// within returns the source of the bytes from an offset on, of which size stand for one byte of the
// view.
func (o source) within(at, size int) func(from, to int) (int, int) {
	return func(from, to int) (int, int) { return o.place(at+size*from, at+size*to) }
}

// whole is the place of bytes that came from all of a stretch.
func (o source) whole(from, to int) source {
	from, to = o.place(from, to)
	o.place = func(int, int) (int, int) { return from, to }
	return o
}

// Decoded reports whether more than escapes was undone on the way to a view.
func (v *View) Decoded() bool {
	for ; v.parent != nil; v = v.parent {
		if v.line == "" {
			return true
		}
	}
	return false
}
