package scan

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
)

// Bounds of a decoder. Every byte that some decoder yields is paid for from a budget, so the time
// is linear in the text whatever is in it; a text that is mostly base64 costs three bytes for each
// of its own.
const (
	maxDecodings = 8       // of base64, hex, UTF-16 and compression: gzip in base64 counts two
	budgetFactor = 16      // bytes for each byte of the text
	budgetFloor  = 2 << 20 // and for the text as a whole
)

// DecodeBudget returns how many bytes may be decoded in a text of n bytes.
func DecodeBudget(n int) int { return budgetFloor + budgetFactor*n }

// Decoder finds the views of texts.
//
// A view that is noise to every reader is not reported: of what was decoded only the stretches of
// text count, and the card data of a TLV. It is not safe for concurrent use.
type Decoder struct {
	leaf.Unprinted
	// Visit is called for every view of a text, the views of views included; the text itself is
	// none.
	Visit func(*View)
	// Closed is told of stretches of a view that hold more than the bounds allow. Nil: nobody is.
	Closed func(v *View, from, to int)
	// Budget is how many bytes may still be decoded; it is below zero when it did not suffice.
	Budget int

	inflater inflater
	room     []byte // for a decoding that may hold nothing, as most do
}

// Decode finds the views of a text.
func (p *Decoder) Decode(text string) { p.findViews(&View{Text: text}, layers{}) }

// layers counts what has been undone on the way to a view.
type layers struct {
	decodings int // by decoding a stretch
	escapes   int // since then
}

// findViews finds the views of a view.
func (p *Decoder) findViews(v *View, below layers) {
	if below.decodings < maxDecodings {
		p.decodeRuns(v, below)
	}
	if below.escapes < maxEscapes {
		p.unescapeLines(v, below)
	}
}

// report reports a view and finds the views in it.
func (p *Decoder) report(v *View, below layers) {
	if p.Budget -= len(v.Text); p.Budget < 0 {
		return
	}
	p.Visit(v)
	p.findViews(v, below)
}

// unescapeLines undoes one layer of escapes, line by line: most lines have none.
func (p *Decoder) unescapeLines(v *View, below layers) {
	s := v.Text
	for from := 0; from < len(s); {
		to := len(s)
		if n := strings.IndexByte(s[from:], '\n'); n >= 0 {
			to = from + n + 1
		}
		pluses := " "
		if line := s[from:to]; strings.IndexByte(line, '+') >= 0 && strings.ContainsAny(line, `\%`) {
			pluses = " +" // of a form, or of base64 whose ends of lines are escaped
		}
		for _, plus := range []byte(pluses) {
			if text := unescapeWith(s[from:to], plus, nil); text != "" {
				e := &escaped{line: s[from:to], start: from, plus: plus}
				child := &View{Text: text, parent: v, place: e.place, line: e.line}
				p.report(child, layers{below.decodings, below.escapes + 1})
			}
		}
		from = to
	}
}

// escaped is a line under escapes.
type escaped struct {
	line    string
	start   int   // of the line in its text
	plus    byte  // what '+' stands for
	offsets []int // for each byte without escapes; computed when first asked for
}

func (e *escaped) place(from, to int) (int, int) {
	if e.offsets == nil {
		unescapeWith(e.line, e.plus, &e.offsets)
	}
	return e.start + e.offsets[from], e.start + e.offsets[to]
}

// decodeRuns decodes the stretches of a view that base64 or hex may be, and UTF-16.
func (p *Decoder) decodeRuns(v *View, below layers) {
	s := v.Text
	for i, _ := nextLongRun(s, 0); i < len(s) && p.Budget > 0; i, _ = nextLongRun(s, i) {
		r := runAt(s, i)
		i = r.to
		if !r.worthDecoding() || below.escapes > 0 && unchanged(v, r) {
			continue
		}
		p.decodeRun(v, r, below)
	}
	if strings.IndexByte(s, 0) >= 0 {
		p.readUTF16([]byte(s), source{v, asIs, below, false})
	}
	if isBinary(s) {
		p.inflateRaw(v, below)
	}
}

// maxSearched is the length of a line up to which a run is searched for in the line. In a longer
// line the search would cost more than to compute where the run came from.
const maxSearched = 4 << 10

// isBinary reports whether bytes are not all of a text.
func isBinary(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && !isPlainText(c) {
			return true
		}
	}
	return !utf8.ValidString(s)
}

// Bounds of the search for a compressed stream among bytes that are no text.
const (
	maxRaw     = 64 // streams that are tried
	maxTextual = 64 // bytes at the beginning of a stream that may look like text
)

// inflateRaw opens compressed data among the bytes of a view, as escapes may carry it. Compressed
// data begins with its magic, or where a value begins.
func (p *Decoder) inflateRaw(v *View, below layers) {
	b := []byte(v.Text)
	left := maxRaw
	for i := 0; i+minDeflate <= len(b) && left > 0; i++ {
		begins := i == 0 || strings.IndexByte("=&?/\"'<>:;,# \n\r\t{[(", b[i-1]) >= 0
		magic := strings.HasPrefix(v.Text[i:], gzipMagic)
		if !magic && !begins || !isBinary(v.Text[i:min(i+maxTextual, len(b))]) {
			continue
		}
		as, ok := streamStart(b[i:])
		if magic {
			as, ok = gzipFormat, true
		}
		if ok {
			left--
			p.inflateStream(b[i:], as, source{v, shifted(i), below, true})
		}
	}
}

