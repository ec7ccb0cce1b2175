package cardv1

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// transferRequest is p2PTransfer. The table names the source sourceCardIdentification, the
// example cardIdentification (document 1, p2pTransfer); both are read.
type transferRequest struct {
	cardRequest
	SourceCardIdentification      *cardIdentification `json:"sourceCardIdentification"`
	DestinationCardIdentification cardIdentification  `json:"destinationCardIdentification"`
	Amount                        *int64              `json:"amount"`
	Currency                      *int64              `json:"currency"`
	SourceAccountNumber           string              `json:"sourceAccountNumber"`
	DestinationAccountNumber      string              `json:"destinationAccountNumber"`
	SenderReceiverInfo            senderReceiver      `json:"senderReceiverInfo"`
	PointOfServiceDataCode        string              `json:"pointOfServiceDataCode"`
	PointOfServiceConditionCode   string              `json:"pointOfServiceConditionCode"`
	PreAuthorization              bool                `json:"preAuthorization"`
	TDS                           *threeDomain        `json:"tds"`
	SecurityLevelIndicator        string              `json:"securityLevelIndicator"`
	PosCardholderPresence         *int64              `json:"posCardholderPresence"`
	BusinessApplicationIdentifier string              `json:"businessApplicationIdentifier"`
	OriginalTransactionParameters *originalParameters `json:"originalTransactionParameters"`
}

type senderReceiver struct {
	SenderName       string `json:"senderName"`
	SenderAddress    string `json:"senderAddress"`
	SenderCity       string `json:"senderCity"`
	SenderCountry    string `json:"senderCountry"`
	SenderPostalCode string `json:"senderPostalCode"`
	ReceiverName     string `json:"receiverName"`
}

// originalParameters name an earlier transfer; absent fields are not compared.
type originalParameters struct {
	SystemTraceAuditNumber int64  `json:"systemTraceAuditNumber"`
	LocalTransactionDate   string `json:"localTransactionDate"`
	RRN                    string `json:"rrn"`
}

func (o originalParameters) describes(r receipt) bool {
	stan, date := o.SystemTraceAuditNumber, o.LocalTransactionDate
	return (stan == 0 || stan == r.SystemTraceAuditNumber) &&
		(date == "" || date == r.LocalTransactionDate)
}

func (q transferRequest) source() cardIdentification {
	if q.SourceCardIdentification != nil {
		return *q.SourceCardIdentification
	}
	return q.CardIdentification
}

// p2pTransfer moves money between two cards, or, when originalTransactionParameters are
// given, tells how an earlier transfer ended and moves nothing.
func (b *bank) p2pTransfer(q transferRequest, now time.Time) (receipt, error) {
	if err := q.check(); err != nil {
		return receipt{}, err
	}
	legs, err := b.legs(q)
	if err != nil {
		return receipt{}, err
	}
	if original := q.OriginalTransactionParameters; original != nil {
		earlier, known := b.transfers[original.RRN]
		if !known || !original.describes(earlier) {
			return receipt{}, fault(codeNoRecord, "no such transaction")
		}
		return earlier, nil
	}
	made := b.move(now, legs...)
	b.transfers[made.RRN] = made
	return made, nil
}

// check covers the fields marked R (document 1, p2pTransfer).
func (q transferRequest) check() error {
	source, info := q.source(), q.SenderReceiverInfo
	err := wire.FirstError(
		q.CardAcceptorParameters.check(),
		required(
			"sourceCardIdentification.cardNumber", source.CardNumber,
			"sourceCardIdentification.expDate", source.ExpDate,
			"destinationCardIdentification.cardNumber", q.DestinationCardIdentification.CardNumber,
			"senderReceiverInfo.senderName", info.SenderName,
			"senderReceiverInfo.senderAddress", info.SenderAddress,
			"pointOfServiceConditionCode", q.PointOfServiceConditionCode),
		checkAmount(q.Amount), checkCurrency(q.Currency), q.TDS.check())
	if err != nil {
		return err
	}
	last, first, ok := strings.Cut(info.SenderName, ",")
	if !ok || strings.TrimSpace(last) == "" || strings.TrimSpace(first) == "" {
		return fault(codeFormat, "senderName must have the form Last, First")
	}
	return nil
}

// legs finds the two cards and checks what was said about them.
func (b *bank) legs(q transferRequest) ([]movement, error) {
	source, err := b.identify(q.source(), idsOfSandbox)
	destination, destinationErr := b.identify(q.DestinationCardIdentification, idsOfSandbox)
	if err := wire.FirstError(err, destinationErr); err != nil {
		return nil, err
	}
	from, to := q.SourceAccountNumber, q.DestinationAccountNumber
	switch {
	case q.source().ExpDate != source.expiry:
		return nil, fault(codeNoCard, "expDate is not that of the source card")
	case source == destination:
		return nil, fault(codeConstraint, "source and destination are one card")
	case from != "" && from != source.account.number, to != "" && to != destination.account.number:
		return nil, fault(codeNoRecord, "the account is not that of the card")
	}
	leg := movement{amount: *q.Amount, place: q.CardAcceptorParameters, pos: q.PointOfServiceDataCode}
	out, in := leg, leg
	out.card, out.kind = source, kinds.transferOut
	in.card, in.kind = destination, kinds.transferIn
	return []movement{out, in}, nil
}
