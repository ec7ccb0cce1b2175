package sandbox_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/tidwall/gjson"
)

const clients = 64

// ledger collects ids and complains about one that comes twice.
type ledger struct {
	t    *testing.T
	mu   sync.Mutex // guards seen
	seen map[string]bool
}

func (l *ledger) add(kind, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id == "" || l.seen[kind+id] {
		l.t.Errorf("%s is empty or was minted twice", kind)
	}
	l.seen[kind+id] = true
}

// inParallel runs one function per client and waits for all.
func inParallel(n int, run func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { run(i) })
	}
	all.Wait()
}

func TestParallelCheckouts(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	ids := ledger{t: t, seen: map[string]bool{}}
	inParallel(clients, func(i int) {
		number := fmt.Sprint("P", i)
		id := c.order(number, cardPaid, "clientId", number, "features", "FORCE_CREATE_BINDING")
		a := c.orderStatus(id)
		c.is(a, "orderStatus", "2")
		c.is(a, "orderNumber", fmt.Sprintf("%q", number))
		ids.add("orderId", id)
		ids.add("bindingId", a.get("bindingInfo.bindingId"))
		ids.add("authRefNum", a.get("authRefNum"))
	})
}

// Every payer authenticates in both versions; no run of one is taken for another's.
func TestParallelAuthentications(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	ids := ledger{t: t, seen: map[string]bool{}}
	inParallel(clients, func(i int) {
		id, tab := c.challenged(fmt.Sprint("P", i), cardSecure)
		ids.add("threeDSServerTransID", c.unpacked(tab.hidden("creq")).get("threeDSServerTransID"))
		other, a := c.secured(fmt.Sprint("Q", i), cardSecure1)
		ids.add("xid", c.inflated(a.get("paReq"), "xid"))
		if i%2 == 0 {
			tab.cancel().atShop("/sorry", id)
			c.ends(id, "6", "-2006")
		} else {
			tab.confirm().atShop("/back", id)
			c.ends(id, "2", "0")
		}
		c.toACS1(other, a).confirm().atShop("/back", other)
	})
}

func TestOneOrderIsPaidOnce(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	id := c.register("1").get("orderId")
	var mu sync.Mutex // guards paid
	paid := 0
	inParallel(clients, func(int) {
		if c.pay(id, cardPaid).get("errorCode") == "0" {
			mu.Lock()
			defer mu.Unlock()
			paid++
		}
	})
	if paid != 1 {
		t.Errorf("the order was paid %d times", paid)
	}
}

// Each of 64 customers starts with 100 and sends 1 to each neighbour in a ring, in both
// directions, so that in the end everyone has 100 again and nothing was lost on the way.
func TestParallelV1BalancesAddUp(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	ids := ledger{t: t, seen: map[string]bool{}}
	cards := make([]string, clients)
	inParallel(clients, func(i int) {
		customer := c.customer(fmt.Sprint("P", i))
		card := c.virtualCard(customer.get("accountNumber"))
		cards[i] = card.get("virtualCardIdentification.cardNumber")
		ids.add("accountNumber", customer.get("accountNumber"))
		ids.add("cardNumber", cards[i])
		ids.add("cardId", card.get("virtualCardIdentification.cardId"))
		ids.add("rrn", c.credit(cards[i], 100).get("rrn"))
	})
	inParallel(clients, func(i int) {
		for _, to := range []int{(i + 1) % clients, (i + clients - 1) % clients} {
			a := c.transfer(cards[i], cards[to], 1, "")
			c.is(a, "responseCode", `"00"`)
			ids.add("rrn", a.get("rrn"))
			ids.add("stan", a.get("systemTraceAuditNumber"))
		}
	})
	inParallel(clients, func(i int) {
		c.is(c.byNumber("debitCard", cards[i], fmt.Sprintf(euros, 101)), "responseCode", `"51"`)
		c.is(c.byNumber("debitCard", cards[i], fmt.Sprintf(euros, 100)), "responseCode", `"00"`)
	})
}

// Every client does all 38 operations with a customer of its own, at one merchant for all.
// In the end the merchant has what the cards have paid, and every account what is left.
func TestParallelV1DoesEverything(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	ids := ledger{t: t, seen: map[string]bool{}}
	inParallel(clients, func(i int) {
		customer := fmt.Sprint("P", i)
		for _, call := range c.everything(customer) {
			a := c.v1(call.op, "%s", call.body)
			if a.status != 200 {
				t.Errorf("%s answers %d", call.op, a.status)
			}
			if rrn := a.get("rrn"); rrn != "" {
				ids.add("rrn", rrn)
			}
			if value := a.get("keyValue"); value != "" {
				ids.add("keyValue", value)
			}
			if code := a.get("virtualCardIdentification.barCode"); code != "" {
				ids.add("barCode", code)
			}
		}
		// 1000 credited, 10 bought; 5 credited, 5 bought, 5 sent away.
		info := c.v1("getCustomerInfo", `{"customerNumber":%q}`, customer)
		c.is(info, "accounts.0.balances.0.value", "985")
		info = c.v1("getCustomerInfo", `{"customerNumber":%q}`, "other "+customer)
		c.is(info, "accounts.0.balances.0.value", "5")
	})
	orders := c.payOrders("M0000001", "{}")
	c.is(orders, "orderList.#.amount", fmt.Sprintf("[%d]", clients*15))
	sales := c.sales(`,"period":{}`)
	c.is(sales, "transactions.#", fmt.Sprint(clients*2))
	for _, utrnno := range gjson.Get(sales.body, "transactions.#.utrnno").Array() {
		ids.add("utrnno", utrnno.Raw)
	}
	c.is(c.control("GET", "/state"), "v1.counts.orders", "1")
}

func TestParallelV2BalancesAddUp(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	ids := ledger{t: t, seen: map[string]bool{}}
	cards := make([]v2Card, 20)
	inParallel(len(cards), func(i int) {
		cards[i] = c.issue(1000)
		ids.add("id", cards[i].id)
		ids.add("number", cards[i].number)
	})
	inParallel(clients, func(i int) {
		a := c.send2(cards[i%20], cards[(i*7+1)%20], 3)
		ids.add("id", a.get("id"))
		ids.add("rrn", a.get("rrn"))
		ids.add("Request-id", a.header.Get("Request-id"))
	})
	total := 0
	for _, card := range cards {
		var balance int
		shown := c.v2("GET", "cards/"+card.id, "").get("account.balance")
		if _, err := fmt.Sscan(shown, &balance); err != nil {
			t.Fatalf("reading a balance: %v", err)
		}
		total += balance
	}
	if total != 20*1000 {
		t.Errorf("the balances add up to %d, want %d", total, 20*1000)
	}
}

// All clients race for a place; exactly twenty get one.
func TestParallelPoolIsNotOverdrawn(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	var mu sync.Mutex // guards codes
	codes := map[int]int{}
	inParallel(clients, func(int) {
		status := c.v2("POST", "cardholders", holderBody).status
		mu.Lock()
		defer mu.Unlock()
		codes[status]++
	})
	if codes[200] != 20 || codes[409] != clients-20 {
		t.Errorf("statuses are %v, want 20 of 200", codes)
	}
}
