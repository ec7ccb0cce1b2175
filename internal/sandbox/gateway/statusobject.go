package gateway

import "github.com/paytape/paytape/internal/sandbox/wire"

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
