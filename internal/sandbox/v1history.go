package sandbox

import (
	"fmt"
	"strconv"
	"time"
)

// v1Kind is a kind of transaction. The codes are not shown; these are ours, the processing
// codes after ISO 8583 and without padding (domain facts, Codes).
type v1Kind struct {
	transactionType string // numeric code
	processingCode  string
	direction       string // CREDIT, DEBIT or NOOP
	description     string
}

var v1Kinds = struct{ credit, debit, transferOut, transferIn, block, status v1Kind }{
	credit:      v1Kind{"760", "200000", "CREDIT", "Credit"},
	debit:       v1Kind{"702", "10000", "DEBIT", "Debit"},
	transferOut: v1Kind{"781", "400000", "DEBIT", "Transfer to a card"},
	transferIn:  v1Kind{"782", "400000", "CREDIT", "Transfer from a card"},
	block:       v1Kind{"820", "910000", "NOOP", "Card blocked"},
	status:      v1Kind{"821", "920000", "NOOP", "Card status changed"},
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
		SystemTraceAuditNumber: b.stan.next(),
		LocalTransactionDate:   now.Format(zonedForm),
	}, b.trx.next()
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

func newRecord(kind v1Kind, number int64, now time.Time) v1Record {
	return v1Record{
		AuthorizationDate:       now.Format(zonedForm),
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
	Period *struct {
		Start string `json:"start"`
		End   string `json:"end"`
	} `json:"period"`
}

type transactionList struct {
	Transactions []v1Record `json:"transactions"`
}

// transactions lists a card's history, oldest first. Both ends of the period are optional
// (document 1, Period object) and, as document 2 says of its own, inclusive.
func (b *v1Bank) transactions(q transactionsRequest, _ time.Time) (transactionList, error) {
	list := transactionList{Transactions: []v1Record{}}
	card, err := b.card(q.cardRequest)
	if err != nil {
		return list, err
	}
	if q.Period == nil {
		return list, missing("period")
	}
	days := dayRange{q.Period.Start, q.Period.End}
	if !days.ok() {
		return list, fault(codeFormat, "period must be start and end as YYYY-MM-DD")
	}
	for _, entry := range card.history {
		if days.contains(entry.at) {
			list.Transactions = append(list.Transactions, entry.record)
		}
	}
	return list, nil
}

// dayRange is a period of whole days, YYYY-MM-DD, both inclusive; an empty end is open.
type dayRange struct{ start, end string }

func (d dayRange) ok() bool {
	for _, day := range []string{d.start, d.end} {
		if day != "" && !isTime(dayForm, day) {
			return false
		}
	}
	return d.start == "" || d.end == "" || d.start <= d.end
}

func (d dayRange) contains(at time.Time) bool {
	day := at.Format(dayForm)
	return day >= d.start && (d.end == "" || day <= d.end)
}
