package tape

import (
	"slices"

	"github.com/paytape/paytape/internal/codec"
	"github.com/paytape/paytape/match/infer"
)

// KeyReuse is a recorded write whose idempotency key had come before, or one whose answer nobody has read and that
// was repeated under its key; see infer.KeyUse.
type KeyReuse struct {
	*Recording
	First *Recording // that had the key first; nil for one whose answer nobody has read
	Use   infer.KeyUse
}

// keyUse notes what became of a write because of its idempotency key. A repeat has done nothing.
func (c *compiler) keyUse(rec *Recording) {
	use, place := c.survey.KeyUse(c.place)
	if use == infer.FirstUse {
		return
	}
	all := c.tape.Recordings[c.from:]
	at, found := slices.BinarySearchFunc(all, place, func(r *Recording, place int) int {
		return int(r.surveyed) - place
	})
	if !found && !rec.Lost {
		return // the first was recorded with another sandbox
	}
	reuse := KeyReuse{Recording: rec, Use: use}
	if found {
		reuse.First = all[at]
	}
	rec.Reads = rec.Reads || use.Repeats()
	c.tape.KeyReuses = append(c.tape.KeyReuses, reuse)
}

func (g *graph) keyReuse(c *codec.Coder, r *KeyReuse) {
	g.recordings.Ref(c, &r.Recording)
	g.recordings.Ref(c, &r.First)
	codec.Int(c, &r.Use)
}
