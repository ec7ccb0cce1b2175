package match

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// mint makes a value as the sandbox would.
func (p *Player) mint(s *tape.Source, now time.Time) string {
	if p.tape.opts.RecordedIDs {
		return s.OnWire()
	}
	const attempts = 20 // short values identify nothing and may repeat
	text := p.like(s, now)
	wantsDigit := request.HasDigit(s.Text) // ids inside texts are found by their digits
	for range attempts {
		if text != s.Text && (!wantsDigit || request.HasDigit(text)) && !p.taken(s, text) {
			break
		}
		text = p.like(s, now)
	}
	return text
}

// like makes a value in the shape of the recorded one, with what the values of its noun have in
// common: a pattern, a beginning, or that each is greater than the one before.
func (p *Player) like(s *tape.Source, now time.Time) string {
	if s.Series == nil || !s.Series.Given && fresh.Stamped(s.Recorded()) {
		return p.make.Like(s.Recorded(), now)
	}
	if last := p.series[s.Series]; last != "" && s.Series.Grows {
		text := grown(last, s.Series.Step)
		p.series[s.Series] = text
		return text
	}
	text := ""
	if pattern := s.Series.Pattern(); !pattern.IsZero() && !s.Card() {
		if text = p.make.Of(pattern, s.Text); !s.Series.Grows {
			return text
		}
	} else {
		text = p.make.Like(s.Recorded(), now)
	}
	const vary = 8 // so many characters of numbers in turn are no prefix
	if s.Series.Grows {
		p.series[s.Series] = text
		return text
	}
	if n := min(len(s.Series.Prefix), len(text)-vary); n > 0 && !fresh.IsUUID(text) { // which begins as it may
		text = s.Series.Prefix[:n] + text[n:]
	}
	return text
}

// grown returns a number of digits that is greater by a step, in as many digits. What would need
// one more begins anew.
func grown(digits string, step int) string {
	b, carry := []byte(digits), step
	for i := len(b) - 1; i >= 0 && carry > 0; i-- {
		carry += int(b[i] - '0')
		b[i], carry = '0'+byte(carry%10), carry/10
	}
	if carry > 0 {
		return "1" + strings.Repeat("0", len(digits)-1)
	}
	return string(b)
}

// bears reports whether a live entity has a name.
func (p *Player) bears(name string) bool {
	for r := range p.names.of(name) {
		if r.bound().text == name {
			return true
		}
	}
	return false
}

// taken reports whether a live entity has a name already, or a card with the same mask.
func (p *Player) taken(s *tape.Source, text string) bool {
	if p.bears(text) {
		return true
	}
	if s.Card() {
		ends, _ := pan.Ends(text)
		for _, other := range p.ends[ends] {
			if other != text {
				return true
			}
		}
		p.ends[ends] = append(p.ends[ends], text)
	}
	return !p.minted.claim(text, p.session)
}
