package redact

import (
	"strings"
	"unicode/utf8"
)

// Bounds of a peeler. Every byte that some decoder yields is paid for from a budget, so the time
// is linear in the text whatever is in it; a text that is mostly base64 costs three for one.
const (
	maxPeels   = 8       // of base64, hex, UTF-16 and compression: gzip in base64 counts two
	peelFactor = 16      // bytes for each byte of the text
	peelFloor  = 2 << 20 // and for the text as a whole
)

// peeler finds the views of one text.
type peeler struct {
	visit    func(*view)
	budget   int // bytes that may still be decoded
	inflater *inflater
	// closed is told of stretches of a view that hold more than the bounds allow. Nil: nobody is.
	closed func(v *view, from, to int)
}

// newPeeler returns a peeler that calls visit for every view of a text, the views of views
// included; the text itself is none. A view that is noise to every reader is not reported: of
// what was decoded only the stretches of text count, and the card data of a TLV.
func newPeeler(text string, visit func(*view)) *peeler {
	return &peeler{
		visit: visit, budget: peelFloor + peelFactor*len(text), inflater: &inflater{},
	}
}

// peel finds the views of the text.
func (p *peeler) peel(text string) { p.open(&view{text: text}, layers{}) }

// layers counts what has been undone on the way to a view.
type layers struct {
	peels   int // by decoding a stretch
	escapes int // since then
}

// open finds the views of a view.
func (p *peeler) open(v *view, below layers) {
	if below.peels < maxPeels {
		p.stretches(v, below)
	}
	if below.escapes < maxViews {
		p.lines(v, below)
	}
}

// child reports a view and finds those in it.
func (p *peeler) child(v *view, below layers) {
	if p.budget -= len(v.text); p.budget < 0 {
		return
	}
	p.visit(v)
	p.open(v, below)
}

// lines undoes one layer of escapes, line by line: most lines have none.
func (p *peeler) lines(v *view, below layers) {
	s := v.text
	for from := 0; from < len(s); {
		to := len(s)
		if n := strings.IndexByte(s[from:], '\n'); n >= 0 {
			to = from + n + 1
		}
		if text := unwrap(s[from:to], nil); text != "" {
			e := &escaped{line: s[from:to], start: from}
			child := &view{text: text, parent: v, place: e.place, line: e.line}
			p.child(child, layers{below.peels, below.escapes + 1})
		}
		from = to
	}
}

// escaped is a line under escapes.
type escaped struct {
	line    string
	start   int   // of the line in its text
	offsets []int // for each byte without escapes; computed when first asked for
}

func (e *escaped) place(from, to int) (int, int) {
	if e.offsets == nil {
		unwrap(e.line, &e.offsets)
	}
	return e.start + e.offsets[from], e.start + e.offsets[to]
}

// stretches decodes the stretches of a view that base64 or hex may be, and UTF-16.
func (p *peeler) stretches(v *view, below layers) {
	s := v.text
	for i, _ := longRun(s, 0); i < len(s) && p.budget > 0; i, _ = longRun(s, i) {
		r := runAt(s, i)
		i = r.to
		if !r.promising() || below.escapes > 0 && unchanged(v, r) {
			continue
		}
		p.run(v, r, below)
	}
	if strings.IndexByte(s, 0) >= 0 {
		p.wide([]byte(s), source{v, asIs, below, false})
	}
	if noisy(s) {
		p.raw(v, below)
	}
}

// maxSought is the length of a line up to which a run is searched for in it. In a longer one that
// would cost more than to compute where it came from.
const maxSought = 4 << 10

// noisy reports whether bytes are not all of a text.
func noisy(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && !plainText(c) {
			return true
		}
	}
	return !utf8.ValidString(s)
}

// Bounds of the search for a stream among bytes that are no text: how often it is tried, and how
// many bytes of one may look like text.
const (
	maxRaw   = 64
	maxQuiet = 64
)

// raw opens compressed data among the bytes of a view, as escapes may carry it. It begins with its
// magic, or where a value begins.
func (p *peeler) raw(v *view, below layers) {
	b := []byte(v.text)
	left := maxRaw
	for i := 0; i+minDeflate <= len(b) && left > 0; i++ {
		begins := i == 0 || strings.IndexByte("=&?/\"'<>:;,# \n\r\t{[(", b[i-1]) >= 0
		magic := strings.HasPrefix(v.text[i:], gzipMagic)
		if !magic && !begins || !noisy(v.text[i:min(i+maxQuiet, len(b))]) {
			continue
		}
		as, ok := streamStart(b[i:])
		if magic {
			as, ok = gzipFormat, true
		}
		if ok {
			left--
			p.stream(b[i:], as, source{v, shifted(i), below, true})
		}
	}
}

