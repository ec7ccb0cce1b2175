package gateway

import "github.com/paytape/paytape/internal/sandbox/mint"

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
