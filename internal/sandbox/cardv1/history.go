package cardv1

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// kind is a kind of transaction. The codes are not shown; these are ours, the processing
// codes after ISO 8583 and without padding (domain facts, Codes).
type kind struct {
	transactionType string // numeric code
	processingCode  string
	direction       string // CREDIT, DEBIT or NOOP
	description     string
}

var kinds = struct {
	credit, debit, transferOut, transferIn kind
	block, status, limit, pinCounter       kind
	account                                kind // no record: it is about no card
}{
	credit:      kind{"760", "200000", "CREDIT", "Credit"},
	debit:       kind{"702", "10000", "DEBIT", "Debit"},
	transferOut: kind{"781", "400000", "DEBIT", "Transfer to a card"},
	transferIn:  kind{"782", "400000", "CREDIT", "Transfer from a card"},
	block:       kind{"820", "910000", "NOOP", "Card blocked"},
	status:      kind{"821", "920000", "NOOP", "Card status changed"},
	limit:       kind{"822", "930000", "NOOP", "Card limit changed"},
	pinCounter:  kind{"823", "940000", "NOOP", "PIN counter reset"},
	account:     kind{"824", "950000", "NOOP", "Account status changed"},
}

// receipt is the answer of operations that move money or change a card. The latter
// answer without rrn (document 1, changeCardStatus).
type receipt struct {
	ResponseCode            string `json:"responseCode"`
	ProcessingCode          string `json:"processingCode"`
	SystemTraceAuditNumber  int64  `json:"systemTraceAuditNumber"`
	LocalTransactionDate    string `json:"localTransactionDate"`
	RRN                     string `json:"rrn,omitempty"`
	AuthorizationIDResponse string `json:"authorizationIdResponse,omitempty"` // absent: declined
	IssuerFeeAmount         int64  `json:"issuerFeeAmount,omitempty"`
}

// receipt begins an answer and numbers the transaction.
func (b *bank) receipt(kind kind, now time.Time) (receipt, int64) {
	return receipt{
		ResponseCode:           codeOK,
		ProcessingCode:         kind.processingCode,
		SystemTraceAuditNumber: b.stan.Next(),
		LocalTransactionDate:   now.Format(zonedForm),
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

// record is one line of a card's history, in the field order of document 1 (Transaction
// record). Declined operations leave no line; the documents do not say.
type record struct {
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

// entry is a record with the time to find it by.
type entry struct {
	at     time.Time
	record record
}

// enter adds a record to a card's history. Of two records under one number, the sides of a
// transfer, the first stands for both.
func (b *bank) enter(card *card, record record, now time.Time) {
	card.history = append(card.history, entry{now, record})
	if _, entered := b.records[record.Utrnno]; !entered {
		b.records[record.Utrnno] = record
	}
}

func newRecord(kind kind, number int64, now time.Time) record {
	return record{
		AuthorizationDate:       now.Format(zonedForm),
		TransactionType:         kind.transactionType,
		OperationDirection:      kind.direction,
		Currency:                euro,
		Utrnno:                  number,
		TransactionDescription:  kind.description,
		AuthorizationIDResponse: lastSix(rrnOf(number)),
	}
}

func (r *record) addAcceptor(a *acceptor) {
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
	Period *period `json:"period"`
}

// period is the period object, whose ends are both optional (document 1, Period object).
type period struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

func (p *period) days() (wire.DayRange, error) {
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
	Transactions []record `json:"transactions"`
}

// transactions lists a card's history, oldest first. The ends of the period are, as document
// 2 says of its own, inclusive.
func (b *bank) transactions(q transactionsRequest, _ time.Time) (transactionList, error) {
	list := transactionList{Transactions: []record{}}
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
	Transaction record `json:"transaction"`
}

// transactionDetails shows one transaction; its directions appear in lower case (document 1,
// Transaction record). With reversal the reversal of it is asked for, and since no operation
// reverses anything there is none.
func (b *bank) transactionDetails(q detailsRequest, _ time.Time) (transactionDetails, error) {
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
