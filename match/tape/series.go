package tape

import (
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// Series are the values of one noun that a sandbox has made, in their order. The values that
// replay makes have in common what these values have in common.
type Series struct {
	Prefix string // with which all begin
	// Grows says that each value is greater than the value before, by Step on average.
	Grows bool
	Step  int
	// Apart says that they are UUIDs and do not end in the digits of one installation.
	Apart bool
	// Like is the pattern of the values (profile.ParsePattern): Given by a row of a profile, or else
	// what all values on tape show. Empty: neither a row nor the tape tells one.
	Like  string
	Given bool

	seen    seen    // while compiling
	wider   *Series // while compiling, of an API that no profile knows: of all values of its key
	pattern profile.Pattern
}

// Pattern returns how the values look; the zero Pattern where nothing tells.
func (s *Series) Pattern() profile.Pattern {
	if s == nil {
		return profile.Pattern{}
	}
	return s.pattern
}

// seriesOf returns the series of the values of a kind under one name. Of an API that no profile knows the
// values say of what kind they are: pi_3NqZ and pm_1a2B under one name are of two series.
func (t *Tape) seriesOf(v *value) *Series {
	if !v.minted {
		return nil
	}
	if v.noun != "" || v.entity == nil {
		return t.seriesAt(v.slot.Name)
	}
	kind := fresh.Kind(v.text)
	s := t.seriesAt(v.entity.Kind + "\x00" + v.slot.Name + "\x00" + kind)
	if s.wider == nil {
		s.wider = t.seriesAt("\x00" + request.LastName(v.slot.Name) + "\x00" + kind)
	}
	return s
}

func (t *Tape) seriesAt(key string) *Series {
	s := t.series[key]
	if s == nil {
		s = &Series{}
		t.series[key] = s
	}
	return s
}

// Series returns the series of the tape by their names, which depend on the tape alone.
func (t *Tape) Series() map[string]*Series { return t.series }

// addToSeries adds a value to its series. like is the pattern that a row gives, "" where none does. What
// cleaning left of a token tells nothing of the token.
func (t *Tape) addToSeries(v *value, like string) {
	s := t.seriesOf(v)
	if s == nil {
		return
	}
	if like != "" {
		s.Like, s.Given = like, true
	}
	if v.secret != profile.NotSecret || surrogate.Holds(v.text) {
		return
	}
	for ; s != nil; s = s.wider {
		s.seen.add(v.text)
	}
}

// countsBy is the greatest step of values that a sandbox counts up. Random values that rise by
// chance are further apart.
const countsBy = 10_000

// several is how many values show what they have in common.
const several = 2

// finish finds out what the values of all series have in common. One value alone shows no more than
// what all values of its key, in whatever answers, have in common with it.
func finish(all map[string]*Series) {
	for _, s := range all {
		s.compare()
	}
	for _, s := range all {
		if w := s.wider; w != nil && s.seen.values == 1 && w.seen.values >= several {
			s.adopt(w)
		}
	}
	for _, s := range all {
		s.seen, s.wider = seen{}, nil
		s.parse()
	}
}

// compare finds out what the values have in common.
func (s *Series) compare() {
	if s.seen.values < several {
		return
	}
	s.Prefix, s.Grows = strings.Clone(s.seen.prefix), s.seen.grows // a copy, which does not keep the value
	s.Apart = s.seen.apart
	if s.Grows {
		first, _ := strconv.Atoi(s.seen.first)
		last, _ := strconv.Atoi(s.seen.last)
		s.Step = max(1, (last-first)/(s.seen.values-1))
		s.Grows = s.Step <= countsBy
	}
	if !s.Given && !s.seen.structured {
		s.Like = s.seen.sample.Pattern().String()
	}
}

// adopt takes over what the values of the same key elsewhere have in common with the one value. They
// are of one kind only if all of them begin alike: everything has an "id".
func (s *Series) adopt(w *Series) {
	s.Apart = w.Apart
	if w.Prefix == "" || !strings.HasPrefix(s.seen.first, w.Prefix) {
		return
	}
	s.Prefix = w.Prefix
	if p, err := profile.ParsePattern(w.Like); err == nil && !s.Given && p.Matches(s.seen.first) {
		s.Like = w.Like
	}
}

// parse reads the pattern, and reports whether it can be read.
func (s *Series) parse() bool {
	if s.Like == "" {
		return true
	}
	var err error
	s.pattern, err = profile.ParsePattern(s.Like)
	return err == nil
}
