package sandbox

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// v1Kind is a kind of transaction. The codes are not shown; these are ours, the processing
// codes after ISO 8583 and without padding (domain facts, Codes).
type v1Kind struct {
	transactionType string // numeric code
	processingCode  string
	direction       string // CREDIT, DEBIT or NOOP
	description     string
}

var v1Kinds = struct {
	credit, debit, transferOut, transferIn v1Kind
	block, status, limit, pinCounter       v1Kind
	account                                v1Kind // no record: it is about no card
}{
	credit:      v1Kind{"760", "200000", "CREDIT", "Credit"},
	debit:       v1Kind{"702", "10000", "DEBIT", "Debit"},
	transferOut: v1Kind{"781", "400000", "DEBIT", "Transfer to a card"},
	transferIn:  v1Kind{"782", "400000", "CREDIT", "Transfer from a card"},
	block:       v1Kind{"820", "910000", "NOOP", "Card blocked"},
	status:      v1Kind{"821", "920000", "NOOP", "Card status changed"},
	limit:       v1Kind{"822", "930000", "NOOP", "Card limit changed"},
	pinCounter:  v1Kind{"823", "940000", "NOOP", "PIN counter reset"},
	account:     v1Kind{"824", "950000", "NOOP", "Account status changed"},
}

// v1Receipt is the answer of operations that move money or change a card. The latter
// answer without rrn (document 1, changeCardStatus).
type v1Receipt struct {
	ResponseCode            string `json:"responseCode"`
	ProcessingCode          string `json:"processingCode"`
	SystemTraceAuditNumber  int64  `json:"systemTraceAuditNumber"`
	LocalTransactionDate    string `json:"localTransactionDate"`
	RRN                     string `json:"rrn,omitempty"`
	AuthorizationIDResponse string `json:"authorizationIdResponse,omitempty"` // absent: declined
	IssuerFeeAmount         int64  `json:"issuerFeeAmount,omitempty"`
}

// receipt begins an answer and numbers the transaction.
func (b *v1Bank) receipt(kind v1Kind, now time.Time) (v1Receipt, int64) {
	return v1Receipt{
		ResponseCode:           codeOK,
		ProcessingCode:         kind.processingCode,
		SystemTraceAuditNumber: b.stan.Next(),
		LocalTransactionDate:   now.Format(wire.ZonedForm),
	}, b.trx.Next()
}

// rrnOf pads a transaction number to 12; authorizationIdResponse is its last six digits and
// utrnno the number itself (domain facts, Identifiers).
func rrnOf(number int64) string {
	return fmt.Sprintf("%012d", number)
}

func lastSix(rrn string) string {
	return rrn[len(rrn)-6:]
}

// v1Record is one line of a card's history, in the field order of document 1 (Transaction
// record). Declined operations leave no line; the documents do not say.
type v1Record struct {
	AuthorizationDate       string `json:"authorizationDate"`
	TransactionType         string `json:"transactionType"`
	OperationDirection      string `json:"operationDirection"`
	Amount                  int64  `json:"amount"`
	Currency                int    `json:"currency"`
	AmountInAccountCurrency int64  `json:"amountInAccountCurrency"`
	Utrnno                  int64  `json:"utrnno"`
	TransactionDescription  string `json:"transactionDescription"`
	FeeDirection            string `json:"feeDirection,omitempty"`
	FeIssuerFeeAmount       int64  `json:"feIssuerFeeAmount,omitempty"`
	MCC                     int64  `json:"mcc,omitempty"`
	MerchantID              string `json:"merchantId,omitempty"`
	TerminalAddress         string `json:"terminalAddress,omitempty"`
	PosDataCode             string `json:"posDataCode,omitempty"`
	AuthorizationIDResponse string `json:"authorizationIdResponse,omitempty"`
	Reversal                bool   `json:"reversal"`
	RequestAmount           int64  `json:"requestAmount"`
	TerminalID              string `json:"terminalId,omitempty"`
	InternalResponseCode    int    `json:"internalResponseCode"`
}

// v1Entry is a record with the time to find it by.
type v1Entry struct {
	at     time.Time
	record v1Record
}

// enter adds a record to a card's history. Of two records under one number, the sides of a
// transfer, the first stands for both.
func (b *v1Bank) enter(card *v1Card, record v1Record, now time.Time) {
	card.history = append(card.history, v1Entry{now, record})
	if _, entered := b.records[record.Utrnno]; !entered {
		b.records[record.Utrnno] = record
	}
}

func newRecord(kind v1Kind, number int64, now time.Time) v1Record {
	return v1Record{
		AuthorizationDate:       now.Format(wire.ZonedForm),
		TransactionType:         kind.transactionType,
		OperationDirection:      kind.direction,
		Currency:                v1Currency,
		Utrnno:                  number,
		TransactionDescription:  kind.description,
		AuthorizationIDResponse: lastSix(rrnOf(number)),
	}
}

func (r *v1Record) addAcceptor(a *acceptor) {
	if a == nil {
		return
	}
	// A merchantType that is no number has no place in mcc, which is a Long.
	if mcc, err := strconv.ParseInt(a.MerchantType, 10, 64); err == nil {
		r.MCC = mcc
	}
	r.MerchantID = a.MerchantIdentification
	r.TerminalAddress = a.NameAndLocation
	r.TerminalID = a.TerminalIdentification
}

type transactionsRequest struct {
	cardRequest
	Period *v1Period `json:"period"`
}

// v1Period is the period object, whose ends are both optional (document 1, Period object).
type v1Period struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

func (p *v1Period) days() (wire.DayRange, error) {
	if p == nil {
		return wire.DayRange{}, missing("period")
	}
	days := wire.DayRange{Start: p.Start, End: p.End}
	if !days.OK() {
		return days, fault(codeFormat, "period must be start and end as YYYY-MM-DD")
	}
	return days, nil
}

type transactionList struct {
	Transactions []v1Record `json:"transactions"`
}

// transactions lists a card's history, oldest first. The ends of the period are, as document
// 2 says of its own, inclusive.
func (b *v1Bank) transactions(q transactionsRequest, _ time.Time) (transactionList, error) {
	list := transactionList{Transactions: []v1Record{}}
	card, err := b.card(q.cardRequest, idsOfSandbox)
	days, daysErr := q.Period.days()
	if err := wire.FirstError(err, daysErr); err != nil {
		return list, err
	}
	for _, entry := range card.history {
		if days.Contains(entry.at) {
			list.Transactions = append(list.Transactions, entry.record)
		}
	}
	return list, nil
}

type detailsRequest struct {
	Utrnno   *int64 `json:"utrnno"`
	Reversal bool   `json:"reversal"`
}

type transactionDetails struct {
	Transaction v1Record `json:"transaction"`
}

// transactionDetails shows one transaction; its directions appear in lower case (document 1,
// Transaction record). With reversal the reversal of it is asked for, and since no operation
// reverses anything there is none.
func (b *v1Bank) transactionDetails(q detailsRequest, _ time.Time) (transactionDetails, error) {
	if q.Utrnno == nil {
		return transactionDetails{}, missing("utrnno")
	}
	record, known := b.records[*q.Utrnno]
	if !known || q.Reversal {
		return transactionDetails{}, fault(codeNoRecord, "no such transaction")
	}
	record.OperationDirection = strings.ToLower(record.OperationDirection)
	record.FeeDirection = strings.ToLower(record.FeeDirection)
	return transactionDetails{record}, nil
}