// unchanged reports whether a run stands in the parent of a view as it is, where it has been
// looked into. Behind letters that belong to an escape it begins elsewhere there.
func unchanged(v *view, r run) bool {
	in, at := v.line, 0
	if len(v.line) <= maxSought {
		at = strings.Index(v.line, v.text[r.from:r.to])
	} else {
		from, to := v.place(r.from, r.to)
		if in, at = v.parent.text, from; in[from:to] != v.text[r.from:r.to] {
			return false
		}
	}
	return at == 0 || at > 0 && base64Values[in[at-1]] < 0
}

// run decodes a run as hex and as base64, at every alignment: what stands before a stretch may
// be of the same letters.
func (p *peeler) run(v *view, r run, below layers) {
	covered := false
	for from, to := range hexRuns(r.text) {
		covered = covered || from == 0 && to == len(r.text)
		for shift := range 2 {
			at := from + shift
			b := decodeHex(r.text[at:to])
			p.decoded(b, source{v, func(from, to int) (int, int) {
				return r.place(at+2*from, at+2*to)
			}, below, shift == 0})
		}
	}
	if covered || !capital(r.text) {
		return
	}
	for shift := range 4 {
		p.packed(v, r, packedFrom{shift, shift == 0, below})
	}
	for at := range streamStarts(r.text) {
		p.packed(v, r, packedFrom{at, true, below})
	}
}

// packedFrom says where in a run base64 may begin.
type packedFrom struct {
	at    int
	first bool // and not only at a multiple of four from there
	below layers
}

// packed decodes the base64 of a run from an offset on.
func (p *peeler) packed(v *view, r run, start packedFrom) {
	p.decoded(decodePacked(r.text[start.at:]), source{v, func(from, to int) (int, int) {
		return r.place(start.at+4*from/3, start.at+(4*to+2)/3)
	}, start.below, start.first})
}

// decoded finds what is to be read in decoded bytes.
func (p *peeler) decoded(b []byte, o source) {
	if p.budget -= len(b); p.budget < 0 {
		return
	}
	below := layers{peels: o.below.peels + 1}
	texts := 0
	for from, to := range textRuns(b) {
		texts += to - from
		p.child(&view{text: string(b[from:to]), parent: o.view, place: o.within(from, 1)}, below)
	}
	if texts == len(b) {
		return
	}
	p.wide(b, o)
	for from, to := range cardTLVs(b) {
		where := o.whole(from, to)
		p.child(&view{text: bcdText(b[from:to]), parent: o.view, place: where.place}, below)
	}
	if below.peels < maxPeels {
		p.compressed(b, source{o.view, o.place, below, o.first})
	}
}

// wide finds UTF-16 in bytes, in either order.
func (p *peeler) wide(b []byte, o source) {
	below := layers{peels: o.below.peels + 1}
	if high, ok := byteOrder(b); ok {
		all := o.whole(0, len(b)) // characters are of several lengths
		p.child(&view{text: decodeWide(b[2:], high), parent: o.view, place: all.place}, below)
		return
	}
	for text, from := range wideRuns(b) {
		p.child(&view{text: text, parent: o.view, place: o.within(from, 2)}, below)
	}
}

// compressed opens what begins like gzip, zlib or a raw deflate stream.
func (p *peeler) compressed(b []byte, o source) {
	for at, format := range compressedAt(b, o.first) {
		place := func(from, to int) (int, int) { return o.place(at+from, at+to) }
		p.stream(b[at:], format, source{o.view, place, o.below, o.first})
	}
}

// stream opens one.
func (p *peeler) stream(b []byte, as format, o source) {
	got, ok := p.inflater.inflate(b, as)
	if p.budget -= len(got); !ok || len(got) < minText {
		return
	}
	o = o.whole(0, p.inflater.read)
	p.decoded(got, o)
	p.close(got, len(b), o)
}

// close tells of a stream of n bytes that was not read to its end. Noise that passes for a stream
// does not begin with text.
func (p *peeler) close(got []byte, n int, o source) {
	if p.closed == nil || len(got) < inflateLimit(n) {
		return
	}
	for range textRuns(got[:min(len(got), 64)]) {
		from, to := o.place(0, 0)
		p.closed(o.view, from, to)
		return
	}
}
