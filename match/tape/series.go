package tape

import (
	"strconv"
	"strings"
)

// Series are the values of one noun that a sandbox has made, in their order. The values that
// replay makes have in common what these values have in common.
type Series struct {
	Prefix string // with which all begin
	// Grows says that each value is greater than the value before, by Step on average.
	Grows bool
	Step  int

	values []string
}

// seriesOf returns the series of the values of a kind under one name.
func (t *Tape) seriesOf(v *value) *Series {
	if !v.minted {
		return nil
	}
	key := v.slot.Name
	if v.noun == "" && v.entity != nil {
		key = v.entity.Kind + "\x00" + key
	}
	s := t.series[key]
	if s == nil {
		s = &Series{}
		t.series[key] = s
	}
	return s
}

// addToSeries adds a value to its series.
func (t *Tape) addToSeries(v *value) {
	if s := t.seriesOf(v); s != nil && v.secret == 0 {
		s.values = append(s.values, v.text)
	}
}

// countsBy is the greatest step of values that a sandbox counts up. Random values that rise by
// chance are further apart.
const countsBy = 10_000

// finish finds out what the values have in common.
func (s *Series) finish() {
	const several = 2
	if len(s.values) < several {
		return
	}
	s.Prefix = s.values[0]
	for _, v := range s.values[1:] {
		for !strings.HasPrefix(v, s.Prefix) {
			s.Prefix = s.Prefix[:len(s.Prefix)-1]
		}
	}
	s.Grows = true
	for i, v := range s.values {
		numeric := v != "" && strings.Trim(v, "0123456789") == "" && len(v) <= len("123456789012345678")
		grows := i == 0 || len(v) == len(s.values[i-1]) && v > s.values[i-1]
		s.Grows = s.Grows && numeric && grows
	}
	if s.Grows {
		first, _ := strconv.Atoi(s.values[0])
		last, _ := strconv.Atoi(s.values[len(s.values)-1])
		s.Step = max(1, (last-first)/(len(s.values)-1))
		s.Grows = s.Step <= countsBy
	}
	s.values = nil
}
