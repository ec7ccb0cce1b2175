package match_test

import (
	"maps"
	"slices"
	"strings"
)

// variation draws a case in which clients do some of what was recorded, and something else.
func (s *oracleScenario) variation() *oracleCase {
	c, dice := s.newCase(), s.dice
	var how []string
	maybe := func(percent int, word string) bool {
		if dice.IntN(100) >= percent {
			return false
		}
		how = append(how, word)
		return true
	}
	shared := s.shared
	if maybe(10, "clientIds shared otherwise") {
		s.shared = !s.shared
	}
	parts := s.chosen(maybe)
	s.shared = shared
	for i := range parts {
		s.alter(&parts[i], maybe)
	}
	fixtures := 0
	for fixtures < len(parts) && parts[fixtures].test.shares {
		fixtures++
	}
	mixed := !s.ordered && maybe(50, "mixed")
	if maybe(12, "sessions") {
		parts, fixtures = s.split(parts, fixtures)
	}
	if maybe(25, "another zone") {
		c.deckZone = oracleZones[dice.IntN(len(oracleZones))]
	}
	c.live = s.merge(parts, fixtures, mixed)
	slices.Sort(how)
	c.how = strings.Join(slices.Compact(how), ", ")
	return c
}

// chosen casts tests for a playing: in another order, without some, some of them twice. Fixtures
// stay in front.
func (s *oracleScenario) chosen(maybe func(int, string) bool) []oraclePart {
	var fixtures, others []*oracleTest
	for _, test := range s.tests {
		if test.shares {
			fixtures = append(fixtures, test)
		} else {
			others = append(others, test)
		}
	}
	if len(others) > 1 && maybe(20, "a test left out") {
		at := s.dice.IntN(len(others))
		others = slices.Delete(others, at, at+1)
	}
	if maybe(20, "a test twice") {
		others = append(others, others[s.dice.IntN(len(others))])
	}
	if maybe(40, "tests in another order") {
		s.dice.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	}
	var parts []oraclePart
	for i, test := range append(fixtures, others...) {
		parts = append(parts, s.part(test, "A", "live", 2000, i))
	}
	return parts
}

// split plays the tests in two sessions, each with fixtures of its own.
func (s *oracleScenario) split(parts []oraclePart, fixtures int) ([]oraclePart, int) {
	var front, rest []oraclePart
	for _, name := range []string{"one", "two"} {
		for _, p := range parts[:fixtures] {
			by := p.by.as(p.by.name + name)
			by.session = name
			front = append(front, oraclePart{by, p.steps, p.test})
		}
	}
	for _, p := range parts[fixtures:] {
		p.by.session = []string{"one", "two"}[s.dice.IntN(2)]
		rest = append(rest, p)
	}
	return append(front, rest...), len(front)
}

// alter varies what one client does.
func (s *oracleScenario) alter(p *oraclePart, maybe func(int, string) bool) {
	if maybe(8, "another wire form") {
		wires := slices.Sorted(maps.Keys(oracleWires))
		p.by.wire = wires[s.dice.IntN(len(wires))]
	}
	if p.test.rigid {
		return
	}
	if maybe(20, "cards") {
		s.recast(p.by.cast, "card:", s.cards())
	}
	if maybe(12, "amounts") {
		s.recast(p.by.cast, "amt:", oracleAmounts)
	}
	p.steps = slices.Clone(p.steps)
	if maybe(35, "polls") {
		p.steps = s.polls(p.steps)
	}
	if len(p.steps) == 0 {
		return
	}
	if maybe(15, "wrong input") {
		p.steps = s.spoil(p.steps)
	}
	if maybe(12, "a step moved") && len(p.steps) > 2 {
		at := 1 + s.dice.IntN(len(p.steps)-1)
		p.steps[at-1], p.steps[at] = p.steps[at], p.steps[at-1]
	}
	if maybe(10, "a step left out") && len(p.steps) > 2 {
		at := 1 + s.dice.IntN(len(p.steps)-1)
		p.steps = slices.Delete(p.steps, at, at+1)
	}
	if maybe(8, "a step twice") {
		at := s.dice.IntN(len(p.steps))
		p.steps = slices.Insert(p.steps, at, p.steps[at])
	}
}

// cards are the letters that a playing may use: those on tape twice as often as others.
func (s *oracleScenario) cards() []string {
	all := slices.Sorted(maps.Keys(oracleCards))
	for _, test := range s.tests {
		for _, name := range slices.Sorted(maps.Keys(test.cast)) {
			if strings.HasPrefix(name, "card:") {
				for range 6 {
					all = append(all, test.cast[name])
				}
			}
		}
	}
	return all
}

