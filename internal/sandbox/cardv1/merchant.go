package cardv1

import (
	"slices"
	"time"
)

// merchant is a merchant that exists from the start. Document 1 has no operation that
// makes one.
type merchant struct {
	number      string // merchantNumber, merchantId, merchantIdentification
	institution string
	agent       string
	customer    string
	contract    string
	status      string
	terminals   []*terminal
}

// terminal is a terminal of a merchant.
type terminal struct {
	id     int64  // terminalId of generateKey and setKey
	number string // terminalNumber, terminalIdentification
	status string
	keys   map[string]bool // the keyTypes it was given; no operation needs a key again
}

// statusOpen is the status of merchants and terminals from the start. The values are not
// shown (document 1, States and transitions): any text may be set, any may follow any, and
// none changes what is paid.
const statusOpen = "ACTIVE"

// newMerchants is the published table: two merchants of the institution 1001, the first with
// two terminals. Clients may name other merchants in cardAcceptorParameters; those have
// transactions and orders, but no status and no terminals.
func newMerchants() []*merchant {
	with := func(id int64, number string) *terminal {
		return &terminal{id: id, number: number, status: statusOpen, keys: map[string]bool{}}
	}
	return []*merchant{
		{"M0000001", "1001", "1001", "900001", "800001", statusOpen,
			[]*terminal{with(7001, "T0000001"), with(7002, "T0000002")}},
		{"M0000002", "1001", "1001", "900002", "800002", statusOpen,
			[]*terminal{with(7003, "T0000003")}},
	}
}

// merchant finds a merchant of the table; nil if there is none.
func (b *bank) merchant(number string) *merchant {
	for _, m := range b.merchants {
		if m.number == number {
			return m
		}
	}
	return nil
}

type merchantRequest struct {
	MerchantNumber string `json:"merchantNumber"`
	TerminalNumber string `json:"terminalNumber"` // changeTerminalStatus only
	InstitutionID  string `json:"institutionId"`
	AgentID        string `json:"agentId"`
	CustomerNumber string `json:"customerNumber"`
	ContractNumber string `json:"contractNumber"`
	Status         string `json:"status"`
}

// contract finds the merchant of a request whose fields are all mandatory and must be those
// of one contract.
func (b *bank) contract(q merchantRequest) (*merchant, error) {
	err := required(
		"merchantNumber", q.MerchantNumber, "institutionId", q.InstitutionID,
		"agentId", q.AgentID, "customerNumber", q.CustomerNumber,
		"contractNumber", q.ContractNumber, "status", q.Status)
	if err != nil {
		return nil, err
	}
	m := b.merchant(q.MerchantNumber)
	switch {
	case m == nil:
		return nil, fault(codeNoRecord, "no such merchant")
	case q.InstitutionID != m.institution || q.AgentID != m.agent,
		q.CustomerNumber != m.customer || q.ContractNumber != m.contract:
		return nil, fault(codeNoRecord, "the merchant has another contract")
	}
	return m, nil
}

func (b *bank) changeMerchantStatus(q merchantRequest, _ time.Time) (doneAnswer, error) {
	m, err := b.contract(q)
	if err != nil {
		return doneAnswer{}, err
	}
	m.status = q.Status
	return done, nil
}

func (b *bank) changeTerminalStatus(q merchantRequest, _ time.Time) (doneAnswer, error) {
	if q.TerminalNumber == "" {
		return doneAnswer{}, missing("terminalNumber")
	}
	m, err := b.contract(q)
	if err != nil {
		return doneAnswer{}, err
	}
	for _, t := range m.terminals {
		if t.number == q.TerminalNumber {
			t.status = q.Status
			return done, nil
		}
	}
	return doneAnswer{}, fault(codeNoRecord, "no such terminal")
}

// terminal finds the terminal that a key is for; all three names are optional, and those
// given must agree. Nil without an error: no terminal is named.
func (b *bank) terminal(q keyTarget) (*terminal, error) {
	fits := func(t *terminal) bool {
		return (q.TerminalID == nil || t.id == *q.TerminalID) &&
			(q.TerminalNumber == "" || t.number == q.TerminalNumber)
	}
	merchants := b.merchants
	if q.MerchantNumber != "" {
		merchants = slices.DeleteFunc(slices.Clone(merchants), func(m *merchant) bool {
			return m.number != q.MerchantNumber
		})
	}
	if len(merchants) == 0 {
		return nil, fault(codeNoRecord, "no such merchant")
	}
	if q.TerminalID == nil && q.TerminalNumber == "" {
		return nil, nil
	}
	for _, m := range merchants {
		if i := slices.IndexFunc(m.terminals, fits); i >= 0 {
			return m.terminals[i], nil
		}
	}
	return nil, fault(codeNoRecord, "no such terminal")
}
