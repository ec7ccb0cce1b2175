package sandbox_test

import (
	"sync/atomic"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
)

// wins counts how many of all clients an operation says errorCode 0 to.
func (c *client) wins(op, id, amount string) int {
	var won atomic.Int64
	inParallel(clients, func(int) {
		if c.manage(op, id, amount).get("errorCode") == "0" {
			won.Add(1)
		}
	})
	return int(won.Load())
}

// A held order is deposited once, and of 1500 there are 60 refunds of 25, however many ask.
func TestParallelRefundsStopAtTheDeposit(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	id := c.hold("1", cardPaid)
	if won := c.wins("deposit.do", id, "0"); won != 1 {
		t.Errorf("the order was deposited %d times", won)
	}
	if won := c.wins("refund.do", id, "25"); won != 60 {
		t.Errorf("there were %d refunds, want 60", won)
	}
	c.money(id, "4", "REFUNDED", 1500, 1500, 1500)
}

func TestParallelReversalsAreOne(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	id := c.hold("1", cardPaid)
	if won := c.wins("reverse.do", id, ""); won != 1 {
		t.Errorf("the order was reversed %d times", won)
	}
	c.money(id, "3", "REVERSED", 0, 0, 0)
}
