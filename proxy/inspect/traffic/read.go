package traffic

import (
	"slices"
	"time"
	"unique"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// readAll reads what waits to be read, for a bounded part of the time.
func (t *Traffic) readAll() {
	var p pace
	for {
		id, ok := t.queue.next(t.ctx)
		if !ok {
			return
		}
		for {
			began := time.Now()
			arrived := t.step(id)
			if !p.rest(t.ctx, time.Since(began), t.queue.share()) {
				return
			}
			if arrived {
				break
			}
		}
	}
}

// stride is how many exchanges are cleaned at once. To read an exchange is to clean those before it
// as well, and whoever else wants to read waits meanwhile.
const stride = 8

// step comes nearer to an exchange, and reads it if it has arrived there. It returns false if it has
// not.
func (t *Traffic) step(id uint64) (arrived bool) {
	cleaned := t.queue.cleanedUpTo()
	if id > cleaned+stride {
		if oldest := t.oldestExchange(); oldest > cleaned {
			cleaned = oldest
		}
	}
	if id > cleaned+stride {
		t.hub.Exchange(cleaned + stride)
		t.queue.cleaned(cleaned + stride)
		return false
	}
	t.read(id)
	t.queue.cleaned(id)
	return true
}

// oldestExchange returns the ID of the first event that the hub holds.
func (t *Traffic) oldestExchange() uint64 { return t.hub.FirstID() }

// read reads an exchange, and makes its row tell of it.
func (t *Traffic) read(id uint64) {
	if t.isRead(id) {
		return
	}
	clean, ok := t.hub.Exchange(id)
	x := clean.Exchange()
	if !ok || x == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if r := t.findLocked(id); r != nil {
			r.readable = false
			t.wakeLocked()
		}
		return
	}
	found := outcome.Of(t.profiles, x)
	if a := found.Amount; a != nil && a.Currency == "" {
		if currency := t.currency(id, &found); currency != "" {
			found = outcome.Of(t.profiles, x, outcome.Known{Currency: currency})
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.applyLocked(id, clean, &found)
	t.wakeLocked()
}

// isRead reports whether a row was read, or is not there to be read.
func (t *Traffic) isRead(id uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.findLocked(id)
	return r == nil || !r.readable
}

// currency returns the currency of the flow that an exchange belongs to; empty if nobody knows it.
func (t *Traffic) currency(id uint64, found *outcome.Found) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.findLocked(id)
	if r == nil {
		return ""
	}
	if r.group.currency != "" {
		return r.group.currency
	}
	for _, n := range namesOf(r, found, 0) {
		if g := t.groups.byName[unique.Make(n)]; g != nil && !other(g, found.ID) {
			return g.currency
		}
	}
	return ""
}

// applyLocked makes a row tell what was read of its exchange.
func (t *Traffic) applyLocked(id uint64, clean redact.Clean, found *outcome.Found) {
	r := t.findLocked(id)
	if r == nil || !r.readable {
		return
	}
	var merged []*group
	t.alterLocked(r, func() {
		r.tell(clean, found)
		t.recleanTexts(r)
		merged = t.groups.place(r, found, 0)
	})
	home := r.group
	learned := home.learn(r)
	for _, g := range merged {
		for len(g.rows) > 0 {
			other := t.findLocked(g.rows[0])
			t.alterLocked(other, func() { other.group = home })
			learned = home.learn(other) || learned
		}
	}
	if a := r.amount.Value(); home.currency == "" && a.Currency != "" {
		home.currency = a.Currency
		t.againLocked(home)
	}
	if !learned {
		return
	}
	for _, id := range home.rows { // what a filter says of a row may depend on its flow
		if id != r.id {
			t.alterLocked(t.findLocked(id), func() {})
		}
	}
}

// againLocked has those rows of a group be read again whose amount has no currency.
func (t *Traffic) againLocked(g *group) {
	for _, id := range g.rows {
		r := t.findLocked(id)
		if a := r.amount.Value(); r.read && r.amount != noAmount && a.Currency == "" {
			r.readable = true
			t.queue.add(id, false)
		}
	}
}

// tell takes what was found in the exchange of a row.
func (r *row) tell(clean redact.Clean, found *outcome.Found) {
	safe := func(text string) redact.Safe {
		return clean.Derive(func(*leaf.Exchange) string { return leaf.Clip(text, maxText) })
	}
	r.readable, r.read = false, true
	l := r.look.Value()
	if found.Short != "" && l.sign != view.SignCallback {
		l.short = clip(found.Short)
	}
	l.from, l.to = view.Actor(found.From), view.Actor(found.To)
	if l.sign != view.SignMiss && !l.given && found.Words+found.Codes != "" {
		l.outcome = view.Outcome{
			Words: safe(found.Words), Tone: view.Tone(found.Tone), Codes: safe(found.Codes),
			Fields: safe(found.Fields),
		}
	}
	l.sign = signOf(&l, len(r.fired()) > 0)
	r.look = unique.Make(l)
	r.who = unique.Make(view.Who{
		Kind: clip(found.Kind), Label: safe(found.Label), ID: safe(found.ID), Card: safe(found.Card),
	})
	if a := found.Amount; a != nil && !l.given {
		r.amount = unique.Make(view.Amount{
			Text: safe(a.Text), Minor: a.Minor, Currency: clip(a.Currency),
		})
	}
}

// recleanTexts cleans the texts of a row once more. Its event was cleaned when it came, and a secret
// may have been learned since, from an exchange before it.
func (t *Traffic) recleanTexts(r *row) {
	if r.more == nil {
		return
	}
	again := func(s redact.Safe) redact.Safe { return t.words.Text(s.String()) }
	m := *r.more
	m.target, m.sentence, m.hint, m.mend = again(m.target), again(m.sentence), again(m.hint), again(m.mend)
	m.fields = slices.Clone(m.fields)
	for i, f := range m.fields {
		m.fields[i] = again(f)
	}
	r.more = &m
	l := r.look.Value()
	l.outcome.Words = again(l.outcome.Words)
	r.look = unique.Make(l)
}

// glance is how long whoever looks at rows waits for them to be read. What is not read then stays as
// its event tells it until the next look.
const glance = 5 * time.Millisecond

// readNow reads rows because somebody looks at them, as far as that is done soon.
func (t *Traffic) readNow(ids []uint64) {
	if t.profiles == nil {
		return
	}
	t.looks.Lock()
	defer t.looks.Unlock()
	began := time.Now()
	for _, id := range ids {
		for !t.isRead(id) {
			if t.step(id) || time.Since(began) > glance {
				break
			}
		}
		if time.Since(began) > glance {
			return
		}
	}
}
