package story

import (
	"context"
	"net/url"
)

// Checkout registers an order at the gateway, asks for its state, pays it with a card that
// is kept as a binding, waits for the callback if the shop has a server, asks again, and lists the
// bindings (document 3, Flow of a direct payment).
func (t *Teller) Checkout(ctx context.Context) ([]Value, error) {
	return t.Run(ctx, "gateway checkout", t.checkout)
}

func (t *Teller) checkout() error {
	fields := []string{
		"orderNumber", t.OrderNumber, "amount", "12500", "currency", "978",
		"returnUrl", "https://shop.example/return", "clientId", t.ClientID,
		"features", "FORCE_CREATE_BINDING", "description", "Order " + t.OrderNumber,
	}
	if t.Callbacks != nil {
		fields = append(fields, "dynamicCallbackUrl", t.Callbacks.URL)
	}
	order, err := t.Form("register.do", fields...)
	if err != nil {
		return err
	}
	id := order.Get("orderId").String()
	t.Fresh("orderId", id)
	if err := t.formURL(order.Get("formUrl").String(), id); err != nil {
		return err
	}
	if err := t.status(id, 0); err != nil {
		return err
	}
	if err := t.pay(id); err != nil {
		return err
	}
	if err := t.told(id); err != nil {
		return err
	}
	if err := t.status(id, 2); err != nil {
		return err
	}
	bindings, err := t.Form("getBindings.do", "clientId", t.ClientID, "bindingType", "C")
	if err != nil {
		return err
	}
	t.Fresh("bindingId", bindings.Get("bindings.0.bindingId").String())
	return Agree("the binding's mask", bindings.Get("bindings.0.maskedPan").String(), t.mask())
}

func (t *Teller) formURL(text, id string) error {
	u, err := url.Parse(text)
	if err != nil {
		return Agree("formUrl", "no address", text)
	}
	t.Plain("formUrl leads to", u.Host)
	return Agree("mdOrder in formUrl", u.Query().Get("mdOrder"), id)
}

func (t *Teller) pay(id string) error {
	paid, err := t.Form("paymentorder.do", "MDORDER", id,
		"$PAN", t.Card, "$CVC", "123", "$EXPIRY", "203012", "TEXT", "TEST CARDHOLDER",
		"language", "en")
	if err != nil {
		return err
	}
	u, err := url.Parse(paid.Get("redirect").String())
	if err != nil {
		return Agree("redirect", "no address", "")
	}
	return firstError(
		Agree("errorCode of the payment", paid.Get("errorCode").Raw, "0"),
		Agree("orderId in redirect", u.Query().Get("orderId"), id))
}

// mask is how the gateway masks the card.
func (t *Teller) mask() string { return ShortMask(t.Card) }

// status asks for an order's state and checks every echo in the answer.
func (t *Teller) status(id string, want int) error {
	s, err := t.Form("getOrderStatusExtended.do", "orderId", id)
	if err != nil {
		return err
	}
	err = firstError(
		Agree("errorCode of the status", s.Get("errorCode").Raw, `"0"`),
		Agree("orderStatus", s.Get("orderStatus").Raw, []string{"0", "1", "2"}[want]),
		Agree("orderNumber", s.Get("orderNumber").String(), t.OrderNumber),
		Agree("mdOrder", s.Get(`attributes.#(name=="mdOrder").value`).String(), id))
	if err != nil || want == 0 {
		return err
	}
	t.Fresh("date", s.Get("date").Raw)
	t.Fresh("authRefNum", s.Get("authRefNum").String())
	t.Plain("maskedPan", s.Get("cardAuthInfo.maskedPan").String())
	return firstError(
		Agree("maskedPan", s.Get("cardAuthInfo.maskedPan").String(), t.mask()),
		Agree("clientId", s.Get("bindingInfo.clientId").String(), t.ClientID))
}
