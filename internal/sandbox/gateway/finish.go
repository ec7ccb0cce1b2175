package gateway

import (
	"cmp"
	"net/http"
	"net/url"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// Where the browser returns to the gateway. The first is what the family calls it; the second
// is ours, since no document shows it.
const (
	pathReturn1      = "/payment/rest/finish3ds.do"
	pathNotification = "/payment/3ds/notification"
)

// authOperations move an order that waits for 3-D Secure. For continue.do and
// finish3dsVer2Payment.do the type of errorCode is not shown; they answer like paymentorder.do.
var authOperations = map[string]operation{
	"/payment/rest/3ds/continue.do":         {run: (*book).continueSecure, numericCode: true},
	"/payment/rest/finish3dsVer2Payment.do": {run: (*book).finishPayment, numericCode: true},
	"/payment/acsRedirect.do":               {run: (*book).redirectToACS, browser: true},
	pathReturn1:                             {run: (*book).returnFromACS1, browser: true},
	pathNotification:                        {run: (*book).returnFromACS2, browser: true},
}

// continueSecure answers 3ds/continue.do (document 3, 3-D Secure 2 sequence, step 4).
func (b *book) continueSecure(c call) (any, error) {
	rules := []paramRule{{name: "mdOrder", required: true, ok: wire.Within(36)}}
	if err := c.params.check(rules); err != nil {
		return nil, err
	}
	o, err := b.order(c.params["mdOrder"], c.now)
	if err != nil {
		return nil, err
	}
	if o.secure == nil {
		return nil, errState
	}
	o.secure.payment.base = c.base
	o.secure.payment.language = cmp.Or(c.language, o.secure.payment.language)
	return b.proceed(o, c.now)
}

// finishPayment answers finish3dsVer2Payment.do (step 6): redirect, errorCode and is3DSVer2.
// It is for payments that were sent with threeDSVer2FinishUrl; others are over before it.
func (b *book) finishPayment(c call) (any, error) {
	rules := []paramRule{{name: "threeDSServerTransId", required: true, ok: wire.Within(36)}}
	if err := c.params.check(rules); err != nil {
		return nil, err
	}
	o, err := b.finishSecure(c.params["threeDSServerTransId"], c.now)
	if err != nil {
		return nil, err
	}
	answer := o.outcome(cmp.Or(c.language, o.secure.payment.language))
	answer.Info = ""
	answer.Is3DSVer2 = new(true)
	return answer, nil
}

// redirectToACS is the simple way to the ACS: a page with the form that the shop would
// otherwise have to make (document 3, acsRedirect.do). An order that is past it goes to the
// shop; one that was not asked for authentication has nowhere to go.
func (b *book) redirectToACS(c call) (any, error) {
	o, err := b.order(c.params["orderId"], c.now)
	if err != nil {
		return nil, err
	}
	s := o.secure
	switch {
	case s == nil || s.stage == stageMethod && o.status == orderAuthenticating:
		return nil, errState
	case o.status != orderAuthenticating:
		return seeOther(o.outcome(s.payment.language).Redirect), nil
	}
	p := newPage(s.payment.language, "post")
	p.Action = "acs/challenge"
	if s.demand == authSecure1 {
		p.Hidden = []hidden{{"PaReq", s.paReq}, {"MD", o.id}, {"TermUrl", c.base + pathReturn1}}
		return p, nil
	}
	p.Hidden = []hidden{{"creq", s.packedCReq()}}
	return p, nil
}

// returnFromACS1 is termUrl: the browser brings the PaRes, MD names the order. A PaRes that is
// not the one that the ACS made, whose signature would not hold, is a failed authentication.
func (b *book) returnFromACS1(c call) (any, error) {
	rules := []paramRule{{name: "MD", required: true, ok: wire.Within(36)},
		{name: "PaRes", required: true, ok: wire.Within(maxMessage)}}
	if err := c.params.check(rules); err != nil {
		return nil, err
	}
	o, err := b.order(c.params["MD"], c.now)
	if err != nil {
		return nil, err
	}
	s := o.secure
	if s == nil || s.demand != authSecure1 {
		return nil, errState
	}
	if o.status == orderAuthenticating {
		m, err := unpackXML(c.params["PaRes"])
		if err != nil || m.Message.PARes == nil || !sameXML(s.result, m) {
			s.verdict = actionNoAuth
		}
		b.settle(o, c.now)
	}
	return seeOther(o.outcome(s.payment.language).Redirect), nil
}

// sameXML compares what messages say: a client may have packed one again.
func sameXML(packed string, m paMessage) bool {
	known, err := unpackXML(packed)
	return err == nil && known.Message.ID == m.Message.ID && *known.Message.PARes == *m.Message.PARes
}

// returnFromACS2 is where the browser brings the cres. It goes on to the shop: to returnUrl or
// failUrl, or to threeDSVer2FinishUrl if the payment came with one, and then the shop has to
// finish (document 3, 3-D Secure 2 sequence, steps 5 and 6). That the latter gets orderId and
// lang too is our choice. The ACS has told its verdict before, so a cres that says something
// else changes nothing.
func (b *book) returnFromACS2(c call) (any, error) {
	var m cRes
	if unpackJSON(c.params["cres"], &m) != nil {
		return nil, errValue.about("cres")
	}
	o, found := b.running(m.ServerTransID, false, c.now)
	if !found || o.secure.acsID != m.ACSTransID {
		return nil, errNoSecure
	}
	s := o.secure
	switch {
	case o.status != orderAuthenticating:
	case s.stage != stageDecided:
		return nil, errState
	case s.payment.finishURL != "":
		return seeOther(redirect(s.payment.finishURL, o.id, s.payment.language)), nil
	default:
		b.settle(o, c.now)
	}
	return seeOther(o.outcome(s.payment.language).Redirect), nil
}

// seeOther sends the browser to an address, as it is.
type seeOther string

// ServeHTTP redirects with 303, so that a browser does not post again. An address within the
// gateway is relative and stays so, for the browser may know the gateway by another base.
func (to seeOther) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if u, err := url.Parse(string(to)); err == nil && u.IsAbs() {
		http.Redirect(w, r, string(to), http.StatusSeeOther)
		return
	}
	w.Header().Set("Location", string(to))
	w.WriteHeader(http.StatusSeeOther)
}