// recast gives one or all of the names with a prefix another text.
func (s *oracleScenario) recast(cast map[string]string, prefix string, texts []string) {
	for _, name := range slices.Sorted(maps.Keys(cast)) {
		if strings.HasPrefix(name, prefix) && s.dice.IntN(3) > 0 {
			cast[name] = texts[s.dice.IntN(len(texts))]
		}
	}
}

// polls repeats reads or leaves them out, if nothing later needs what they bring.
func (s *oracleScenario) polls(steps []oracleStep) []oracleStep {
	var out []oracleStep
	for _, step := range steps {
		times := 1
		if step.reads() {
			switch s.dice.IntN(4) {
			case 0:
				times = 2 + s.dice.IntN(2)
			case 1:
				if step.keep == "" {
					times = 0
				}
			}
		}
		for range times {
			out = append(out, step)
		}
	}
	return out
}

// oracleSpoils are what clients get wrong, as a text of a step and what stands there instead.
var oracleSpoils = [][2]string{
	{"&$CVC=123", ""}, {"&$CVC=123", "&$CVC="}, {"$EXPIRY=203012", "$EXPIRY=203013"},
	{"$EXPIRY=203012", "$EXPIRY=${month:-2}"}, {"&$EXPIRY=203012", ""}, {"$PAN=${card:a}", "$PAN="},
	{"$PAN=${card:a}", "$PAN=4000001111" + "111119"}, {"&returnUrl=${shop}", ""},
	{"amount=${amt:a}", "amount=abc"}, {"amount=${amt:a}", "amount="},
	{"&currency=978", "&currency=999"},
	{`"amount":${amt:a}`, `"amount":"x"`}, {`"currency":978`, `"currency":840`},
	{`"currency":"EUR"`, `"currency":"XXX"`}, {`"currency":978,`, ``},
	{"MDORDER=${a}", "MDORDER=" + oracleNobody}, {"orderId=${a}", "orderId=" + oracleNobody},
	{`"pan":"${card:to}`, `"pan":"`}, {`"amount":100`, `"amount":-100`},
	{`"cardholder":"${h0}"`, `"cardholder":""`},
	{"clientId=${client}", "clientId="}, {"bindingId=${b}", "bindingId=" + oracleNobody},
}

// oracleBounds are texts that the sandboxes refuse for their look.
var oracleBounds = [][2]string{
	{"returnUrl=${shop}", "returnUrl=javascript:alert(1)"}, {"returnUrl=${shop}", "returnUrl=shop"},
	{"returnUrl=${shop}", "returnUrl=${shop}/" + strings.Repeat("x", 600)},
	{`"returnUrl":"${shop}"`, `"returnUrl":"/relative"`},
	{"orderNumber=${n}", "orderNumber=${n}" + strings.Repeat("7", 40)},
	{"clientId=${client}", "clientId=${client}" + strings.Repeat("c", 300)},
	{"$EXPIRY=203012", "$EXPIRY=999912"},
	{"&currency=978", "&currency=978&email=nobody"},
	{"&currency=978", "&currency=978&expirationDate=2020-01-01T00:00:00"},
	{"from=${stamp:-1}&to=${stamp:1}", "from=${stamp:1}&to=${stamp:-1}"},
}

// refuses reports whether a call with wrong credentials is on tape. Where none is, replay knows
// nothing of credentials, and says so when it starts.
func (s *oracleScenario) refuses(call string) bool {
	for _, test := range s.tests {
		for _, step := range test.steps {
			if step.call == call && step.as == "bad" {
				return true
			}
		}
	}
	return false
}

// spoil puts a wrong call before one of the right ones, or in its place.
func (s *oracleScenario) spoil(steps []oracleStep) []oracleStep {
	for range 20 {
		at := s.dice.IntN(len(steps))
		wrong := steps[at]
		wrong.keep = ""
		if s.dice.IntN(4) == 0 && s.refuses(wrong.call) {
			wrong.as = "bad"
			return slices.Insert(steps, at, wrong)
		}
		pair := oracleSpoils[s.dice.IntN(len(oracleSpoils))]
		if s.bounds.IntN(4) == 0 {
			pair = oracleBounds[s.bounds.IntN(len(oracleBounds))]
		}
		wrong.send = strings.Replace(wrong.send, pair[0], pair[1], 1)
		if wrong.send == steps[at].send {
			continue
		}
		if s.dice.IntN(4) == 0 {
			wrong.keep = steps[at].keep
			steps[at] = wrong
			return steps
		}
		return slices.Insert(steps, at, wrong)
	}
	return steps
}
