package gateway

import (
	"cmp"
	"strconv"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// orderLifetime is the time to pay unless the order has one of its own (document 3, Limits, 2).
const orderLifetime = 1200 * time.Second

// order is one order of the merchant.
type order struct {
	id          string
	number      string
	amount      int64  // smallest unit
	currency    string // numeric ISO 4217
	description string
	returnURL   string
	failURL     string // empty: declined payers go to returnURL too
	email       string
	clientID    string // empty: no binding can be made
	wantBinding bool
	callbackURL string // dynamicCallbackUrl; empty: the static address
	twoStage    bool   // payments are held until they are deposited
	params      []wire.NameValue
	registered  time.Time
	deadline    time.Time // of paying; from then on the order is timed out
	status      int
	action      int      // actionCode
	attempt     *attempt // nil until a card was tried
	secure      *secure  // the run of 3-D Secure; nil if the payment had none
	binding     *binding // nil unless the payment made, renewed or used one
	sums        sums
	deposited   time.Time // zero until paid
	transfer    *transfer // of an order that moves money to a card; nil for others
}

// attempt is the one try of a card that an order gets. The real gateway has a number of
// attempts in the merchant's settings; which one is not shown.
type attempt struct {
	card     payCard
	ip       string
	at       time.Time
	approval string // empty if declined
	refNum   string // authRefNum; empty if declined
}

// book is the state of the gateway. The gateway's lock guards it.
type book struct {
	source      *mint.Source
	numbers     *mint.Counter // order numbers for orders that come without
	refNums     *mint.Counter
	byID        map[string]*order
	byNumber    map[string]*order
	orders      []*order              // oldest first
	secured     map[string]*order     // by the id of a run of 3-D Secure
	bindings    map[string][]*binding // by clientId, oldest first
	bindingByID map[string]*binding
	events      []told    // in the order in which they happened
	deadlines   deadlines // of the orders that may still time out
}

func newBook(s *mint.Source) *book {
	return &book{
		source:      s,
		numbers:     mint.NewCounter(s, 100_000, 999_999_999),
		refNums:     mint.NewCounter(s, 100_000_000_000, 999_999_999_999), // 12 digits
		byID:        map[string]*order{},
		byNumber:    map[string]*order{},
		secured:     map[string]*order{},
		bindings:    map[string][]*binding{},
		bindingByID: map[string]*binding{},
	}
}

// newOrder enters an order whose parameters were checked.
func (b *book) newOrder(number string, c call) *order {
	amount, _ := strconv.ParseInt(c.params["amount"], 10, 64) // isAmount has parsed it
	o := &order{
		id:          b.source.GatewayID(),
		number:      number,
		amount:      amount,
		currency:    cmp.Or(c.params["currency"], currencies[0]),
		description: c.params["description"],
		returnURL:   c.params["returnUrl"],
		failURL:     c.params["failUrl"],
		email:       c.params["email"],
		clientID:    c.params["clientId"],
		wantBinding: c.params["features"] == featureBinding,
		callbackURL: c.params["dynamicCallbackUrl"],
		params:      c.params.jsonParams(),
		registered:  c.now,
		deadline:    c.params.deadline("expirationDate", c.now),
		status:      orderRegistered,
		action:      actionNoAttempt,
	}
	b.enter(o)
	return o
}

// enter puts a new order into the book.
func (b *book) enter(o *order) {
	b.byID[o.id] = o
	b.byNumber[o.number] = o
	b.orders = append(b.orders, o)
	b.watch(o)
}

// order finds an order by its gateway id as it is now: one that nobody paid in time is
// declined by the clock.
func (b *book) order(id string, now time.Time) (*order, error) {
	return b.current(b.byID[id], now)
}

func (b *book) orderByNumber(number string, now time.Time) (*order, error) {
	return b.current(b.byNumber[number], now)
}

func (b *book) current(o *order, now time.Time) (*order, error) {
	if o == nil {
		return nil, errNoOrder
	}
	if o.awaitsPayment() && !now.Before(o.deadline) {
		b.timeOut(o)
	}
	return o, nil
}
