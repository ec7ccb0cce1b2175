package cardv1

import (
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// limit is a limit of a card or an account (document 1, Limit object). The document says
// that a limit has a value, a current value and a cycle; here it bounds what is spent, by
// debits and outgoing transfers without their fees, in one cycle.
type limit struct {
	name        string
	startDate   string // as given; empty: since ever
	endDate     string // as given, inclusive; empty: for ever
	value       int64  // smallest unit
	cycleType   int64
	cycleLength int64
	spent       int64 // in the cycle
	cycle       int64 // the cycle that spent is about
}

// cycleNumbers counts cycles of length 1 by cycleType. The meaning of the codes is not
// shown; these are ours: 0 does not begin anew, 1 is days, 2 weeks from Monday, 3 months.
var cycleNumbers = map[int64]func(now time.Time) int64{
	0: func(time.Time) int64 { return 0 },
	1: dayNumber,
	2: func(now time.Time) int64 { return (dayNumber(now) + 3) / 7 },
	3: func(now time.Time) int64 { return int64(now.Year())*12 + int64(now.Month()) - 1 },
}

// dayNumber counts days by the clock's zone; 0 was a Thursday.
func dayNumber(now time.Time) int64 {
	_, offset := now.Zone()
	return (now.Unix() + int64(offset)) / (24 * 60 * 60)
}

// The limits that the product predefines and a new card or account inherits (document 1,
// Limit object). Only the form of the names is shown; names and values are ours, and the
// values are higher than most tests will spend.
var (
	cardLimits = []limit{
		{name: "LMTP0101", value: 1_000_000_00, cycleType: 1, cycleLength: 1},
		{name: "LMTP0102", value: 10_000_000_00, cycleType: 3, cycleLength: 1},
	}
	accountLimits = []limit{
		{name: "LMTTC01", value: 20_000_000_00, cycleType: 3, cycleLength: 1},
	}
)

func newLimits(predefined []limit) []*limit {
	var limits []*limit
	for _, limit := range predefined {
		limits = append(limits, &limit)
	}
	return limits
}

func (l *limit) cycleAt(now time.Time) int64 {
	return cycleNumbers[l.cycleType](now) / l.cycleLength
}

// spentBy is what was spent in the cycle that now falls into.
func (l *limit) spentBy(now time.Time) int64 {
	if l.cycle != l.cycleAt(now) {
		return 0
	}
	return l.spent
}

// allows tells whether an amount may be spent now. Outside its dates a limit does not bind.
func (l *limit) allows(amount int64, now time.Time) bool {
	today := now.Format(wire.DayForm)
	if l.startDate != "" && today < dayOf(l.startDate) ||
		l.endDate != "" && today > dayOf(l.endDate) {
		return true
	}
	return l.spentBy(now)+amount <= l.value
}

func (l *limit) spend(amount int64, now time.Time) {
	l.spent, l.cycle = l.spentBy(now)+amount, l.cycleAt(now)
}

// limitChange is the limit object of a request. What is absent stays as it is.
type limitChange struct {
	Name         string `json:"name"`
	StartDate    string `json:"startDate"`
	EndDate      string `json:"endDate"`
	Value        *int64 `json:"value"`
	CycleType    *int64 `json:"cycleType"`
	CycleLength  *int64 `json:"cycleLength"`
	Currency     *int64 `json:"currency"`
	CurrentValue *int64 `json:"currentValue"`
}

func (c *limitChange) check() error {
	if c == nil {
		return missing("limit")
	}
	outside := func(n *int64, lo, hi int64) bool { return n != nil && (*n < lo || *n > hi) }
	_, known := cycleNumbers[valueOr(c.CycleType, 0)]
	switch {
	case c.Name == "":
		return missing("limit.name")
	case !isMoment(c.StartDate) || !isMoment(c.EndDate):
		return fault(codeFormat, "limit.startDate and endDate must begin with YYYY-MM-DD")
	case c.StartDate != "" && c.EndDate != "" && dayOf(c.StartDate) > dayOf(c.EndDate):
		return fault(codeFormat, "limit.startDate is after endDate")
	case outside(c.Value, 0, wire.MaxAmount), outside(c.CurrentValue, 0, wire.MaxAmount):
		return fault(codeAmount, "the values of a limit have at most 12 digits")
	case !known:
		return fault(codeFormat, "limit.cycleType must be 0 to 3")
	case outside(c.CycleLength, 1, 999):
		return fault(codeFormat, "limit.cycleLength must be 1 to 999")
	case valueOr(c.Currency, euro) != euro:
		return fault(codeConstraint, "currency must be 978")
	}
	return nil
}

// apply changes the limit of that name. What was spent stays, unless the cycle is another
// or currentValue says otherwise.
func (c *limitChange) apply(limits []*limit, now time.Time) error {
	for _, l := range limits {
		if l.name != c.Name {
			continue
		}
		if c.StartDate != "" {
			l.startDate = c.StartDate
		}
		if c.EndDate != "" {
			l.endDate = c.EndDate
		}
		spent, before := l.spentBy(now), *l
		l.value = valueOr(c.Value, l.value)
		l.cycleType = valueOr(c.CycleType, l.cycleType)
		l.cycleLength = valueOr(c.CycleLength, l.cycleLength)
		if l.cycleType != before.cycleType || l.cycleLength != before.cycleLength {
			spent = 0
		}
		l.spent, l.cycle = valueOr(c.CurrentValue, spent), l.cycleAt(now)
		return nil
	}
	return fault(codeNoRecord, "no such limit")
}

func valueOr(n *int64, other int64) int64 {
	if n == nil {
		return other
	}
	return *n
}

// limitView is a limit in the field order of document 1 (getCardLimits). No operation makes
// exceptions, so the list is empty.
type limitView struct {
	Name            string     `json:"name"`
	StartDate       string     `json:"startDate,omitempty"`
	EndDate         string     `json:"endDate,omitempty"`
	Value           int64      `json:"value"`
	CycleType       int64      `json:"cycleType"`
	CycleLength     int64      `json:"cycleLength"`
	Currency        int64      `json:"currency"`
	CurrentValue    int64      `json:"currentValue"`
	LimitExceptions []struct{} `json:"limitExceptions"`
}

type limitList struct {
	Limits []limitView `json:"limits"`
}

func showLimits(limits []*limit, now time.Time) []limitView {
	list := []limitView{}
	for _, l := range limits {
		list = append(list, limitView{
			Name: l.name, StartDate: l.startDate, EndDate: l.endDate, Value: l.value,
			CycleType: l.cycleType, CycleLength: l.cycleLength, Currency: euro,
			CurrentValue: l.spentBy(now), LimitExceptions: []struct{}{},
		})
	}
	return list
}

func (b *bank) cardLimits(q cardRequest, now time.Time) (limitList, error) {
	card, err := b.card(q, idsOfSandbox)
	if err != nil {
		return limitList{}, err
	}
	return limitList{showLimits(card.limits, now)}, nil
}

type cardLimitRequest struct {
	cardRequest
	Limit *limitChange `json:"limit"`
}

// changeCardLimit changes one limit; the change appears in the history (document 1,
// Transaction record).
func (b *bank) changeCardLimit(q cardLimitRequest, now time.Time) (receipt, error) {
	card, err := b.card(q.cardRequest, idsOfSandbox)
	if err = wire.FirstError(err, q.Limit.check()); err == nil {
		err = q.Limit.apply(card.limits, now)
	}
	if err != nil {
		return receipt{}, err
	}
	return b.recordChange(card, q.cardRequest, kinds.limit, now), nil
}

// accountLimits lists the limits of an account, without dates: the example has none
// (document 1, getAccountLimits).
func (b *bank) accountLimits(q accountRequest, now time.Time) (limitList, error) {
	a, err := b.account(q)
	if err != nil {
		return limitList{}, err
	}
	list := limitList{showLimits(a.limits, now)}
	for i := range list.Limits {
		list.Limits[i].StartDate, list.Limits[i].EndDate = "", ""
	}
	return list, nil
}

type accountLimitRequest struct {
	accountRequest
	Limit *limitChange `json:"limit"`
}

func (b *bank) changeAccountLimit(q accountLimitRequest, now time.Time) (doneAnswer, error) {
	a, err := b.account(q.accountRequest)
	if err = wire.FirstError(err, q.Limit.check()); err == nil {
		err = q.Limit.apply(a.limits, now)
	}
	if err != nil {
		return doneAnswer{}, err
	}
	return done, nil
}
