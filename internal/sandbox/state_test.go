package sandbox_test

import (
	"testing"
	"time"

	"github.com/paytape/paytape/internal/sandbox"
)

func TestOrderTimesOutAfter1200Seconds(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	late, paid := c.register("1").get("orderId"), c.order("2", cardPaid)
	c.clock.move(1200*time.Second - time.Millisecond)
	c.is(c.orderStatus(late), "orderStatus", "0")
	c.clock.move(time.Millisecond)
	c.is(c.pay(late, cardPaid), "errorCode", "5")
	a := c.orderStatus(late)
	c.is(a, "orderStatus", "6")
	c.is(a, "actionCode", "-2007")
	c.is(a, "paymentAmountInfo.paymentState", `"DECLINED"`)
	c.is(a, "cardAuthInfo", "")
	c.is(c.orderStatus(paid), "orderStatus", "2")
}

func TestOrderKeepsItsTimes(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	id := c.register("1").get("orderId")
	c.clock.move(time.Minute)
	c.pay(id, cardPaid)
	c.clock.move(time.Hour)
	a := c.orderStatus(id)
	c.is(a, "date", "1773472830000")
	c.is(a, "authDateTime", "1773472890000")
	c.is(a, "depositedDate", "1773472890000")
}

func TestRegisteringAgainAfterTimeOutNeedsAnotherNumber(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	c.register("1")
	c.clock.move(time.Hour)
	c.is(c.register("1"), "errorCode", `"1"`)
}

func TestV1CardExpires(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	card := c.card("1") // good to the end of 2030
	c.clock.move(time.Date(2030, 12, 31, 23, 59, 59, 0, c.clock.now().Location()).
		Sub(c.clock.now()))
	c.is(c.credit(card, 5), "responseCode", `"00"`)
	c.clock.move(time.Second)
	c.is(c.credit(card, 5), "responseCode", `"54"`)
}

func TestV1HistoryByDay(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	card := c.card("1")
	for range 3 { // 14, 15 and 16 March
		c.credit(card, 5)
		c.clock.move(24 * time.Hour)
	}
	for period, want := range map[string]string{
		`{}`:                     "3",
		`{"start":"2026-03-15"}`: "2",
		`{"end":"2026-03-15"}`:   "2",
		`{"start":"2026-03-15","end":"2026-03-15"}`: "1",
		`{"start":"2026-03-17"}`:                    "0",
	} {
		c.is(c.byNumber("getTransactions", card, `,"period":`+period), "transactions.#", want)
	}
}

func TestV2LimitsBeginAnew(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	from, to := c.issue(10_000_000), c.issue(0)
	for range 10 { // ten days of the daily limit are the monthly limit
		c.is(c.send2(from, to, 100_000), "status", `"approved"`)
		c.is(c.send2(from, to, 1), "statusMessage", `"the daily spending limit is exceeded"`)
		c.clock.move(24 * time.Hour)
	}
	c.is(c.send2(from, to, 1), "statusMessage", `"the monthly spending limit is exceeded"`)
	c.clock.move(8 * 24 * time.Hour) // 1 April
	c.is(c.send2(from, to, 100_000), "status", `"approved"`)
}

func TestV2CardExpiresAndIsReissued(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	from, to := c.issue(500), c.issue(0)
	c.clock.move(3*365*24*time.Hour + 30*24*time.Hour)
	c.is(c.send2(from, to, 1), "statusMessage", `"the card has expired"`)
	for _, card := range []v2Card{from, to} {
		c.is(c.patch(card, `{"reissueCard":{"reason":"expired"}}`), "expiryDate", `"203204"`)
	}
	from.expiry = "203204"
	c.is(c.send2(from, to, 1), "status", `"approved"`)
}

func TestV2RRNFollowsTheHour(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	number := c.issue(0).number
	c.clock.move(14 * time.Hour)
	a := c.topUp(number, 1)
	c.is(a, "creationDate", `"2026-03-15T00:20:30"`)
	c.like(a, "rrn", `607400\d{6}`)
}
