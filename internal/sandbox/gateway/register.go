package gateway

import (
	"slices"
	"strconv"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// orderOperations are the operations about an order itself.
var orderOperations = map[string]operation{
	"/payment/rest/register.do":                  {run: (*book).register},
	"/payment/rest/registerPreAuth.do":           {run: (*book).registerPreAuth},
	"/payment/rest/getOrderStatusExtended.do":    {run: (*book).status},
	"/payment/rest/getOrderStatus.do":            {run: (*book).oldStatus, oldNames: true},
	"/payment/rest/getLastOrdersForMerchants.do": {run: (*book).listOrders},
}

// featureBinding asks for a binding when the order is paid (document 3, register.do).
const featureBinding = "FORCE_CREATE_BINDING"

// registerRules are the parameters of register.do (document 3) and those that clients of the
// family send with them: pageView, which is one page here, and dynamicCallbackUrl,
// merchantLogin, sessionTimeoutSecs and expirationDate, which document 3 shows for
// registerP2P.do, the last as sessionExpiredDate. Bounds that document 3 gives only there are
// taken from there; the one of email is that of deliveryEmail.
var registerRules = []paramRule{
	{name: "amount", required: true, ok: isAmount},
	{name: "returnUrl", required: true, ok: isFullURL},
	{name: "failUrl", ok: isFullURL},
	{name: "currency", ok: isCurrency, refusal: &errCurrency},
	{name: "dynamicCallbackUrl", ok: isWebURL},
	{name: "orderNumber", ok: wire.Within(36)},
	{name: "description", ok: wire.Within(600)},
	{name: "email", ok: isEmail},
	{name: "clientId", ok: wire.Within(255)},
	{name: "merchantLogin", ok: wire.Within(255)},
	{name: "pageView", ok: wire.Within(20)},
	{name: "sessionTimeoutSecs", ok: isSeconds},
	{name: "expirationDate", ok: isLocalTime},
	{name: "features", ok: wire.OneOf(featureBinding), refusal: &errFeatures},
	{name: "jsonParams", ok: isObject},
}

// currencies that an order may have, numeric ISO 4217. Which ones a merchant gets is not
// shown; without the parameter an order is in euro, the currency of the other two APIs.
var currencies = []string{
	"978", "156", "203", "208", "344", "348", "356", "392", "398", "417", "578", "643",
	"702", "752", "756", "784", "826", "840", "860", "933", "944", "946", "949", "985",
}

// isAmount tells whether s is a positive amount in the smallest unit, at most 12 digits.
func isAmount(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && wire.IsDigits(s) && n > 0 && len(s) <= 12
}

func isCurrency(s string) bool {
	return slices.Contains(currencies, s)
}

// registered answers register.do. On success there is no errorCode (domain facts, On the
// wire).
type registered struct {
	OrderID string `json:"orderId"`
	FormURL string `json:"formUrl"`
}

// register makes an order that is paid in one stage.
func (b *book) register(c call) (any, error) {
	o, err := b.admit(c)
	if err != nil {
		return nil, err
	}
	return registered{OrderID: o.id, FormURL: c.formURL(o.id)}, nil
}

// registerPreAuth makes an order whose payment is held until it is deposited. Its parameters
// and its answer are not shown; they are those of register.do.
func (b *book) registerPreAuth(c call) (any, error) {
	o, err := b.admit(c)
	if err != nil {
		return nil, err
	}
	o.twoStage = true
	return registered{OrderID: o.id, FormURL: c.formURL(o.id)}, nil
}

// admit makes an order of what a call says. orderNumber is not marked R (document 3,
// register.do), so an order without one gets a number here.
func (b *book) admit(c call) (*order, error) {
	if err := c.params.check(registerRules); err != nil {
		return nil, err
	}
	if !c.params.deadline("expirationDate", c.now).After(c.now) {
		return nil, errValue.about("expirationDate") // it would never be open
	}
	if err := c.ownMerchant(); err != nil {
		return nil, err
	}
	number := c.params["orderNumber"]
	if number == "" {
		number = b.freeNumber()
	}
	if b.byNumber[number] != nil {
		return nil, errNumberUsed
	}
	// A binding belongs to a clientId (document 3, Bindings, rule 1).
	if c.params["features"] != "" && c.params["clientId"] == "" {
		return nil, errMissing.about("clientId")
	}
	return b.newOrder(number, c), nil
}

// ownMerchant refuses to act for another merchant: it needs a permission or a child merchant
// (document 3, registerP2P.do), and the one merchant here has neither.
func (c call) ownMerchant() error {
	login := c.params["merchantLogin"]
	if login != "" && login != c.params["userName"] {
		return errDenied
	}
	return nil
}

func (b *book) freeNumber() string {
	for {
		number := strconv.FormatInt(b.numbers.Next(), 10)
		if b.byNumber[number] == nil {
			return number
		}
	}
}
