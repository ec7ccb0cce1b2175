package gateway

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// The pages are plain HTML that a browser without scripts can walk. Where the protocols want
// a browser to post by itself, a script of one line presses the button; nothing is loaded
// from elsewhere, and the policy below allows exactly the style and that script.

//go:embed pages
var pageFiles embed.FS

var (
	pageTemplates = template.Must(template.ParseFS(pageFiles, "pages/*.html"))
	pageStyle     = pageFile("style.css")
	pageScript    = pageFile("submit.js")
)

func pageFile(name string) string {
	text, err := pageFiles.ReadFile("pages/" + name)
	if err != nil {
		panic("gateway: the embedded file " + name + " is missing")
	}
	return string(text)
}

// pagePolicy is the Content-Security-Policy of all pages. It says nothing of where forms go
// and who may frame a page: forms end at the shop and the ACS, and shops frame both.
var pagePolicy = "default-src 'none'; base-uri 'none'; frame-src 'self'; style-src " +
	hashSource(pageStyle) + "; script-src " + hashSource(pageScript)

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// hidden is a hidden field of a form.
type hidden struct{ Name, Value string }

// page is one HTML answer; a template uses the fields that it knows.
type page struct {
	Language string // "ru" or "en"
	Error    string // what is wrong with what was entered
	Message  string // all that there is to say
	Link     string // where to go on; empty means nowhere
	Action   string // of the form
	Hidden   []hidden
	Frames   []string // addresses of hidden frames

	Order, Amount string // for people
	Holder        string // as entered before
	Recipient     bool   // only a recipient's card is asked for
	Transfer      bool   // a recipient's card is asked for too
	Password      string // the right one
	Wrong         bool   // the last one was not

	template string
}

// newPage begins a page; Russian is the default, as for messages.
func newPage(language, name string) page {
	return page{Language: cmp.Or(language, "ru"), template: name}
}

// saying turns the page into a mere message.
func (p page) saying(t text) page {
	p.template, p.Message = "message", t.in(p.Language)
	return p
}

// Say picks a language, for templates.
func (p page) Say(ru, en string) string { return text{ru, en}.in(p.Language) }

// Style is the style sheet, for templates.
func (p page) Style() template.CSS { return template.CSS(pageStyle) }

// Script is the one script, for templates.
func (p page) Script() template.JS { return template.JS(pageScript) }

// ServeHTTP writes the page. It may hold what a payer has entered, so nobody keeps it.
func (p page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var out bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&out, p.template, p); err != nil {
		http.Error(w, "writing the page failed", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html;charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	// A browser that went away is its own affair: there is nobody left to tell.
	_, _ = w.Write(out.Bytes())
}

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

// recipientPAN is the field of the payment page for the card that a transfer goes to. Cards are
// asked for there also if the order was registered with bindings: what the real page does then
// is not shown.
const recipientPAN = "toPAN"

var recipientRules = []paramRule{
	{name: recipientPAN, required: true, ok: mint.IsCardNumber, refusal: &errCardData},
}

// loneRecipientRules are for an OCT, whose one card is the recipient's (document 3, OCT
// scenario).
var loneRecipientRules = []paramRule{
	{name: "$PAN", required: true, ok: mint.IsCardNumber, refusal: &errCardData},
	{name: "TEXT", ok: wire.Within(26)},
}

// enteredRecipient reads the card of an OCT. Its expiry may be left out, as in toCard.
func enteredRecipient(p params) (payCard, error) {
	if err := p.check(loneRecipientRules); err != nil {
		return payCard{}, err
	}
	expiry := p["YYYY"] + p["MM"]
	if expiry != "" && !wire.IsTime(wire.MonthForm, expiry) {
		return payCard{}, errCardData.about("MM, YYYY")
	}
	return payCard{number: p["$PAN"], expiry: expiry, holder: p["TEXT"]}, nil
}
