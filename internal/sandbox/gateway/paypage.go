package gateway

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// pageOperations are the pages behind formUrl, by their names below the merchant's folder.
var pageOperations = map[string]operation{
	"payment_ru.html": {run: (*book).paymentPage, browser: true, language: "ru"},
	"payment_en.html": {run: (*book).paymentPage, browser: true, language: "en"},
}

// enteredRules are the fields of the page. They are named as in paymentorder.do, so that what
// cleans that call cleans the form too.
var enteredRules = []paramRule{
	{name: "$PAN", required: true, ok: mint.IsCardNumber, refusal: &errCardData},
	{name: "$CVC", ok: isCVC, refusal: &errCardData},
	{name: "TEXT", ok: wire.Within(26)},
}

var (
	textPaidBefore = text{"Заказ уже оплачен", "The order has been paid already"}
	textDead       = text{"Заказ отклонён", "The order was declined"}
	textAtACS      = text{"Идёт аутентификация в банке", "The bank is authenticating the payer"}
)

// paymentPage is the page that formUrl leads to. A form that was filled in pays the order, and
// only while it waits for that: all else shows how the order stands.
func (b *book) paymentPage(c call) (any, error) {
	o, err := b.order(c.params["mdOrder"], c.now)
	if err != nil {
		return nil, err
	}
	switch {
	case !c.posted:
	case o.status == orderRegistered:
		return b.payEntered(o, c)
	case o.status == orderAuthenticating && o.secure.stage == stageMethod:
		if _, err := b.proceed(o, c.now); err != nil {
			return nil, err
		}
		return b.afterPage(o, c), nil
	}
	return o.payPage(c), nil
}

// payEntered pays with what was entered; people write card numbers in groups. Wrong card data
// are told above the form and are no attempt to pay.
func (b *book) payEntered(o *order, c call) (any, error) {
	entered := params{}
	for _, name := range []string{"$PAN", "$CVC", "MM", "YYYY", "TEXT", recipientPAN} {
		entered[name] = strings.TrimSpace(c.params[name])
	}
	for _, name := range []string{"$PAN", recipientPAN} {
		entered[name] = strings.NewReplacer(" ", "", "-", "").Replace(entered[name])
	}
	c.params = entered
	pay, err := o.enteredPayment(c)
	if err != nil {
		p := o.payPage(c)
		p.Error, p.Holder = refusalOf(err).text.in(c.language), entered["TEXT"]
		return p, nil
	}
	if _, err := b.charge(o, pay); err != nil {
		return nil, err
	}
	return b.afterPage(o, c), nil
}

// enteredPayment reads the form: of an order for a transfer a recipient is asked for too, or
// alone.
func (o *order) enteredPayment(c call) (payment, error) {
	pay := newPayment(c)
	if o.transfer != nil && o.transfer.credits {
		to, err := enteredRecipient(c.params)
		return o.sendTo(to, pay), err
	}
	card, err := readCard(c.params)
	pay.card = card
	if err := wire.FirstError(c.params.check(enteredRules), err); err != nil {
		return pay, err
	}
	if o.transfer == nil {
		return pay, nil
	}
	return o.sendTo(payCard{number: c.params[recipientPAN]}, pay), c.params.check(recipientRules)
}

// afterPage leads the payer on from a payment at the page: to the ACS or to the shop.
func (b *book) afterPage(o *order, c call) http.Handler {
	switch {
	case o.status != orderAuthenticating:
		return seeOther(o.outcome(c.language).Redirect)
	case o.secure.stage == stageMethod:
		return o.methodPage(c)
	}
	return seeOther("../../acsRedirect.do?orderId=" + o.id)
}

// methodPage runs the two hidden frames in which the browser is looked at, and then goes on
// (document 3, 3-D Secure 2 sequence, steps 2 to 4). A frame is got: what must be posted into
// it is a form inside.
func (o *order) methodPage(c call) page {
	p := newPage(c.language, "post")
	p.Hidden = []hidden{{"mdOrder", o.id}}
	p.Frames = []string{
		"../../3ds/method?threeDSServerTransID=" + o.secure.id,
		"../../3ds/frame?threeDSServerTransID=" + o.secure.id,
	}
	return p
}

// dead says that an order was declined, and why if that is known.
func (p page) dead(o *order) page {
	p = p.saying(textDead)
	if reason := actionTexts[o.action].in(p.Language); reason != "" {
		p.Message += ": " + reason
	}
	return p
}

// payPage shows how the order stands.
func (o *order) payPage(c call) page {
	p := newPage(c.language, "payment")
	p.Order, p.Amount = o.number, o.price()
	switch o.status {
	case orderRegistered:
		p.Transfer = o.transfer != nil && !o.transfer.credits
		p.Recipient = o.transfer != nil && o.transfer.credits
		return p
	case orderAuthenticating:
		if o.secure.stage == stageMethod {
			return o.methodPage(c)
		}
		p.Link = "../../acsRedirect.do?orderId=" + url.QueryEscape(o.id)
		return p.saying(textAtACS)
	case orderDeclined:
		p = p.dead(o)
	default:
		p = p.saying(textPaidBefore)
	}
	if back := o.outcome(c.language).Redirect; isWebURL(back) {
		p.Link = back // an app's own address is no link of a page
	}
	return p
}
