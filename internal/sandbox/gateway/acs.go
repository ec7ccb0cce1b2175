package gateway

import (
	"net/http"
	"net/url"
	"strconv"
)

// The addresses of the ACS and of the 3-D Secure server, which are the issuer's and the
// gateway's in truth. Their paths are ours; the pages name them relatively to each other.
const (
	pathChallenge    = "/payment/acs/challenge"
	pathAnswer       = "/payment/acs/answer"
	pathACSMethod    = "/payment/acs/method"
	pathServerMethod = "/payment/3ds/method"
	pathMethodOver   = "/payment/3ds/methodNotification"
	pathMethodFrame  = "/payment/3ds/frame"
)

// acsOperations are what a browser finds at the ACS.
var acsOperations = map[string]operation{
	pathChallenge:    {run: (*book).challenge, browser: true},
	pathAnswer:       {run: (*book).answerChallenge, browser: true},
	pathACSMethod:    {run: (*book).acsMethod, browser: true},
	pathServerMethod: {run: (*book).methodOver, browser: true},
	pathMethodOver:   {run: (*book).methodOver, browser: true},
	pathMethodFrame:  {run: (*book).methodFrame, browser: true},
}

// acsPassword is what every payer answers at the ACS; its page says so.
const acsPassword = "12345678"

// maxWrong is the number of wrong passwords after which the ACS gives up. How many real ones
// allow is not shown.
const maxWrong = 3

var errNoSecure = refusal{code: 5,
	text: text{"Такой аутентификации нет", "There is no such authentication"}}

// visit is a browser at the ACS with the message that it came with.
type visit struct {
	order         *order
	creq          string // of version 2
	paReq, md     string // of version 1, with termURL
	termURL       string
	wrongPassword bool
}

// visitACS finds the run that a message is about. Of version 1 the browser brings along where
// it wants to go afterwards.
func (b *book) visitACS(c call) (visit, error) {
	v := visit{creq: c.params["creq"], paReq: c.params["PaReq"],
		md: c.params["MD"], termURL: c.params["TermUrl"]}
	id, acsID := "", ""
	if v.paReq != "" {
		m, err := unpackXML(v.paReq)
		if err != nil || m.Message.PAReq == nil {
			return v, errValue.about("PaReq")
		}
		if !isWebURL(v.termURL) {
			return v, errValue.about("TermUrl")
		}
		id = m.Message.PAReq.Purchase.XID
	} else {
		var m cReq
		if unpackJSON(v.creq, &m) != nil {
			return v, errValue.about("creq")
		}
		id, acsID = m.ServerTransID, m.ACSTransID
	}
	o, found := b.running(id, v.paReq != "", c.now)
	if !found || o.secure.acsID != acsID || o.secure.stage == stageMethod {
		return v, errNoSecure // or nobody has been sent to the ACS yet
	}
	v.order = o
	return v, nil
}

// isWebURL tells whether a page may send a browser there, and a callback can go there.
func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && isFullURL(s)
}

// challenge is the page that acsUrl leads to.
func (b *book) challenge(c call) (any, error) {
	v, err := b.visitACS(c)
	if err != nil {
		return nil, err
	}
	return b.atACS(v), nil
}

// answerChallenge takes the payer's password. Giving up is a failed authentication, and too
// many wrong passwords have an action code of their own (domain facts, Codes; which of the two
// an ACS causes is not shown).
func (b *book) answerChallenge(c call) (any, error) {
	v, err := b.visitACS(c)
	if err != nil {
		return nil, err
	}
	s := v.order.secure
	if s.stage != stageACS || s.demand == authUnanswered {
		return b.atACS(v), nil
	}
	switch {
	case c.params["action"] == "cancel":
		b.rule(v.order, actionNoAuth, c)
	case c.params["password"] == acsPassword:
		b.rule(v.order, actionOK, c)
	default:
		s.wrong++
		v.wrongPassword = true
	}
	if s.wrong >= maxWrong && s.stage == stageACS {
		b.rule(v.order, actionAttempts, c)
	}
	return b.atACS(v), nil
}

