package gateway

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// lastOrders answers getLastOrdersForMerchants.do: one page of the orders found. The operation
// is only named by the domain facts (Operations); parameters and answer are those that clients
// of the family send and read.
type lastOrders struct {
	ErrorCode     string      `json:"errorCode"`
	ErrorMessage  string      `json:"errorMessage"`
	OrderStatuses []orderView `json:"orderStatuses"`
	TotalCount    int         `json:"totalCount"` // on all pages
	Page          int         `json:"page"`
	PageSize      int         `json:"pageSize"`
}

// stampForm is the form of from and to, in the zone of the clock.
const stampForm = "20060102150405"

const maxPageSize = 200

var lastOrdersRules = []paramRule{
	{name: "size", required: true, ok: isPageSize},
	{name: "page", ok: isPage},
	{name: "from", required: true, ok: isStamp},
	{name: "to", required: true, ok: isStamp},
	{name: "transactionStates", required: true, ok: areStates},
	{name: "searchByCreatedDate", ok: wire.OneOf("true", "false")},
}

func isPageSize(s string) bool {
	return isPage(s) && smallNumber(s) >= 1 && smallNumber(s) <= maxPageSize
}

// isPage tells whether s is a page, counted from 0.
func isPage(s string) bool {
	return wire.IsDigits(s) && len(s) <= 6
}

func isStamp(s string) bool {
	return wire.IsTime(stampForm, s)
}

// areStates tells whether s lists payment states.
func areStates(s string) bool {
	known := slices.Collect(maps.Values(paymentStates))
	for state := range strings.SplitSeq(s, ",") {
		if !slices.Contains(known, strings.TrimSpace(state)) {
			return false
		}
	}
	return true
}

// smallNumber reads short digits that a rule has passed; nothing is 0.
func smallNumber(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// listOrders shows the orders of a period, the newest first.
func (b *book) listOrders(c call) (any, error) {
	if err := c.params.check(lastOrdersRules); err != nil {
		return nil, err
	}
	if c.params["from"] > c.params["to"] {
		return nil, errValue.about("from")
	}
	if err := c.ownOnly(c.params["merchants"]); err != nil {
		return nil, err
	}
	answer := lastOrders{
		ErrorCode: "0", ErrorMessage: textSuccess.in(c.language),
		OrderStatuses: []orderView{},
		Page:          smallNumber(c.params["page"]), PageSize: smallNumber(c.params["size"]),
	}
	first := answer.Page * answer.PageSize
	for _, o := range slices.Backward(b.orders) {
		_, _ = b.current(o, c.now) // fails for no order alone
		if !c.looksFor(o) {
			continue
		}
		if answer.TotalCount >= first && len(answer.OrderStatuses) < answer.PageSize {
			answer.OrderStatuses = append(answer.OrderStatuses, o.view(c.language))
		}
		answer.TotalCount++
	}
	return answer, nil
}

// ownOnly refuses a list of merchants that names another than the caller; an empty list is
// the caller.
func (c call) ownOnly(merchants string) error {
	for login := range strings.SplitSeq(merchants, ",") {
		login = strings.TrimSpace(login)
		if login != "" && login != c.params["userName"] {
			return errDenied
		}
	}
	return nil
}

// looksFor tells whether an order is in one of the states asked for and in the period, by the
// day of payment unless the one of registration is asked for. An order that no card was tried
// on has no day of payment.
func (c call) looksFor(o *order) bool {
	wanted := false
	for state := range strings.SplitSeq(c.params["transactionStates"], ",") {
		wanted = wanted || strings.TrimSpace(state) == paymentStates[o.status]
	}
	at := o.registered
	if c.params["searchByCreatedDate"] != "true" {
		if o.attempt == nil {
			return false
		}
		at = o.attempt.at
	}
	stamp := at.In(c.now.Location()).Format(stampForm)
	return wanted && stamp >= c.params["from"] && stamp <= c.params["to"]
}
