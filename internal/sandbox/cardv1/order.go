package cardv1

import (
	"cmp"
	"strconv"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// paymentOrder is the order to pay a merchant for one day. Document 1 shows where orders can
// be read (getPaymentOrders, getOrderDetails) and not how they come about; here they arise
// from debits: debitCard with cardAcceptorParameters adds a sale to the order of that
// merchant and day, and the first sale of a day opens it. Declined debits are no sales.
type paymentOrder struct {
	id       int64
	number   string // orderNumber
	merchant string
	opened   time.Time
	sales    []sale
}

// sale is one debit at a merchant.
type sale struct {
	card     *card
	terminal string
	record   record
}

// sell enters a debit with its merchant.
func (b *bank) sell(m movement, record record, now time.Time) {
	merchant := m.place.MerchantIdentification
	orders := b.dayOrders[merchant]
	day := now.Format(wire.DayForm)
	if len(orders) == 0 || orders[len(orders)-1].opened.Format(wire.DayForm) != day {
		id := b.orders.Next()
		made := &paymentOrder{
			id: id, number: "PO" + strconv.FormatInt(id, 10), merchant: merchant, opened: now,
		}
		orders = append(orders, made)
		b.dayOrders[merchant], b.ordersByID[id] = orders, made
	}
	order := orders[len(orders)-1]
	order.sales = append(order.sales, sale{m.card, m.place.TerminalIdentification, record})
}

func (o *paymentOrder) amount() int64 {
	var sum int64
	for _, s := range o.sales {
		sum += s.record.Amount
	}
	return sum
}

// Statuses of an order; the words are not shown.
const (
	orderOpen    = "NEW"  // on its day
	orderSettled = "PAID" // afterwards
)

func (o *paymentOrder) status(now time.Time) string {
	if now.Format(wire.DayForm) > o.opened.Format(wire.DayForm) {
		return orderSettled
	}
	return orderOpen
}

// sold finds the orders of a merchant: one of the table, under its institution, or one that
// a debit has named.
func (b *bank) sold(merchant, institution string) ([]*paymentOrder, error) {
	orders, m := b.dayOrders[merchant], b.merchant(merchant)
	switch {
	case m == nil && len(orders) == 0:
		return nil, fault(codeNoRecord, "no such merchant")
	case m != nil && m.institution != institution:
		return nil, fault(codeNoRecord, "the merchant is not of the institution")
	}
	return orders, nil
}

type paymentOrdersRequest struct {
	MerchantNumber string  `json:"merchantNumber"`
	InstitutionID  string  `json:"institutionId"`
	Period         *period `json:"period"`
}

// orderList answers getPaymentOrders.
type orderList struct {
	OrderList []orderListed `json:"orderList"`
}

type orderListed struct {
	ID          int64  `json:"id"`
	EventDate   string `json:"eventDate"`
	Purpose     string `json:"purpose"`
	Currency    int    `json:"currency"`
	Amount      int64  `json:"amount"`
	Status      string `json:"status"`
	OrderNumber string `json:"orderNumber"`
}

// paymentOrders lists the orders opened in the period, oldest first.
func (b *bank) paymentOrders(q paymentOrdersRequest, now time.Time) (orderList, error) {
	list := orderList{OrderList: []orderListed{}}
	err := required("merchantNumber", q.MerchantNumber, "institutionId", q.InstitutionID)
	days, daysErr := q.Period.days()
	if err := wire.FirstError(err, daysErr); err != nil {
		return list, err
	}
	orders, err := b.sold(q.MerchantNumber, q.InstitutionID)
	if err != nil {
		return list, err
	}
	for _, o := range orders {
		if !days.Contains(o.opened) {
			continue
		}
		list.OrderList = append(list.OrderList, orderListed{
			ID:          o.id,
			EventDate:   o.opened.Format(zonedForm),
			Purpose:     "Card payments of " + o.opened.Format(wire.DayForm),
			Currency:    euro,
			Amount:      o.amount(),
			Status:      o.status(now),
			OrderNumber: o.number,
		})
	}
	return list, nil
}

type orderDetailsRequest struct {
	OrderID *int64 `json:"orderId"`
}

// saleFields are what an order and a merchant's transactions show of a sale.
type saleFields struct {
	MerchantID          string `json:"merchantId"`
	TerminalID          string `json:"terminalId"`
	TransactionDate     string `json:"transactionDate"`
	CardNumberMask      string `json:"cardNumberMask,omitempty"` // merchant's transactions only
	CardNumber          string `json:"cardNumber"`
	TransactionAmount   int64  `json:"transactionAmount"`
	TransactionCurrency int    `json:"transactionCurrency"`
	SubmittedAmount     int64  `json:"submittedAmount"`
	SubmittedCurrency   int    `json:"submittedCurrency"`
	ResponseCode        *int   `json:"responseCode,omitempty"` // merchant's transactions only
	AuthorizationCode   string `json:"authorizationCode"`
	CashbackAmount      int64  `json:"cashbackAmount"`
	TransactionType     string `json:"transactionType"`
	NetworkType         string `json:"networkType"`
	CardType            string `json:"cardType"`
	OrderNumber         string `json:"orderNumber"`
}

func (o *paymentOrder) show(s sale) saleFields {
	return saleFields{
		MerchantID:          o.merchant,
		TerminalID:          s.terminal,
		TransactionDate:     s.record.AuthorizationDate,
		CardNumber:          s.card.number,
		TransactionAmount:   s.record.Amount,
		TransactionCurrency: euro,
		SubmittedAmount:     s.record.RequestAmount,
		SubmittedCurrency:   euro,
		AuthorizationCode:   s.record.AuthorizationIDResponse,
		TransactionType:     s.record.TransactionType,
		NetworkType:         mint.PaymentSystem(s.card.number),
		CardType:            cardType,
		OrderNumber:         o.number,
	}
}

// orderDetails answers getOrderDetails with the sales of an order, oldest first.
type orderDetails struct {
	TransactionList []saleFields `json:"transactionList"`
}

func (b *bank) orderDetails(q orderDetailsRequest, _ time.Time) (orderDetails, error) {
	if q.OrderID == nil {
		return orderDetails{}, missing("orderId")
	}
	order := b.ordersByID[*q.OrderID]
	if order == nil {
		return orderDetails{}, fault(codeNoRecord, "no such order")
	}
	var details orderDetails
	for _, s := range order.sales {
		details.TransactionList = append(details.TransactionList, order.show(s))
	}
	return details, nil
}

// merchantTransactionsRequest has the merchant under both names: merchantId in the table,
// merchantIdn in the example (document 1, getMerchantTransactions).
type merchantTransactionsRequest struct {
	MerchantID    string  `json:"merchantId"`
	MerchantIDN   string  `json:"merchantIdn"`
	TerminalID    string  `json:"terminalId"`
	InstitutionID string  `json:"institutionId"`
	Period        *period `json:"period"`
}

// merchantSales answers getMerchantTransactions with a plain list, as the table has it.
type merchantSales struct {
	Transactions []merchantSale `json:"transactions"`
}

type merchantSale struct {
	Utrnno   int64 `json:"utrnno"`
	Reversal bool  `json:"reversal"`
	saleFields
	OrderID string `json:"orderId"`
}

// merchantTransactions lists a merchant's sales in the period, oldest first, at one terminal
// if it is named.
func (b *bank) merchantTransactions(
	q merchantTransactionsRequest, _ time.Time,
) (merchantSales, error) {
	list := merchantSales{Transactions: []merchantSale{}}
	merchant := cmp.Or(q.MerchantID, q.MerchantIDN)
	err := required("merchantId", merchant, "institutionId", q.InstitutionID)
	days, daysErr := q.Period.days()
	if err := wire.FirstError(err, daysErr); err != nil {
		return list, err
	}
	orders, err := b.sold(merchant, q.InstitutionID)
	if err != nil {
		return list, err
	}
	for _, o := range orders {
		// All sales of an order are of its day.
		if days.Contains(o.opened) {
			list.Transactions = append(list.Transactions, o.at(q.TerminalID)...)
		}
	}
	return list, nil
}

// at lists the sales of an order at one terminal, or at all if none is named.
func (o *paymentOrder) at(terminal string) []merchantSale {
	var list []merchantSale
	for _, s := range o.sales {
		if terminal != "" && terminal != s.terminal {
			continue
		}
		fields := o.show(s)
		fields.CardNumberMask = mint.CardMask(s.card.number)
		fields.ResponseCode = new(int) // 0: approved, as internalResponseCode has it
		list = append(list, merchantSale{
			Utrnno: s.record.Utrnno, saleFields: fields, OrderID: strconv.FormatInt(o.id, 10),
		})
	}
	return list
}
