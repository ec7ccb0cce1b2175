package gateway

import (
	"strconv"

	"github.com/paytape/paytape/internal/sandbox/wire"
	"github.com/tidwall/gjson"
)

// p2pStatusFields is the table of getP2PStatus.do (document 3). The answer depends on a
// version, but not said is where it stands: it is taken for a parameter.
var p2pStatusFields = []fieldRule{
	{name: "orderId", ok: wire.Within(36)},
	{name: "orderNumber", ok: wire.Within(36)},
	{name: "version", kind: kindInteger, ok: wire.Within(2)},
}

// bindingVersion is the first version of getP2PStatus.do that tells the binding (document 3,
// Versioning).
const bindingVersion = 3

// p2pStatusView answers getP2PStatus.do. What is absent is not known or has not happened yet.
type p2pStatusView struct {
	ErrorCode        int              `json:"errorCode"`
	ErrorMessage     string           `json:"errorMessage"`
	OrderStatus      int              `json:"orderStatus"`
	OrderNumber      string           `json:"orderNumber,omitempty"`
	PanMaskedFrom    string           `json:"panMaskedFrom,omitempty"`
	PanMaskedTo      string           `json:"panMaskedTo,omitempty"`
	Amount           int64            `json:"amount,omitempty"`
	Currency         string           `json:"currency,omitempty"`
	CreationDate     int64            `json:"creationDate,omitempty"` // epoch ms
	OrderDescription string           `json:"orderDescription,omitempty"`
	IP               string           `json:"ip,omitempty"` // the payer's
	ResultCode       int              `json:"resultCode"`
	OrderParams      []wire.NameValue `json:"orderParams"`
	OperationList    []sideView       `json:"operationList"`
	Binding          string           `json:"binding,omitempty"`
}

// sideView is an item of operationList. The form of datetime is not shown, except that
// it is a String: here it holds epoch ms, like the other dates of the gateway.
type sideView struct {
	OperationType         string `json:"operationType"`
	Amount                int64  `json:"amount"`
	Currency              string `json:"currency"`
	Datetime              string `json:"datetime"`
	ResultCode            string `json:"resultCode"`
	ResultCodeDescription string `json:"resultCodeDescription,omitempty"`
	MaskedPan             string `json:"maskedPan"`
	CardholderName        string `json:"cardholderName,omitempty"`
	ApprovalCode          string `json:"approvalCode,omitempty"`
	RefNum                string `json:"refNum,omitempty"`
}

// p2pStatus reads an order for a transfer by either of its numbers. The values of orderStatus
// and resultCode are not shown: they are those of any order, orderStatus and actionCode.
func (b *book) p2pStatus(c call) (any, error) {
	if err := checkFields(gjson.ParseBytes(c.body), p2pStatusFields); err != nil {
		return nil, err
	}
	o, err := b.transferOrder(c)
	if err != nil {
		return nil, err
	}
	view := o.p2pView(c.language)
	version, _ := strconv.Atoi(c.params["version"]) // was checked; 0 if absent
	if version >= bindingVersion {
		view.Binding = o.boundCard()
	}
	return view, nil
}

// p2pStatusRefusal has a resultCode, which is mandatory, whatever was refused, and no
// orderStatus (document 3, getP2PStatus.do).
func p2pStatusRefusal(f failure) any {
	return struct {
		failure
		ResultCode int `json:"resultCode"`
	}{f, actionNoAttempt}
}

// transferOrder finds the order of a call by orderId or orderNumber; if both are given orderId
// decides. An order that is no transfer is as unknown as none: the documents are silent.
func (b *book) transferOrder(c call) (*order, error) {
	o, err := b.asked(c)
	switch {
	case err != nil:
		return nil, err
	case o.transfer == nil:
		return nil, errNoOrder
	}
	return o, nil
}

func (o *order) p2pView(language string) p2pStatusView {
	v := p2pStatusView{
		ErrorMessage:     textSuccess.in(language),
		OrderStatus:      o.status,
		OrderNumber:      o.number,
		Amount:           o.amount,
		Currency:         o.currency,
		CreationDate:     o.registered.UnixMilli(),
		OrderDescription: o.description,
		ResultCode:       o.action,
		OrderParams:      o.params,
		OperationList:    o.operationList(language),
	}
	if debit := o.transfer.debit; debit != nil {
		v.PanMaskedFrom = maskOf(debit.attempt.card)
	}
	if p := o.transfer.tried; p != nil {
		v.IP = p.ip
		v.PanMaskedTo = maskOf(p.credit.card)
		if !p.credit.alone {
			v.PanMaskedFrom = maskOf(p.card)
		}
	}
	return v
}

// operationList shows what the bank was asked. The first side is what the order's own attempt
// tells of: a debit whose credit was declined is taken back, so that it has no approval.
func (o *order) operationList(language string) []sideView {
	list := []sideView{}
	for i, s := range o.transfer.sides {
		if i == 0 {
			s.approval, s.refNum = o.attempt.approval, o.attempt.refNum
		}
		list = append(list, sideView{
			OperationType:         s.operation,
			Amount:                o.amount,
			Currency:              o.currency,
			Datetime:              strconv.FormatInt(s.at.UnixMilli(), 10),
			ResultCode:            strconv.Itoa(s.action),
			ResultCodeDescription: actionTexts[s.action].in(language),
			MaskedPan:             maskOf(s.card),
			CardholderName:        s.card.holder,
			ApprovalCode:          s.approval,
			RefNum:                s.refNum,
		})
	}
	return list
}

// boundCard is the id of the binding that the transfer made or used, the payer's before the
// recipient's; empty if none.
func (o *order) boundCard() string {
	if o.binding != nil {
		return o.binding.id
	}
	p := o.transfer.tried
	switch {
	case p == nil:
		return ""
	case p.bound != nil:
		return p.bound.id
	case p.credit.bound != nil:
		return p.credit.bound.id
	}
	return ""
}
