package tape

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// openTape is a tape of some entities that is being compiled.
func openTape() *Tape {
	t := &Tape{slabs: &slabs{}}
	t.words = newWords(t.slabs)
	for i := range 3 {
		e := &Entity{EntityKind: &EntityKind{Kind: "order"}, ID: int32(i), notes: &notes{}}
		t.Entities = append(t.Entities, e)
	}
	return t
}

// here is a way without steps, of which a tape has one.
var here = Ref{Base: Role}

// drawn is an open template that is made of text: each line is a literal, and the hole behind it.
func (t *Tape) drawn(text string, born int64) Template {
	var ps Pieces
	enc := t.words.encoder(leaf.Read(leaf.Message{Body: `{"a":"b"}`}).Leaves[0].Encoder())
	for i, line := range strings.Split(text, "\n") {
		literal, value, _ := strings.Cut(line, "=")
		value, like, _ := strings.Cut(value, "~")
		fill := Filling{
			What: What(len(line) % int(Leads)), Zone: time.UTC, Secret: profile.Sensitivity(i % 2), Ref: &here,
		}
		if len(literal) > 2 {
			fill.Ref = &Ref{Base: Role, N: i % 2, Steps: []Step{{To: ToWhole, Kind: literal[:1], N: i % 3}}}
		}
		s := &Source{Filling: t.words.filling(fill), Text: value, at: born + int64(i*len(value))}
		if i%3 == 1 {
			s.at = never
		}
		if i%4 > 0 {
			s.owner = t.Entities[i%4-1]
		}
		w := Writing{Rendering: Rendering{Like: like, How: Padded}, enc: enc}
		ps = append(ps, Piece{literal, &Hole{s, t.words.writing(w)}})
	}
	return Template{layout: &layout{open: append(ps, Piece{Literal: "the end"})}}
}

// told is all that a hole tells.
func told(h *Hole) string {
	ref, owner := "", -1
	if h.Ref != nil {
		ref = fmt.Sprint(*h.Ref)
	}
	if h.Owner() != nil {
		owner = int(h.Owner().ID)
	}
	return fmt.Sprintf("%q %q %v %d %v %d %d %v\n", h.Source.Text, h.Like, h.How, h.What, h.At(), owner, h.Secret, ref)
}

func texts(t Template) (filled string, holes []string) {
	t.Holes(func(h *Hole) { holes = append(holes, told(h)) })
	return t.Text(told), holes
}

// FuzzTemplate closes a template: it says what it said when it was open. With any other values it says
// something else, and does not panic.
func FuzzTemplate(f *testing.F) {
	f.Add("{\"orderId\":\"=0190-aa\n\",\"pan\":\"=4000~400000**0002\n=", int64(1795341707828), "\x05\x07a")
	f.Add("a=1\na=1\nabc=2", int64(-1), "\x03\x80")
	f.Add("", int64(0), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	f.Fuzz(func(t *testing.T, text string, born int64, values string) {
		tape := openTape()
		open, again := tape.drawn(text, born), tape.drawn(text, born+1)
		wantText, wantHoles := texts(open)
		wantClass := open.Class()
		tape.Recordings = []*Recording{
			{Rest: &Rest{}, header: &answerHeader{}, body: open}, {Rest: &Rest{}, header: &answerHeader{}, body: again},
		}
		tape.close()
		closed := tape.Recordings[0].body
		gotText, gotHoles := texts(closed)
		if gotText != wantText || closed.open != nil {
			t.Errorf("closed:\n%s\nopen:\n%s", gotText, wantText)
		}
		if diff := cmp.Diff(wantHoles, gotHoles); diff != "" {
			t.Errorf("holes (-open +closed):\n%s", diff)
		}
		if closed.Class() != wantClass {
			t.Error("the class of the closed template is another")
		}
		if closed.layout != tape.Recordings[1].body.layout {
			t.Error("two templates that differ in a time alone do not share a layout")
		}
		_, _ = texts(Template{closed.layout, values})
	})
}
