package match_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// oracleScenario is what was drawn from a seed: tests with what they share, as they were recorded.
type oracleScenario struct {
	seed    uint64
	dice    *rand.Rand
	bounds  *rand.Rand    // for what sandboxes refuse by its look
	tests   []*oracleTest // a fixture comes first
	tapes   [][]oracleTurn
	shared  bool // all clients have one clientId
	apart   bool // two tapes
	aside   bool // payers' browsers did not pass the deck
	ordered bool // tests come one after another, since something changes by the clock
	clean   bool
	unsure  bool // see oracleDraw
	zone    *time.Location
}

// scenario draws a scenario from a seed.
func scenario(seed uint64) *oracleScenario {
	dice := rand.New(rand.NewPCG(seed, 11))
	s := &oracleScenario{
		seed: seed, dice: dice, bounds: rand.New(rand.NewPCG(seed, 13)),
		clean: dice.IntN(3) == 0, shared: dice.IntN(4) == 0,
		unsure: dice.IntN(3) == 0, zone: oracleZones[dice.IntN(len(oracleZones))],
	}
	themes := []string{oracleThemeNames[dice.IntN(len(oracleThemeNames))]}
	if dice.IntN(4) == 0 {
		themes = append(themes, oracleThemeNames[dice.IntN(len(oracleThemeNames))])
	}
	s.ordered = slices.Contains(themes, "slow")
	if s.ordered {
		themes = []string{"slow"}
	}
	for _, theme := range themes {
		if fixture := oracleFixtures[theme]; fixture != nil {
			s.tests = append(s.tests, draw(dice, theme+" fixture", s.unsure, fixture))
		}
	}
	fixtures := len(s.tests)
	for range 2 + dice.IntN(3) {
		theme := themes[dice.IntN(len(themes))]
		of := oracleThemes[theme]
		s.tests = append(s.tests, draw(dice, theme, s.unsure, of[dice.IntN(len(of))]))
	}
	s.apart = dice.IntN(6) == 0 && fixtures == 0 && !s.ordered
	s.aside = dice.IntN(4) == 0 && slices.Contains(themes, "secure")
	if s.aside {
		for _, test := range s.tests {
			test.stepAside()
		}
	}
	s.record(fixtures)
	return s
}

// stepAside has a payer's browser visit its bank directly, so that nobody sees why the order
// changes.
func (t *oracleTest) stepAside() {
	for i := range t.steps {
		if strings.HasPrefix(t.steps[i].call, "page ") {
			t.steps[i].off = true
			t.rigid = true
		}
	}
}

// oracleZones are zones of sandboxes and of machines that replay.
var oracleZones = []*time.Location{
	time.UTC, time.UTC, time.FixedZone("", 3*3600), time.FixedZone("", -5*3600),
}

// oracleDays are when scenarios are recorded and played. At noon it is the same day in all zones.
var oracleDays = []time.Time{
	time.Date(2026, 3, 31, 12, 3, 7, 0, time.UTC), time.Date(2027, 3, 1, 13, 45, 0, 0, time.UTC),
	time.Date(2028, 2, 29, 11, 0, 30, 0, time.UTC), time.Date(2026, 12, 31, 12, 59, 0, 0, time.UTC),
	time.Date(2026, 8, 1, 9, 10, 0, 0, time.UTC),
}

// record casts the tests and puts their turns on the tapes.
func (s *oracleScenario) record(fixtures int) {
	playing := s.cast("a", "rec", 1000)
	for i := range playing {
		playing[i].steps = s.breakDown(playing[i])
	}
	mixed := s.dice.IntN(2) == 0 && !s.ordered
	if s.apart {
		half := max(1, len(playing)/2)
		s.tapes = [][]oracleTurn{
			s.merge(playing[:half], 0, mixed), s.merge(playing[half:], 0, mixed),
		}
		return
	}
	s.tapes = [][]oracleTurn{s.merge(playing, fixtures, mixed)}
}

