package tape

import (
	"slices"

	"github.com/paytape/paytape/internal/codec"
	"github.com/paytape/paytape/match/infer"
)

// KeyReuse is a recorded write whose idempotency key had come before; see infer.KeyUse.
type KeyReuse struct {
	*Recording
	First *Recording // that had the key first
	Use   infer.KeyUse
}

// keyUse notes what became of a write because of its idempotency key. A write that is answered as the first
// time has done nothing.
func (c *compiler) keyUse(rec *Recording) {
	use, place := c.survey.KeyUse(c.place)
	if use == infer.FirstUse {
		return
	}
	all := c.tape.Recordings[c.from:]
	at, found := slices.BinarySearchFunc(all, place, func(r *Recording, place int) int {
		return int(r.surveyed) - place
	})
	if !found {
		return // the first is of another sandbox, or not replayed
	}
	rec.Reads = rec.Reads || use == infer.RepeatedWrite
	c.tape.KeyReuses = append(c.tape.KeyReuses, KeyReuse{rec, all[at], use})
}

// KeyHabit returns what the tape has shown of what a host does with idempotency keys.
func (t *Tape) KeyHabit(host string) infer.KeyHabit { return t.habits[host] }

func (g *graph) keyReuse(c *codec.Coder, r *KeyReuse) {
	g.recordings.Ref(c, &r.Recording)
	g.recordings.Ref(c, &r.First)
	codec.Int(c, &r.Use)
}

func codeHabit(c *codec.Coder, h *infer.KeyHabit) { c.Bools(&h.Ignores, &h.Retries, &h.ByKey) }
