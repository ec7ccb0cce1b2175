package tape

import "strings"

// words lets go of the files that exchanges were read from: a text that a tape keeps is a copy,
// and equal texts share one copy. It is only there while a tape is compiled.
type words struct {
	texts  map[string]string
	frames map[Frame]*Frame
	asked  map[Argument]*Asked // those that name nothing
}

func newWords() *words {
	return &words{
		texts: map[string]string{}, frames: map[Frame]*Frame{}, asked: map[Argument]*Asked{},
	}
}

// request returns copies of the parameters of a request. Equal ones that name nothing share a copy.
func (w *words) request(asked []Asked) []*Asked {
	kept := make([]*Asked, len(asked))
	for i := range asked {
		a := &asked[i]
		if len(a.Names) > 0 || a.Unborn || a.tie != nil {
			own := *a
			kept[i] = &own
			continue
		}
		same := w.asked[a.Argument]
		if same == nil {
			same = &Asked{Argument: a.Argument}
			w.asked[a.Argument] = same
		}
		kept[i] = same
	}
	return kept
}

// word returns a copy of text that equal texts share.
func (w *words) word(text string) string {
	same, known := w.texts[text]
	if !known {
		same = strings.Clone(text)
		w.texts[same] = same
	}
	return same
}

// frame returns a frame that all equal frames share.
func (w *words) frame(f Frame) *Frame {
	same := w.frames[f]
	if same == nil {
		kept := f // a copy, so that a frame which has an equal is not kept
		for _, s := range []*string{
			&kept.Operation, &kept.Op, &kept.Method, &kept.Status, &kept.Coding, &kept.Charset,
			&kept.Fault, &kept.Host, &kept.Address,
		} {
			*s = w.word(*s)
		}
		same = &kept
		w.frames[kept] = same
	}
	return same
}