// unchanged reports whether a run stands in the parent of a view as it is, where the run has been
// looked into already. Behind letters that belong to an escape a run of the parent begins
// elsewhere.
func unchanged(v *View, r base64Run) bool {
	in, at := v.line, 0
	if len(v.line) <= maxSearched {
		at = strings.Index(v.line, v.Text[r.from:r.to])
	} else {
		from, to := v.place(r.from, r.to)
		if in, at = v.parent.Text, from; in[from:to] != v.Text[r.from:r.to] {
			return false
		}
	}
	return at == 0 || at > 0 && base64Values[in[at-1]] < 0
}

// decodeRun reads what a run holds in any of its decodings.
func (p *Decoder) decodeRun(v *View, r base64Run, below layers) {
	var list [someDecodings]decoding
	for _, d := range r.decodings(list[:0]) {
		p.room = d.appendTo(p.room[:0], r)
		if !mayRead(p.room, d.first) {
			p.Budget -= len(p.room)
			continue
		}
		p.readDecoded(bytes.Clone(p.room), source{v, d.place(r), below, d.first})
	}
}

// readDecoded finds what is to be read in decoded bytes.
func (p *Decoder) readDecoded(b []byte, o source) {
	if p.Budget -= len(b); p.Budget < 0 {
		return
	}
	below := layers{decodings: o.below.decodings + 1}
	texts := 0
	for from, to := range textRuns(b) {
		texts += to - from
		p.report(&View{Text: string(b[from:to]), parent: o.view, place: o.within(from, 1)}, below)
	}
	if texts == len(b) {
		return
	}
	p.readUTF16(b, o)
	for from, to := range cardTLVs(b) {
		where := o.whole(from, to)
		p.report(&View{Text: bcdText(b[from:to]), parent: o.view, place: where.place}, below)
	}
	if below.decodings < maxDecodings {
		p.inflateDecoded(b, source{o.view, o.place, below, o.first})
	}
}

// readUTF16 finds UTF-16 in bytes, in either order.
func (p *Decoder) readUTF16(b []byte, o source) {
	below := layers{decodings: o.below.decodings + 1}
	if high, ok := byteOrder(b); ok {
		all := o.whole(0, len(b)) // characters are of several lengths
		p.report(&View{Text: decodeUTF16(b[2:], high), parent: o.view, place: all.place}, below)
		return
	}
	for text, from := range utf16Runs(b) {
		p.report(&View{Text: text, parent: o.view, place: o.within(from, 2)}, below)
	}
}

// inflateDecoded opens what begins like gzip, zlib or a raw deflate stream.
func (p *Decoder) inflateDecoded(b []byte, o source) {
	for at, format := range compressedAt(b, o.first) {
		place := func(from, to int) (int, int) { return o.place(at+from, at+to) }
		p.inflateStream(b[at:], format, source{o.view, place, o.below, o.first})
	}
}

// inflateStream opens a compressed stream.
func (p *Decoder) inflateStream(b []byte, as format, o source) {
	got, ok := p.inflater.inflate(b, as)
	if p.Budget -= len(got); !ok || len(got) < minTextRun {
		return
	}
	o = o.whole(0, p.inflater.read)
	p.readDecoded(got, o)
	p.reportClosed(got, len(b), o)
}

// reportClosed tells of a stream of n bytes that was not read to its end. Noise that passes for a
// stream does not begin with text.
func (p *Decoder) reportClosed(got []byte, n int, o source) {
	if p.Closed == nil || len(got) < inflateLimit(n) {
		return
	}
	for range textRuns(got[:min(len(got), 64)]) {
		from, to := o.place(0, 0)
		p.Closed(o.view, from, to)
		return
	}
}

// MayDecode reports whether a Decoder may find a view other than escapes in a text. It turns most
// texts away at a look: texts with no run that is long enough and may hold anything, no zeros, no
// escapes that could hide a run, and no bytes that are no text.
func MayDecode(s string) bool { return len(s) >= minBase64 && LookAt(s).MayDecode(s, nil) }

// MayDecode is MayDecode for a text that was looked at. Whether a run may hold anything is asked of
// a memo first: most runs are names of fields. Without the memo BenchmarkMayDecode takes four times
// as long.
func (l Look) MayDecode(s string, runs *Memo) bool {
	if len(s) < minBase64 {
		return false
	}
	if l.MayEscape() && (strings.IndexByte(s, '%') >= 0 || strings.IndexByte(s, '\\') >= 0 ||
		strings.Contains(s, "&#")) || l.mayBeBinary() && isBinary(s) {
		return true
	}
	for i, to := nextLongRun(s, 0); i < len(s); i, to = nextLongRun(s, to) {
		r := base64Run{text: s[i:to]}
		if to-i >= minWrapped || r.worthDecoding() && runs.Answer(r.text, r.mayHold) {
			return true
		}
	}
	return false
}