// rule enters the word of the ACS. In version 2 the gateway learns it at once, in version 1 with
// the PaRes that the browser brings.
func (b *book) rule(o *order, verdict int, c call) {
	s := o.secure
	if o.status != orderAuthenticating {
		return
	}
	s.stage, s.verdict = stageDecided, verdict
	if s.demand == authSecure1 {
		s.result = packXML(newPARes(o, c.now))
		return
	}
	s.result = s.packedCRes()
}

// atACS is the page for a run in its present state: the question, or the way back once the ACS
// has decided.
func (b *book) atACS(v visit) http.Handler {
	s := v.order.secure
	p := newPage(s.payment.language, "acs")
	p.Order, p.Amount = v.order.number, v.order.price()
	p.Password, p.Wrong = acsPassword, v.wrongPassword
	switch {
	case v.order.status != orderAuthenticating && s.stage < stageDecided:
		return p.dead(v.order)
	case s.demand == authUnanswered:
		return p.saying(textNoAnswer)
	case s.stage >= stageDecided:
		return v.wayBack()
	}
	p.Hidden = v.message()
	return p
}

var textNoAnswer = text{"Банк не отвечает. Заказ остаётся неоплаченным до истечения срока",
	"The bank does not answer. The order stays unpaid until its time runs out"}

// message is what is carried from page to page.
func (v visit) message() []hidden {
	if v.paReq != "" {
		return []hidden{{"PaReq", v.paReq}, {"MD", v.md}, {"TermUrl", v.termURL}}
	}
	return []hidden{{"creq", v.creq}}
}

// wayBack posts the result to where the protocol wants it: in version 1 to TermUrl, in
// version 2 to the gateway.
func (v visit) wayBack() http.Handler {
	s := v.order.secure
	p := newPage(s.payment.language, "post")
	if v.paReq != "" {
		p.Action, p.Hidden = v.termURL, []hidden{{"PaRes", s.result}, {"MD", v.md}}
		return p
	}
	p.Action, p.Hidden = "../3ds/notification", []hidden{{"cres", s.result}}
	return p
}

// acsMethod is the hidden frame at the ACS (document 3, 3-D Secure 2 sequence, step 3). When
// it has looked at the browser it tells the address that the message names. Nothing depends on
// whether it was visited.
func (b *book) acsMethod(c call) (any, error) {
	var m methodData
	if unpackJSON(c.params["threeDSMethodData"], &m) != nil {
		return nil, errValue.about("threeDSMethodData")
	}
	if b.secured[m.ServerTransID] == nil || !isWebURL(m.NotificationURL) {
		return nil, errNoSecure
	}
	p := newPage(c.language, "post")
	p.Action = m.NotificationURL
	p.Hidden = []hidden{{"threeDSMethodData", packJSON(methodData{ServerTransID: m.ServerTransID})}}
	return p, nil
}

// methodFrame is what the payment page has in a hidden frame, for a frame can only be got: the
// form that posts the message to the ACS.
func (b *book) methodFrame(c call) (any, error) {
	id := c.params["threeDSServerTransID"]
	o := b.secured[id]
	if o == nil || o.secure == nil || o.secure.id != id {
		return nil, errNoSecure
	}
	p := newPage(c.language, "post")
	p.Action = "../acs/method"
	p.Hidden = []hidden{{"threeDSMethodData", o.secure.methodData()}}
	return p, nil
}

// methodOver is the hidden frame at the 3-D Secure server (step 2), and the end of the other.
func (b *book) methodOver(c call) (any, error) {
	return newPage(c.language, "empty"), nil
}

// price is the amount for people, in the currency's numeric code.
func (o *order) price() string {
	digits := exponent(o.currency)
	amount := strconv.FormatInt(o.amount, 10)
	if digits == 0 {
		return amount + " (" + o.currency + ")"
	}
	for len(amount) <= digits {
		amount = "0" + amount
	}
	cut := len(amount) - digits
	return amount[:cut] + "." + amount[cut:] + " (" + o.currency + ")"
}
