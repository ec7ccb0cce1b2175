package gateway

import (
	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// orderView answers getOrderStatusExtended.do in the field order of a captured answer
// (domain facts, Order status). What is absent has not happened yet.
type orderView struct {
	ErrorCode             string           `json:"errorCode"`
	ErrorMessage          string           `json:"errorMessage"`
	OrderNumber           string           `json:"orderNumber"`
	OrderStatus           int              `json:"orderStatus"`
	ActionCode            int              `json:"actionCode"`
	ActionCodeDescription string           `json:"actionCodeDescription"`
	Amount                int64            `json:"amount"`
	Currency              string           `json:"currency"`
	Date                  int64            `json:"date"` // epoch ms
	DepositedDate         int64            `json:"depositedDate,omitempty"`
	OrderDescription      string           `json:"orderDescription,omitempty"`
	IP                    string           `json:"ip,omitempty"` // the payer's
	MerchantOrderParams   []wire.NameValue `json:"merchantOrderParams"`
	TransactionAttributes []wire.NameValue `json:"transactionAttributes"`
	Attributes            []wire.NameValue `json:"attributes"`
	CardAuthInfo          *cardAuthInfo    `json:"cardAuthInfo,omitempty"`
	BindingInfo           *bindingInfo     `json:"bindingInfo,omitempty"`
	AuthDateTime          int64            `json:"authDateTime,omitempty"`
	TerminalID            string           `json:"terminalId"`
	AuthRefNum            string           `json:"authRefNum,omitempty"`
	PaymentAmountInfo     amountInfo       `json:"paymentAmountInfo"`
	BankInfo              *bankInfo        `json:"bankInfo,omitempty"`
	PayerData             *payerData       `json:"payerData,omitempty"`
	Chargeback            bool             `json:"chargeback"`
	PaymentWay            string           `json:"paymentWay,omitempty"`
}

type cardAuthInfo struct {
	MaskedPan      string         `json:"maskedPan"`
	Expiration     string         `json:"expiration"`
	CardholderName string         `json:"cardholderName"`
	ApprovalCode   string         `json:"approvalCode,omitempty"`
	PaymentSystem  string         `json:"paymentSystem"`
	Product        string         `json:"product"`
	SecureAuthInfo secureAuthInfo `json:"secureAuthInfo"`
	Pan            string         `json:"pan"` // masked too
}

type secureAuthInfo struct {
	ECI         int          `json:"eci"`
	ThreeDSInfo *threeDSInfo `json:"threeDSInfo,omitempty"` // absent without 3-D Secure
}

type threeDSInfo struct {
	XID  string `json:"xid,omitempty"`
	CAVV string `json:"cavv"`
}

type bindingInfo struct {
	ClientID  string `json:"clientId"`
	BindingID string `json:"bindingId"`
}

type amountInfo struct {
	PaymentState    string `json:"paymentState"`
	ApprovedAmount  int64  `json:"approvedAmount"`
	DepositedAmount int64  `json:"depositedAmount"`
	RefundedAmount  int64  `json:"refundedAmount"`
	FeeAmount       int64  `json:"feeAmount"`
	TotalAmount     int64  `json:"totalAmount"`
}

type bankInfo struct {
	BankName        string `json:"bankName"`
	BankCountryCode string `json:"bankCountryCode"`
	BankCountryName string `json:"bankCountryName"`
}

type payerData struct {
	Email string `json:"email"`
}

// Values that a merchant of the real gateway would have in its settings.
const (
	terminalID    = "10000001"
	eciNoAuth     = 7 // no 3-D Secure took place
	issuerName    = "TEST BANK"
	issuerCode    = "DE"
	issuerCountry = "Germany"
)

// statusRules bound the numbers that an order is asked for by (document 3, Order).
var statusRules = []paramRule{
	{name: "orderId", ok: wire.Within(36)},
	{name: "orderNumber", ok: wire.Within(36)},
}

// status reads an order by either of its numbers (domain facts, Operations).
func (b *book) status(c call) (any, error) {
	o, err := b.asked(c)
	if err != nil {
		return nil, err
	}
	return o.view(c.language), nil
}

// asked finds the order of a call by orderId or orderNumber. When both are given orderId
// decides.
func (b *book) asked(c call) (*order, error) {
	if err := c.params.check(statusRules); err != nil {
		return nil, err
	}
	id, number := c.params["orderId"], c.params["orderNumber"]
	switch {
	case id != "":
		return b.order(id, c.now)
	case number != "":
		return b.orderByNumber(number, c.now)
	}
	return nil, errNoOrderID
}

func (o *order) view(language string) orderView {
	v := orderView{
		ErrorCode:             "0",
		ErrorMessage:          textSuccess.in(language),
		OrderNumber:           o.number,
		OrderStatus:           o.status,
		ActionCode:            o.action,
		ActionCodeDescription: actionTexts[o.action].in(language),
		Amount:                o.amount,
		Currency:              o.currency,
		Date:                  o.registered.UnixMilli(),
		OrderDescription:      o.description,
		MerchantOrderParams:   o.params,
		TransactionAttributes: []wire.NameValue{},
		Attributes:            []wire.NameValue{{Name: "mdOrder", Value: o.id}},
		TerminalID:            terminalID,
		PaymentAmountInfo:     o.amounts(),
	}
	if o.email != "" {
		v.PayerData = &payerData{o.email}
	}
	if o.attempt != nil {
		v.addAttempt(o.attempt)
	}
	o.addProof(&v)
	if o.binding != nil {
		v.BindingInfo = &bindingInfo{o.binding.clientID, o.binding.id}
	}
	if !o.deposited.IsZero() {
		v.DepositedDate = o.deposited.UnixMilli()
	}
	return v
}

func (v *orderView) addAttempt(a *attempt) {
	masked := mint.Mask(a.card.number, 2) // 411111**1111, whatever the length
	v.IP = a.ip
	v.AuthDateTime = a.at.UnixMilli()
	v.AuthRefNum = a.refNum
	v.PaymentWay = "CARD"
	v.BankInfo = &bankInfo{issuerName, issuerCode, issuerCountry}
	v.CardAuthInfo = &cardAuthInfo{
		MaskedPan:      masked,
		Expiration:     a.card.expiry,
		CardholderName: a.card.holder,
		ApprovalCode:   a.approval,
		PaymentSystem:  mint.PaymentSystem(a.card.number),
		Product:        mint.PaymentSystem(a.card.number) + " TEST",
		SecureAuthInfo: secureAuthInfo{ECI: eciNoAuth},
		Pan:            masked,
	}
}

// amounts shows the sums; the total is what the order was registered for, without a fee.
func (o *order) amounts() amountInfo {
	return amountInfo{
		PaymentState:    paymentStates[o.status],
		ApprovedAmount:  o.sums.approved,
		DepositedAmount: o.sums.deposited,
		RefundedAmount:  o.sums.refunded,
		FeeAmount:       o.fee(),
		TotalAmount:     o.amount,
	}
}

// oldView answers getOrderStatus.do, the elder of the two operations for the status. The
// domain facts (Operations) say that its names begin with capitals and name two; clients of
// the family read the others in this mixture. What is absent has not happened yet.
type oldView struct {
	Expiration     string `json:"expiration,omitempty"`
	CardholderName string `json:"cardholderName,omitempty"`
	DepositAmount  int64  `json:"depositAmount"`
	Currency       string `json:"currency"`
	ApprovalCode   string `json:"approvalCode,omitempty"`
	ClientID       string `json:"clientId,omitempty"`
	BindingID      string `json:"bindingId,omitempty"`
	ErrorCode      string `json:"ErrorCode"`
	ErrorMessage   string `json:"ErrorMessage"`
	OrderStatus    int    `json:"OrderStatus"`
	OrderNumber    string `json:"OrderNumber"`
	Pan            string `json:"Pan,omitempty"` // masked
	Amount         int64  `json:"Amount"`
	IP             string `json:"Ip,omitempty"` // the payer's
}

// oldFailure is the failure of getOrderStatus.do.
type oldFailure struct {
	ErrorCode    string `json:"ErrorCode"`
	ErrorMessage string `json:"ErrorMessage"`
}

func (b *book) oldStatus(c call) (any, error) {
	o, err := b.asked(c)
	if err != nil {
		return nil, err
	}
	v := oldView{
		DepositAmount: o.sums.deposited,
		Currency:      o.currency,
		ErrorCode:     "0",
		ErrorMessage:  textSuccess.in(c.language),
		OrderStatus:   o.status,
		OrderNumber:   o.number,
		Amount:        o.amount,
	}
	if a := o.attempt; a != nil {
		v.Expiration, v.CardholderName = a.card.expiry, a.card.holder
		v.ApprovalCode, v.IP = a.approval, a.ip
		v.Pan = mint.Mask(a.card.number, 2)
	}
	if o.binding != nil {
		v.ClientID, v.BindingID = o.binding.clientID, o.binding.id
	}
	return v, nil
}

// statusObject is the order status object inside the answers to recurrent and instalment
// payments: the fields of document 3 (Resources, Order), in their order there. Unlike the
// answer to getOrderStatusExtended.do it lists the operations and has no address of the payer.
type statusObject struct {
	ErrorCode             string           `json:"errorCode"`
	OrderNumber           string           `json:"orderNumber"`
	OrderStatus           int              `json:"orderStatus"`
	ActionCode            int              `json:"actionCode"`
	ActionCodeDescription string           `json:"actionCodeDescription"`
	Amount                int64            `json:"amount"`
	Currency              string           `json:"currency"`
	Date                  int64            `json:"date"` // epoch ms
	OrderDescription      string           `json:"orderDescription,omitempty"`
	MerchantOrderParams   []wire.NameValue `json:"merchantOrderParams"`
	TransactionAttributes []wire.NameValue `json:"transactionAttributes"`
	Attributes            []wire.NameValue `json:"attributes"`
	CardAuthInfo          *cardAuthInfo    `json:"cardAuthInfo,omitempty"`
	BindingInfo           *bindingInfo     `json:"bindingInfo,omitempty"`
	AuthDateTime          int64            `json:"authDateTime,omitempty"`
	AuthRefNum            string           `json:"authRefNum,omitempty"`
	PaymentAmountInfo     objectAmounts    `json:"paymentAmountInfo"`
	BankInfo              *bankInfo        `json:"bankInfo,omitempty"`
	Chargeback            bool             `json:"chargeback"`
	Operations            []operationView  `json:"operations"`
}

// objectAmounts is paymentAmountInfo without a fee.
type objectAmounts struct {
	PaymentState    string `json:"paymentState"`
	ApprovedAmount  int64  `json:"approvedAmount"`
	DepositedAmount int64  `json:"depositedAmount"`
	RefundedAmount  int64  `json:"refundedAmount"`
	TotalAmount     int64  `json:"totalAmount"`
}

// operationView is what the bank approved of an order.
type operationView struct {
	Amount     int64  `json:"amount"`
	CardHolder string `json:"cardHolder"`
	AuthCode   string `json:"authCode"`
}

// statusObject shows an order that was just paid or declined. A declined one has no
// operations.
func (o *order) statusObject(language string) statusObject {
	v, amounts := o.view(language), o.amounts()
	s := statusObject{
		ErrorCode: v.ErrorCode, OrderNumber: v.OrderNumber, OrderStatus: v.OrderStatus,
		ActionCode: v.ActionCode, ActionCodeDescription: v.ActionCodeDescription,
		Amount: v.Amount, Currency: v.Currency, Date: v.Date,
		OrderDescription:    v.OrderDescription,
		MerchantOrderParams: v.MerchantOrderParams, Attributes: v.Attributes,
		TransactionAttributes: v.TransactionAttributes,
		CardAuthInfo:          v.CardAuthInfo, BindingInfo: v.BindingInfo,
		AuthDateTime: v.AuthDateTime, AuthRefNum: v.AuthRefNum,
		PaymentAmountInfo: objectAmounts{
			amounts.PaymentState, amounts.ApprovedAmount, amounts.DepositedAmount,
			amounts.RefundedAmount, amounts.TotalAmount,
		},
		BankInfo: v.BankInfo, Chargeback: v.Chargeback,
		Operations: []operationView{},
	}
	if a := o.attempt; a != nil && a.approval != "" {
		s.Operations = append(s.Operations, operationView{o.amount, a.card.holder, a.approval})
	}
	return s
}
