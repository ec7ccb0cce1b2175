package match

import (
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// kindOf hashes all that may ever be served of the thread that an exchange opens: the
// exchanges of the thread with its variables numbered as they turn up. Of threads that are the
// same but for their values, one is as good as another, so a live thread need not keep them
// all in mind; a tape made by a load test holds thousands. A thread that is connected with
// others is like no other.
func kindOf(e *exchange) uint64 {
	m := &marker{numbers: map[*variable]int{}}
	m.hash.SetSeed(keySeed)
	t := e.threads[0]
	if len(t.flow().members) > 1 {
		maphash.WriteComparable(&m.hash, t)
		maphash.WriteComparable(&m.hash, e)
		return m.hash.Sum64()
	}
	for _, o := range t.exchanges {
		m.exchange(o)
		m.flag(o == e)
	}
	return m.hash.Sum64()
}

// marker hashes a thread.
type marker struct {
	hash    maphash.Hash
	numbers map[*variable]int
}

func (m *marker) text(s string) {
	m.hash.WriteString(s)
	m.hash.WriteByte(0)
}

func (m *marker) flag(b bool) { maphash.WriteComparable(&m.hash, b) }

func (m *marker) exchange(e *exchange) {
	m.text(e.cassette)
	m.text(e.address)
	maphash.WriteComparable(&m.hash, [2]uint64{e.key, uint64(e.code)})
	m.flag(e.denied)
	m.text(e.coding)
	m.text(e.charset)
	for i := range e.request {
		m.text(e.request[i].path)
		m.template(e.request[i].value)
	}
	for _, h := range e.header.values {
		m.text(h.name)
		m.template(h.text)
	}
	for _, name := range slices.Sorted(maps.Keys(e.trailer)) {
		m.text(name)
		m.text(strings.Join(e.trailer[name], ","))
	}
	m.template(e.body)
}

func (m *marker) template(t template) {
	for _, p := range t {
		m.text(p.literal)
		if p.hole != nil {
			m.hole(p.hole)
		}
	}
	m.text("")
}

func (m *marker) hole(h *hole) {
	if h.packs != nil {
		m.template(h.inner)
		return
	}
	m.text(h.header)
	m.hash.WriteByte(byte(h.how))
	m.hash.WriteByte(byte(h.letters))
	m.flag(h.whole)
	switch h.how {
	case masked:
		m.text(shapeOf(h.like))
	case dated:
		m.text(string(h.date.to))
		maphash.WriteComparable(&m.hash, len(h.like))
	case last, padded, grouped:
		maphash.WriteComparable(&m.hash, len(h.like))
	case appended:
		m.text(h.like[max(0, len(h.like)-1):])
	case origins:
		m.text(h.like)
	}
	if len(h.vars) == 0 && h.header == "" {
		m.text(h.like)
	}
	for _, v := range h.vars {
		m.variable(v)
	}
}

func (m *marker) variable(v *variable) {
	n, known := m.numbers[v]
	if known {
		maphash.WriteComparable(&m.hash, n)
		return
	}
	m.numbers[v] = len(m.numbers) + 1
	m.hash.WriteByte(byte(v.origin))
	m.text(v.of)
	m.text(string(v.form))
	m.text(string(v.secret))
	m.flag(v.perAnswer())
	m.text(characteristic(v))
}

// characteristic returns what of a recorded value shows in replay: of a card number its
// issuer and last digits, of an id its shape, of a date how far away it was, in hours. An expiry
// may have to be the recorded one.
func characteristic(v *variable) string {
	switch {
	case v.secret == profile.PAN:
		ends, _ := pan.Ends(v.text)
		return ends
	case v.origin == configured || v.secret == profile.Token:
		return v.text
	case v.origin == minted && !v.unsent:
		return strings.Map(class, v.text)
	case v.origin == date:
		t, _ := dates.Parse(v.form, v.text, v.birth.answered.Location())
		return t.Sub(v.birth.answered).Round(time.Hour).String()
	case v.origin == givenDate && dates.Expiry(v.form):
		return v.text
	}
	return ""
}

// class returns the character that stands for all of its kind.
func class(r rune) rune {
	switch {
	case r >= '0' && r <= '9':
		return '0'
	case r >= 'a' && r <= 'z':
		return 'a'
	case r >= 'A' && r <= 'Z':
		return 'A'
	}
	return r
}
