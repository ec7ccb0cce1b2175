package traffic

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// group is a flow: rows that belong together, one or more.
type group struct {
	number   uint64   // "g12" is 12
	others   []uint64 // numbers of groups that have become this one
	born     uint64   // the ID of its first row; it stays when that row is gone
	session  string
	profile  string
	who      view.Who
	carded   uint64                // the row that first told the card
	currency string                // of its amounts; empty if nobody knows
	names    []unique.Handle[name] // under which groups finds it
	rows     []uint64              // IDs, ascending
	signs    [signs]int            // how many of its rows have each sign
	asked    int                   // rows that a sandbox has answered, and nothing else is to be said of
	at, end  int64                 // of its rows so far, in nanoseconds of Unix time
}

// name returns the ID of the group.
func (g *group) name() string { return groupName(g.number) }

// nameless reports whether the rows of a group name nothing.
func (g *group) nameless() bool { return len(g.names) == 0 }

// order is the place of a group in lists, the oldest first.
func (g *group) order(h *group) int {
	return cmp.Or(cmp.Compare(g.born, h.born), cmp.Compare(g.number, h.number))
}

// add adds a row that has this group.
func (g *group) add(r *row) {
	if n := len(g.rows); n == 0 || g.rows[n-1] < r.id {
		g.rows = append(g.rows, r.id)
	} else if i, there := slices.BinarySearch(g.rows, r.id); !there {
		g.rows = slices.Insert(g.rows, i, r.id)
	}
	g.count(r, 1)
	if g.at == 0 || r.at < g.at {
		g.at = r.at
	}
	g.end = max(g.end, r.at+r.took)
}

// remove takes a row out.
func (g *group) remove(r *row) {
	if g.rows[0] == r.id {
		g.rows = g.rows[1:]
	} else if i, there := slices.BinarySearch(g.rows, r.id); there {
		g.rows = slices.Delete(g.rows, i, i+1)
	}
	g.count(r, -1)
}

// count adds n rows like a row to what the group counts.
func (g *group) count(r *row, n int) {
	l := r.look.Value()
	g.signs[signIndex(l.sign)] += n
	if l.served == "upstream" && isHit(l.sign) {
		g.asked += n
	}
}

// isHit reports whether a row of a sign was answered, and nothing else is to be said of it.
func isHit(s view.Sign) bool {
	return s == view.SignHit || s == view.SignWaits || s == view.SignDeclined
}

// learn takes what a row tells of what the group is about, and reports whether that is new.
func (g *group) learn(r *row) bool {
	was := g.who
	who := r.who.Value()
	if g.who.Kind == "" {
		g.who.Kind = who.Kind
	}
	if g.who.Kind != who.Kind && who.Kind != "" {
		return false
	}
	if empty(g.who.ID) {
		g.who.ID = who.ID
	}
	if empty(g.who.Label) || isShort(g.who) && !isShort(who) && !empty(who.Label) {
		g.who.Label = who.Label
	}
	if !empty(who.Card) && (empty(g.who.Card) || r.id < g.carded) {
		g.who.Card, g.carded = who.Card, r.id
	}
	return g.who != was
}

func empty(s redact.Safe) bool { return s == redact.Safe{} }

// isShort reports whether people have no better label for something than the beginning of its id.
func isShort(w view.Who) bool {
	return !empty(w.ID) && strings.HasPrefix(w.ID.String(), w.Label.String())
}

// complete adds to a row what its group knows. The card of an order is known from the row on that
// first told it.
func (g *group) complete(v *view.Row) {
	w := &v.Who
	if w.Kind != "" && w.Kind != g.who.Kind {
		return
	}
	w.Kind = g.who.Kind
	if empty(w.ID) {
		w.ID = g.who.ID
	}
	if empty(w.Label) || isShort(*w) {
		w.Label = g.who.Label
	}
	if empty(w.Card) && v.ID >= g.carded {
		w.Card = g.who.Card
	}
}

// signs is how many signs there are.
const signs = 9

// signOrder are all signs.
var signOrder = [signs]view.Sign{
	view.SignMiss, view.SignFailed, view.SignCallback, view.SignRule, view.SignDeclined,
	view.SignMarked, view.SignWaits, view.SignHit, view.SignNote,
}

// signIndex returns the place of a sign among all.
func signIndex(s view.Sign) int { return slices.Index(signOrder[:], s) }

// name is a name of an entity. Sessions are apart, and so are APIs.
type name struct{ session, profile, noun, text string }

// anywhere is the name in whatever session: a sandbox that calls the shop knows of no sessions.
func (n name) anywhere() name {
	n.session = "\x00"
	return n
}

// flowNoun is the noun of the number that replay gives a live entity.
const flowNoun = "#"

// view returns the group as people see it. rows returns the row with an ID.
func (g *group) view(rows func(id uint64) *row) view.Group {
	of := func(s view.Sign) int { return g.signs[signIndex(s)] }
	v := view.Group{
		ID: g.name(), Who: g.who, Session: g.session, Profile: g.profile, At: time.Unix(0, g.at),
		Took: time.Duration(g.end - g.at), Rows: len(g.rows), Misses: of(view.SignMiss),
		Marked: of(view.SignMarked), Ruled: of(view.SignRule), Failed: of(view.SignFailed),
		Hits: of(view.SignHit) + of(view.SignWaits) + of(view.SignDeclined) - g.asked, Asked: g.asked,
	}
	tail := g.rows[max(0, len(g.rows)-view.MaxSteps):]
	v.Steps = make([]view.Sign, 0, len(tail))
	for _, id := range tail {
		v.Steps = append(v.Steps, rows(id).look.Value().sign)
	}
	g.conclude(&v, rows)
	return v
}

// maxConcluded is how many rows are looked at to say what a flow came to. What a flow came to stands
// at its end: behind it come questions and callbacks, and misses.
const maxConcluded = 64

// conclude says what a flow came to: what the last answer says that is good or bad news, or waits;
// else its last words, or those of a miss.
func (g *group) conclude(v *view.Group, rows func(id uint64) *row) {
	var words, missed *look
	for i := len(g.rows) - 1; i >= max(0, len(g.rows)-maxConcluded); i-- {
		r := rows(g.rows[i])
		l := r.look.Value()
		if a := r.amount.Value(); v.Amount == nil && a != (view.Amount{}) && l.sign != view.SignMiss {
			v.Amount = &a
		}
		if empty(l.outcome.Words) || l.sign == view.SignCallback || v.Outcome != (view.Outcome{}) {
			continue
		}
		switch {
		case l.sign == view.SignMiss:
			missed = cmp.Or(missed, &l)
		case l.outcome.Tone != view.Plain:
			v.Outcome = l.outcome
		default:
			words = cmp.Or(words, &l)
		}
	}
	if last := cmp.Or(missed, words); v.Outcome == (view.Outcome{}) && last != nil {
		v.Outcome = last.outcome
	}
}
