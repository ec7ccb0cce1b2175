package match_test

import (
	"math/rand/v2"
	"strings"
)

// oracleTest is a sub-scenario of one client, that can be played in any place of a suite: its
// steps depend on no other test but through what both share.
type oracleTest struct {
	name  string
	steps []oracleStep
	cast  map[string]string // cards and amounts; names are added for each playing
	// rigid says that its steps are neither repeated nor left out, and that it keeps its cards and
	// amounts: something changes by the clock or behind the deck's back, and how often a client
	// asks decides when it sees that.
	rigid bool
	// whole says that its steps on tape belong together: without the last ones the tape would not
	// know how the story ends, and nobody could.
	whole bool
	// shares says that it makes what other tests need, before them.
	shares bool
}

// oracleDraw draws the steps of one test.
type oracleDraw struct {
	*rand.Rand
	test oracleTest
	// unsure says that clients do what a tape cannot tell of: they get secrets wrong, which stand
	// on no tape, and choose names in an API that no profile knows. Such a recording need not
	// replay to itself without a miss or a mark.
	unsure bool
}

// bad makes the last step one with wrong credentials, now and then.
func (d *oracleDraw) bad(percent int) {
	if d.maybe(percent) && d.unsure {
		d.test.steps[len(d.test.steps)-1].as = "bad"
	}
}

// maybe is true so many times out of a hundred.
func (d *oracleDraw) maybe(percent int) bool { return d.IntN(100) < percent }

// one picks one of some texts.
func (d *oracleDraw) one(texts ...string) string { return texts[d.IntN(len(texts))] }

// add adds a step.
func (d *oracleDraw) add(call, send string, keep ...string) {
	d.test.steps = append(d.test.steps,
		oracleStep{call: call, send: send, keep: strings.Join(keep, " ")})
}

// card casts a card of some and returns its name.
func (d *oracleDraw) card(role string, of ...string) string {
	d.test.cast["card:"+role] = d.one(of...)
	return "${card:" + role + "}"
}

// amount casts an amount that is common on tapes.
func (d *oracleDraw) amount(role string) string {
	d.test.cast["amt:"+role] = d.one(oracleAmounts...)
	return "${amt:" + role + "}"
}

// oracleAmounts are the few amounts of a tape, in the smallest unit.
var oracleAmounts = []string{"1000", "2500", "12500"}

var (
	goodCards = []string{"V", "M", "W"}
	anyCards  = []string{"V", "V", "M", "W", "X", "L", "E"}
)

// oracleThemes are kinds of tests, by name. A scenario draws its tests from one or two of them.
var oracleThemes = map[string][]func(*oracleDraw){
	"gateway":  {(*oracleDraw).payment},
	"refusals": {(*oracleDraw).refusals, (*oracleDraw).payment},
	"bindings": {(*oracleDraw).binding, (*oracleDraw).bindings, (*oracleDraw).recurrent},
	"secure":   {(*oracleDraw).secure2, (*oracleDraw).secure1, (*oracleDraw).payment},
	"p2p":      {(*oracleDraw).transfer, (*oracleDraw).credit},
	"orders":   {(*oracleDraw).payment, (*oracleDraw).lastOrders},
	"v1":       {(*oracleDraw).customer, (*oracleDraw).customer, (*oracleDraw).merchant},
	"v2":       {(*oracleDraw).holder},
	"acme":     {(*oracleDraw).acme, (*oracleDraw).acmeJob},
	"ledger":   {(*oracleDraw).ledger},
	"bound":    {(*oracleDraw).boundPayment},                   // with the fixture of one binding
	"account":  {(*oracleDraw).accountUse},                     // with the fixture of one account
	"books":    {(*oracleDraw).ledgerUse},                      // with that of one login
	"slow":     {(*oracleDraw).timeOut, (*oracleDraw).slowJob}, // by the clock
}

// oracleFixtures are the tests that come before those of a theme.
var oracleFixtures = map[string]func(*oracleDraw){
	"bound": (*oracleDraw).boundFixture, "account": (*oracleDraw).accountFixture,
	"books": (*oracleDraw).ledgerFixture,
}

// oracleThemeNames are the names of the themes, in an order that does not change.
var oracleThemeNames = []string{
	"gateway", "gateway", "refusals", "bindings", "bindings", "secure", "p2p", "orders", "v1", "v1",
	"v2", "v2", "acme", "acme", "ledger", "bound", "account", "books", "slow",
}

// draw draws one test.
func draw(dice *rand.Rand, name string, unsure bool, of func(*oracleDraw)) *oracleTest {
	d := &oracleDraw{dice, oracleTest{name: name, cast: map[string]string{}}, unsure}
	of(d)
	return &d.test
}
