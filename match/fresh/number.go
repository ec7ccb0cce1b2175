package fresh

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/pan"
)

// freshDigits are the last digits of a long number: what comes before them names a bank, a
// currency and a branch.
const (
	longNumber  = 16
	freshDigits = 9
)

// number returns a number as long as the recorded one that fits where that fitted: a client may
// keep an id in 32 bits, or in a number of JavaScript. It agrees with its check digit as that did.
func (m *Maker) number(like string) string {
	keep := len(like) - len(strings.TrimLeft(like, "0"))
	first := 1
	if len(like) >= longNumber {
		keep, first = len(like)-freshDigits, 0
	}
	var room [shortText]byte
	s := string(m.appendDigits(append(room[:0], like[:keep]...), like[keep:], first))
	if limit, ok := limitOf(like); ok {
		for range attempts {
			if n, err := strconv.ParseUint(s, 10, 64); err == nil && n <= limit {
				break
			}
			s = m.upTo(limit, like)
		}
	}
	return checked(s, like)
}

// attempts bounds the search for a number within its limit.
const attempts = 20

// limits are the largest numbers of types in which clients keep ids, and how many digits they have.
var limits = []struct {
	number uint64
	digits int
}{
	{math.MaxInt32, 10}, {math.MaxUint32, 10}, {1<<53 - 1, 16}, {math.MaxInt64, 19}, {math.MaxUint64, 20},
}

// limitOf returns the smallest limit that a number keeps, if it has as many digits.
func limitOf(text string) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, false
	}
	for _, limit := range limits {
		if n <= limit.number {
			return limit.number, limit.digits == len(text)
		}
	}
	return 0, false
}

// upTo returns a number of as many digits as like has, up to a limit of as many.
func (m *Maker) upTo(limit uint64, like string) string {
	least := uint64(math.Pow10(len(like) - 1))
	if len(like) >= longNumber {
		kept := like[:len(like)-freshDigits]
		least, _ = strconv.ParseUint(kept+strings.Repeat("0", freshDigits), 10, 64)
	}
	return fmt.Sprintf("%0*d", len(like), least+m.rand.Uint64N(limit-least+1))
}

// Numbers of accounts in Russia have twenty digits. One of them makes a weighted sum, in which
// the number of the bank takes part, end in zero; so a sum that stays keeps them valid at any bank.
const accountLength = 20

// shortestChecked is the length of the shortest number that passes Luhn for a reason.
const shortestChecked = 10

var accountWeights = [...]int{7, 1, 3}

// checked returns a number with its last digit such that it passes the checks which the recorded
// one passes.
func checked(s, like string) string {
	last := len(s) - 1
	switch {
	case len(s) == accountLength:
		wrong := (accountSum(like) - accountSum(s) + 10) % 10
		// The last weight is 1: position 19 of 20.
		return s[:last] + string(rune('0'+(int(s[last]-'0')+wrong)%10))
	case len(s) >= shortestChecked && pan.Residue(like) == pan.Valid && s[0] != '0':
		return pan.WithResidue(s, last, pan.Valid)
	}
	return s
}

func accountSum(s string) int {
	sum := 0
	for i := range len(s) {
		sum += accountWeights[i%len(accountWeights)] * int(s[i]-'0')
	}
	return sum % 10
}

// An IBAN has a country, two check digits, and a bank before the account (ISO 13616).
const (
	ibanHead     = 4
	shortestIBAN = 15
	longestIBAN  = 34
)

func isIBAN(s string) bool {
	return len(s) >= shortestIBAN && len(s) <= longestIBAN && s == strings.ToUpper(s) &&
		strings.Trim(s[:2], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && ibanRest(s) == 1
}

// ibanRest is what dividing by 97 leaves of an IBAN; 1 of a valid one, -1 of what is none.
func ibanRest(s string) int {
	var b strings.Builder
	for _, r := range s[ibanHead:] + s[:ibanHead] {
		n, err := strconv.ParseInt(string(r), 36, 32)
		if err != nil {
			return -1
		}
		b.WriteString(strconv.FormatInt(n, 10))
	}
	n, _ := new(big.Int).SetString(b.String(), 10)
	return int(new(big.Int).Mod(n, big.NewInt(97)).Int64())
}

// iban keeps country and bank, and makes the check digits anew.
func (m *Maker) iban(like string) string {
	keep := max(ibanHead, len(like)-freshDigits)
	s := string(m.appendLike([]byte(like[:2]+"00"+like[ibanHead:keep]), like[keep:]))
	return s[:2] + fmt.Sprintf("%02d", 98-ibanRest(s)) + s[ibanHead:]
}