// breakDown has a call go wrong on tape now and then, as when the sandbox is out of order: the
// client tries again.
func (s *oracleScenario) breakDown(p oraclePart) []oracleStep {
	if p.test.rigid || len(p.steps) == 0 || s.dice.IntN(12) > 0 {
		return p.steps
	}
	at := s.dice.IntN(len(p.steps))
	broken := p.steps[at]
	if !broken.reads() {
		return p.steps
	}
	broken.broken, broken.keep = true, ""
	return slices.Insert(slices.Clone(p.steps), at, broken)
}

// oraclePart is a test and who plays it.
type oraclePart struct {
	by    *oracleActor
	steps []oracleStep
	test  *oracleTest
}

// cast gives each test to a client of its own.
func (s *oracleScenario) cast(first, word string, number int) []oraclePart {
	var parts []oraclePart
	for i, test := range s.tests {
		parts = append(parts, s.part(test, first, word, number, i))
	}
	return parts
}

func (s *oracleScenario) part(test *oracleTest, first, word string, number, i int) oraclePart {
	name := string(rune(first[0] + byte(i)))
	cast := maps.Clone(test.cast)
	maps.Copy(cast, chosenNames(word, number, i))
	if s.shared {
		cast["client"] = "client-" + word
	}
	if test.shares {
		cast["customer"] = cast["suitecustomer"]
	}
	by := &oracleActor{
		name: name, shares: test.shares, rigid: test.rigid, whole: test.whole, cast: cast,
	}
	return oraclePart{by, test.steps, test}
}

// chosenNames are what the client number i of a playing chooses.
func chosenNames(word string, number, i int) map[string]string {
	n := oracleNumber(number + i)
	return map[string]string{
		"n": word + n, "client": "client-" + word + n, "shop": "https://" + word + n + ".example/back",
		"text": "Order " + word + n, "holder": "HOLDER " + strings.ToUpper(word), "customer": "77" + n,
		"surname": "Sample" + word, "phone": "49170000" + n, "email": word + n + "@example.com",
		"suite": "suite-" + word, "suitecustomer": "88" + oracleNumber(number),
	}
}

// merge puts the turns of some tests into one order: the fixtures first, the rest one after
// another or mixed.
func (s *oracleScenario) merge(parts []oraclePart, fixtures int, mixed bool) []oracleTurn {
	var turns []oracleTurn
	left := make([][]oracleStep, len(parts))
	for i, p := range parts {
		left[i] = p.steps
	}
	take := func(i int) {
		for again := true; again; {
			step := left[i][0]
			turns, left[i] = append(turns, oracleTurn{parts[i].by, step}), left[i][1:]
			again = step.broken // nothing happens before the client tries again
		}
	}
	for i := range parts {
		for len(left[i]) > 0 && (i < fixtures || !mixed) {
			take(i)
		}
	}
	for {
		var going []int
		for i := range left {
			if len(left[i]) > 0 {
				going = append(going, i)
			}
		}
		if len(going) == 0 {
			return turns
		}
		take(going[s.dice.IntN(len(going))])
	}
}

// plain is the case of the recording played as it is, with other names on another day.
func (s *oracleScenario) plain() *oracleCase {
	c := s.newCase()
	other := s.cast("A", "live", 2000)
	by := map[string]*oracleActor{}
	for i := range other {
		by[string(rune('a'+i))] = other[i].by
	}
	for _, tape := range s.tapes {
		for _, turn := range tape {
			c.live = append(c.live, oracleTurn{by[turn.by.name], turn.step})
		}
	}
	c.how = "the same again"
	return c
}

// oracleTicks are what may lie between two recorded calls: a machine makes many in a second.
var oracleTicks = []time.Duration{7 * time.Millisecond, 301 * time.Millisecond, 1301 * time.Millisecond}

func (s *oracleScenario) newCase() *oracleCase {
	day := s.dice.IntN(len(oracleDays))
	return &oracleCase{
		seed: s.seed, tapes: s.tapes, clean: s.clean,
		recorded: oracleDays[day].In(s.zone), recTick: oracleTicks[s.dice.IntN(len(oracleTicks))],
		played:   oracleDays[(day+1+s.dice.IntN(len(oracleDays)-1))%len(oracleDays)].In(s.zone),
		liveTick: 1703 * time.Millisecond,
	}
}
