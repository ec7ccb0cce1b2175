package gateway

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// registerP2PFields is the table of registerP2P.do (document 3). The credentials were checked
// before. What is required only of merchants with the address-check service, billingPayerData,
// is optional, since the merchant here does not have it. The length of params and the value
// set of transactionTypeIndicator are not shown: any will do.
var registerP2PFields = []fieldRule{
	{name: "orderNumber", required: true, ok: wire.Within(36)},
	{name: "amount", kind: kindInteger, required: true, ok: isAmount},
	{name: "currency", required: true, ok: isCurrency, refusal: &errCurrency},
	{name: "returnUrl", required: true, ok: isFullURL},
	{name: "failUrl", ok: isFullURL},
	{name: "orderDescription", ok: wire.Within(600)},
	{name: "clientId", ok: wire.Within(255)},
	{name: "merchantLogin", ok: wire.Within(255)},
	{name: "dynamicCallbackUrl", ok: isWebURL},
	{name: "sessionTimeoutSecs", kind: kindInteger, ok: isSeconds},
	{name: "sessionExpiredDate", ok: isLocalTime},
	{name: "bindingId", ok: wire.Within(255)},
	{name: "creditBindingId", ok: wire.Within(255)},
	{name: "transactionTypeIndicator", required: true},
	{name: "features", kind: kindObject, required: true, ok: areFeatures, refusal: &errFeatures},
	{name: "params", kind: kindList, fields: pairFields},
	{name: "shippingPayerData", kind: kindObject, fields: shippingFields},
	{name: "preOrderPayerData", kind: kindObject, fields: preOrderFields},
	{name: "orderPayerData", kind: kindObject, fields: phoneFields},
	{name: "billingAndShippingAddressMatchIndicator", ok: wire.Within(1)},
	{name: "billingPayerData", kind: kindObject, fields: billingFields},
	{name: "debitMdOrder", ok: wire.Within(36)},
}

// featuresOf lists the features of an order; false if they are not {feature: list}.
func featuresOf(raw string) ([]string, bool) {
	list, given := members(gjson.Parse(raw))["feature"]
	if !given {
		return nil, true
	}
	var all []string
	for _, feature := range list.Array() {
		all = append(all, feature.String())
	}
	return all, list.IsArray()
}

// areFeatures allows the two features that document 3 names. An order with two cards needs
// neither, although the object is mandatory.
func areFeatures(raw string) bool {
	all, ok := featuresOf(raw)
	return ok && !slices.ContainsFunc(all, func(feature string) bool {
		return feature != withoutFromCard && feature != featureBinding
	})
}

// registeredP2P answers registerP2P.do.
type registeredP2P struct {
	ErrorCode    int    `json:"errorCode"`
	ErrorMessage string `json:"errorMessage"`
	FormURL      string `json:"formUrl"`
	OrderID      string `json:"orderId"`
	OrderNumber  string `json:"orderNumber"`
}

// registerP2P makes an order for a transfer.
func (b *book) registerP2P(c call) (any, error) {
	body := gjson.ParseBytes(c.body)
	if err := checkFields(body, registerP2PFields); err != nil {
		return nil, err
	}
	if err := c.ownMerchant(); err != nil {
		return nil, err
	}
	if b.byNumber[c.params["orderNumber"]] != nil {
		return nil, errNumberUsed
	}
	made, err := b.newTransfer(c, body)
	if err != nil {
		return nil, err
	}
	c.params = orderParams(c.params, body)
	switch {
	case !c.params.deadline("expirationDate", c.now).After(c.now):
		return nil, errValue.about("sessionExpiredDate") // it would never be open
	case c.params["features"] != "" && c.params["clientId"] == "":
		return nil, errMissing.about("clientId") // document 3, Bindings, rule 1
	}
	o := b.newOrder(c.params["orderNumber"], c)
	o.transfer = made
	o.params = pairs(members(body)["params"])
	return registeredP2P{0, textSuccess.in(c.language), c.formURL(o.id), o.id, o.number}, nil
}

// p2pNames are the parameters of registerP2P.do that make an order, and the names that the
// same have in register.do.
var p2pNames = map[string]string{
	"userName": "userName", "orderNumber": "orderNumber", "amount": "amount",
	"currency": "currency", "returnUrl": "returnUrl", "failUrl": "failUrl",
	"orderDescription": "description", "clientId": "clientId",
	"dynamicCallbackUrl": "dynamicCallbackUrl", "sessionTimeoutSecs": "sessionTimeoutSecs",
	"sessionExpiredDate": "expirationDate",
}

// orderParams says in the words of register.do what order is to be made.
func orderParams(given params, body gjson.Result) params {
	p := params{}
	for here, there := range p2pNames {
		p[there] = given[here]
	}
	// areFeatures has read them.
	features, _ := featuresOf(members(body)["features"].Raw)
	if slices.Contains(features, featureBinding) {
		p["features"] = featureBinding
	}
	return p
}

