package verify

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
	"github.com/paytape/paytape/redact/surrogate"
)

// live are the values of a run that stand for values on tape.
type live struct {
	leaf.Unprinted
	named map[nounText]string
	text  map[string]string // of whatever noun; what stands on tape for a secret among them
	field map[string]string // by field: of secrets that all stand as one constant on tape, such as a CVC
}

type nounText struct{ noun, text string }

func newLive() *live {
	return &live{named: map[nounText]string{}, text: map[string]string{}, field: map[string]string{}}
}

// learn notes what an answer has brought: in the place of each variable of the recorded answer stands
// the live value.
func (v *live) learn(r *tape.Recording, onTape *leaf.Exchange, answer *leaf.Message) {
	var marks tape.Marks
	body := r.Body().Text(marks.Fill)
	marked := leaf.Read(leaf.Message{Header: r.Header(marks.Fill), Body: body})
	at, dated := byPath(answer), map[string]bool{}
	for i := range marked.Leaves {
		l := &marked.Leaves[i]
		pieces := marks.Cut(l.Value)
		if h := pieces[0].Hole; h != nil && h.Whole() {
			dated[pathOf(l)] = h.What == tape.Event || h.What == tape.Now || h.Form != profile.NoForm
		}
		if is := at[pathOf(l)]; is != nil {
			v.cut(pieces, is.Value)
		}
	}
	was := onTape.ResponseMessage()
	for i := range was.Leaves {
		l := &was.Leaves[i]
		is := at[pathOf(l)]
		switch {
		case is == nil:
		case dated[pathOf(l)]: // two answers of one second show one text: the latest counts
			v.text[l.Value] = is.Value
		case surrogate.Holds(l.Value): // what cleaning has taken out is no variable of the template
			v.cutMarkers(l.Value, is.Value)
		}
		if is != nil && surrogate.Is(l.Value) {
			v.field[l.Key] = is.Value
		}
		v.packed(l, is)
	}
}

// packed notes a value that packs a document, such as a message of 3-D Secure: a client sends it back as
// it is.
func (v *live) packed(was, is *leaf.Leaf) {
	if is == nil || was.Packed() == nil || is.Packed() == nil {
		return
	}
	w, i := was.Packed(), is.Packed()
	for w != nil && i != nil {
		v.text[w.Leaf.Value] = i.Leaf.Value
		w, i = w.Leaf.Packed(), i.Leaf.Packed()
	}
}

// pathOf names the place of a leaf.
func pathOf(l *leaf.Leaf) string { return l.Place.String() + " " + l.Key + " " + l.Path }

// byPath returns the leaves of a message by their places.
func byPath(m *leaf.Message) map[string]*leaf.Leaf {
	at := map[string]*leaf.Leaf{}
	for i := range m.Leaves {
		if l := &m.Leaves[i]; at[pathOf(l)] == nil {
			at[pathOf(l)] = l
		}
	}
	return at
}

// cut binds the variables of a recorded value to what stands in their places in a live value.
func (v *live) cut(pieces tape.Pieces, is string) {
	for i, p := range pieces {
		if p.Hole == nil || p.Hole.How != tape.AsIs {
			continue
		}
		after := ""
		if i+1 < len(pieces) {
			after = pieces[i+1].Literal
		}
		if text, ok := between(is, p.Literal, after); ok && text != "" {
			v.bind(p.Hole, text)
		}
	}
}

// between returns the text behind the end of one literal and before the beginning of another. The
// literals may begin and end otherwise in the live value: the address of the sandbox is another.
func between(text, before, after string) (string, bool) {
	const anchor = 12 // bytes
	tail := before[max(0, len(before)-anchor):]
	if cut := strings.LastIndexAny(tail, "/="); cut >= 0 && cut < len(tail)-1 {
		tail = tail[cut:]
	}
	at := strings.Index(text, tail)
	if at < 0 {
		return "", false
	}
	text = text[at+len(tail):]
	if head := after[:min(anchor, len(after))]; head != "" {
		end := strings.Index(text, head)
		if end < 0 {
			return "", false
		}
		text = text[:end]
	}
	return text, true
}

// bind notes the live value of a variable. The first one stays: an id is shown in many answers.
func (v *live) bind(h *tape.Hole, text string) {
	k := nounText{h.Slot.Name, h.Text}
	if _, known := v.named[k]; !known && h.Slot.Name != "" {
		v.named[k] = text
	}
	if _, known := v.text[h.Text]; !known && h.Text != "" {
		v.text[h.Text] = text
	}
}

// cutMarkers binds what stands for secrets in a recorded value.
func (v *live) cutMarkers(was, is string) {
	for {
		before, rest, found := strings.Cut(was, surrogate.Prefix)
		if !found {
			return
		}
		n := surrogate.MarkerLength(surrogate.Prefix + rest)
		if n < len(surrogate.Prefix) {
			return
		}
		marker := (surrogate.Prefix + rest)[:n]
		after := (surrogate.Prefix + rest)[n:]
		next, _, _ := strings.Cut(after, surrogate.Prefix)
		if text, ok := between(is, before, next); ok && text != "" && v.text[marker] == "" {
			v.text[marker] = text
		}
		was = after
	}
}

// of returns the live value of a name on tape.
func (v *live) of(noun, text string) (string, bool) {
	if is, ok := v.named[nounText{noun, text}]; ok {
		return is, true
	}
	is, ok := v.text[text]
	return is, ok
}