// newTransfer reads what the order refers to.
func (b *book) newTransfer(c call, body gjson.Result) (*transfer, error) {
	features, _ := featuresOf(members(body)["features"].Raw) // areFeatures has read them
	t := &transfer{
		credits: slices.Contains(features, withoutFromCard),
		contact: hasContact(body),
	}
	for _, side := range []struct {
		param string
		bound **binding
	}{{"bindingId", &t.from}, {"creditBindingId", &t.to}} {
		id := c.params[side.param]
		if id == "" {
			continue
		}
		found, err := b.bindingOf(c.params["clientId"], id)
		if err != nil {
			return nil, err
		}
		*side.bound = found
	}
	var err error
	if id := c.params["debitMdOrder"]; id != "" {
		t.debit, err = b.debitOrder(id, c.now)
	}
	return t, err
}

// bindingOf finds a binding of a client that is switched on, of whatever type: the documents
// name none. Another client's is unknown. Without the clientId a payment with a binding is
// impossible (document 3, Bindings, rule 4).
func (b *book) bindingOf(clientID, id string) (*binding, error) {
	found := b.bindingByID[id]
	switch {
	case clientID == "":
		return nil, errMissing.about("clientId")
	case found == nil || !found.active || found.clientID != clientID:
		return nil, errNoBinding.about("bindingId")
	}
	return found, nil
}

// debitOrder finds the order of an earlier debit (AFT): one that took money from a card and
// still has it. That its amount covers the credit is not asked for: the documents are silent.
func (b *book) debitOrder(id string, now time.Time) (*order, error) {
	o, err := b.order(id, now)
	switch {
	case err != nil:
		return nil, err
	case o.status != orderPaid || o.transfer != nil && o.transfer.credits:
		return nil, errState.about("debitMdOrder")
	}
	return o, nil
}

// The objects about the payer that P2P calls carry (document 3, registerP2P.do). The value
// sets of the indicators are not shown: any number of their length will do.
var (
	shippingFields = []fieldRule{
		{name: "shippingCity", ok: wire.Within(50)},
		{name: "shippingCountry", ok: wire.Within(50)},
		{name: "shippingAddressLine1", ok: wire.Within(50)},
		{name: "shippingAddressLine2", ok: wire.Within(50)},
		{name: "shippingAddressLine3", ok: wire.Within(50)},
		{name: "shippingPostalCode", ok: wire.Within(16)},
		{name: "shippingState", ok: wire.Within(50)},
		{name: "shippingMethodIndicator", kind: kindInteger, ok: wire.Within(2)},
		{name: "deliveryTimeframe", kind: kindInteger, ok: wire.Within(2)},
		{name: "deliveryEmail", ok: wire.Within(254)},
	}
	preOrderFields = []fieldRule{
		{name: "preOrderDate", ok: isCompactDay},
		{name: "preOrderPurchaseInd", kind: kindInteger, ok: wire.Within(2)},
		{name: "reorderItemsInd", kind: kindInteger, ok: wire.Within(2)},
	}
	phoneFields = []fieldRule{
		{name: "homePhone", ok: isPhone},
		{name: "workPhone", ok: isPhone},
		{name: "mobilePhone", ok: isPhone},
	}
	billingFields = []fieldRule{
		{name: "billingCity", ok: wire.Within(50)},
		{name: "billingCountry", ok: wire.Within(50)},
		{name: "billingAddressLine1", ok: wire.Within(50)},
		{name: "billingAddressLine2", ok: wire.Within(50)},
		{name: "billingAddressLine3", ok: wire.Within(50)},
		{name: "billingPostalCode", ok: wire.Within(9)},
		{name: "billingState", ok: isState},
	}
	pairFields = []fieldRule{{name: "name", required: true}, {name: "value"}}
)

// isCompactDay tells whether s is a day as YYYYMMDD; the [10] of the table is a bound.
func isCompactDay(s string) bool {
	return wire.IsTime("20060102", s)
}

// isPhone tells whether s is 7 to 15 digits after the prefix + or 00, if there is one.
func isPhone(s string) bool {
	number, plus := strings.CutPrefix(s, "+")
	if !plus {
		number = strings.TrimPrefix(s, "00")
	}
	return wire.IsDigits(number) && len(number) >= 7 && len(number) <= 15
}

// isState tells whether s is an ISO 3166-2 code, a part of one, or a name in Latin letters.
// What a name has between its letters is not shown; anything of ASCII will do.
func isState(s string) bool {
	beyond := func(r rune) bool { return r < ' ' || r > '~' }
	return wire.Within(50)(s) && !strings.ContainsFunc(s, beyond)
}

// hasContact tells whether the call names an e-mail address or a telephone of the payer.
func hasContact(body gjson.Result) bool {
	given := members(body)
	phones := members(given["orderPayerData"])
	for _, phone := range phoneFields {
		if !isBlank(phones[phone.name]) {
			return true
		}
	}
	return !isBlank(members(given["shippingPayerData"])["deliveryEmail"])
}
