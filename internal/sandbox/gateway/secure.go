package gateway

import (
	"encoding/base64"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
)

// secure is one run of 3-D Secure. A payment waits in it until the payer is known to be who
// the card belongs to, and only then gets to the bank. The order has status 5 from the answer
// that demands it, although version 2 comes to the ACS only later: from there on it is
// "authentication pending" (document 3, States and transitions).
type secure struct {
	payment payment
	demand  authentication // of the card
	stage   stage
	id      string // threeDSServerTransId; the xid in version 1. A soft decline brings a new one
	acsID   string // acsTransID; empty in version 1, and until there is a challenge
	paReq   string // of version 1
	again   bool   // the bank has declined softly, so the ACS must ask the payer
	wrong   int    // wrong passwords at the ACS
	verdict int    // of the ACS: an action code, known from stageDecided on
	result  string // PaRes or CRes as the ACS made it
	proof   *proof // nil unless authenticated
}

// stage is how far a run has come.
type stage int

const (
	stageMethod  stage = iota // version 2: the browser is looked at, continue.do comes next
	stageACS                  // the payer is asked at the ACS
	stageDecided              // the ACS has decided; the payer has to come back
	stageDone                 // the payment was decided
)

// proof is what the bank gets of an authentication.
type proof struct {
	eci  int
	xid  string // of version 1; the documents show none of version 2
	cavv string
}

// demand is what an answer to a payment holds when the payer has to authenticate (document 3,
// paymentorder.do and 3ds/continue.do). What is absent was not demanded.
type demand struct {
	Is3DSVer2             *bool  `json:"is3DSVer2,omitempty"`
	ACSURL                string `json:"acsUrl,omitempty"`
	PaReq                 string `json:"paReq,omitempty"`
	TermURL               string `json:"termUrl,omitempty"`
	PackedCReq            string `json:"packedCReq,omitempty"`
	ServerTransID         string `json:"threeDSServerTransId,omitempty"`
	MethodURL             string `json:"threeDSMethodURL,omitempty"`
	MethodURLServer       string `json:"threeDSMethodURLServer,omitempty"`
	MethodURLServerDirect string `json:"threeDSMethodURLServerDirect,omitempty"`
	MethodDataPacked      string `json:"threeDSMethodDataPacked,omitempty"`
}

var textAuthenticate = text{
	"Необходима аутентификация держателя карты",
	"The cardholder has to authenticate",
}

// beginSecure starts a run for a payment whose card demands one.
func (b *book) beginSecure(o *order, p payment) paid {
	s := &secure{payment: p, demand: p.demands()}
	o.status, o.secure = orderAuthenticating, s
	if s.demand != authSecure1 {
		return b.newRound(o)
	}
	s.stage, s.id = stageACS, b.random20()
	b.secured[s.id] = o
	s.paReq = packXML(newPAReq(o))
	return paid{Info: textAuthenticate.in(p.language), demand: demand{
		ACSURL: p.base + pathChallenge, PaReq: s.paReq, TermURL: p.base + pathReturn1,
	}}
}

// newRound begins version 2, or begins it again after a soft decline: the shop gets a new
// threeDSServerTransId and sends the browser through the two hidden frames (document 3,
// 3-D Secure 2 sequence, steps 1 to 3 and Soft decline).
func (b *book) newRound(o *order) paid {
	s := o.secure
	s.stage, s.id = stageMethod, b.source.UUID4()
	b.secured[s.id] = o
	answer := paid{Info: textAuthenticate.in(s.payment.language), demand: demand{
		Is3DSVer2:        new(true),
		ServerTransID:    s.id,
		MethodURL:        s.payment.base + pathACSMethod,
		MethodURLServer:  s.payment.base + pathServerMethod + "?threeDSServerTransID=" + s.id,
		MethodDataPacked: s.methodData(),
	}}
	if bindingKind(o, s.payment.tii) == "I" {
		answer.MethodURLServerDirect = answer.MethodURLServer + "&direct=true"
	}
	return answer
}

// resume takes a payment that comes again with its threeDSServerTransId, as after a soft
// decline (document 3, Soft decline) and in performP2P.do. It must be of the same card, and a
// transfer must be the same. It does what continue.do does.
func (b *book) resume(o *order, p payment) (any, error) {
	s := o.secure
	switch {
	case p.serverTransID != s.id:
		return nil, errValue.about("threeDSServerTransId")
	case p.card.number != s.payment.card.number:
		return nil, errCardData.about("$PAN")
	case !p.credit.same(s.payment.credit):
		return nil, errValue.about("toCard, amount")
	}
	s.payment.language, s.payment.base = p.language, p.base
	return b.proceed(o, p.now)
}

// proceed lets the ACS look at the browser data and decide whether it must ask the payer
// (document 3, 3-D Secure 2 sequence, step 4). Asked again it gives the same challenge.
func (b *book) proceed(o *order, now time.Time) (any, error) {
	s := o.secure
	switch {
	case o.status != orderAuthenticating || s.demand == authSecure1 || s.stage > stageACS:
		return nil, errState
	case s.stage == stageACS:
	case s.demand == authFrictionless:
		answer := b.settle(o, now)
		answer.Is3DSVer2 = new(true)
		return answer, nil
	case s.demand == authSoftDecline && !s.again:
		s.again = true
		return b.newRound(o), nil
	default:
		s.stage, s.acsID = stageACS, b.source.UUID4()
	}
	return paid{Info: textAuthenticate.in(s.payment.language), demand: demand{
		Is3DSVer2: new(true), ACSURL: s.payment.base + pathChallenge, PackedCReq: s.packedCReq(),
	}}, nil
}

// settle ends a run: a payer who is known pays, any other is declined.
func (b *book) settle(o *order, now time.Time) paid {
	s := o.secure
	s.stage, s.payment.now = stageDone, now
	if s.verdict != actionOK {
		b.decline(o, s.payment, s.verdict)
		return o.outcome(s.payment.language)
	}
	b.authorize(o, s.payment)
	if o.action >= actionOK { // below are answers of the gateway, not of the bank
		s.proof = b.newProof(s)
	}
	return o.outcome(s.payment.language)
}

// running finds the order whose run of 3-D Secure a message is about, as it is now; false if
// there is none. Messages of one version know nothing of runs in the other, and a soft decline
// makes the id before it unknown.
func (b *book) running(id string, first bool, now time.Time) (*order, bool) {
	o, err := b.current(b.secured[id], now)
	if err != nil || o.secure.id != id || first != (o.secure.demand == authSecure1) {
		return nil, false
	}
	return o, true
}

// finishSecure ends a run in version 2 whose payer went to the shop's own finish address.
// Asked again, or of an order that has died since, it changes nothing: the payer goes where
// such orders go.
func (b *book) finishSecure(transID string, now time.Time) (*order, error) {
	o, found := b.running(transID, false, now)
	if !found {
		return nil, errValue.about("threeDSServerTransId")
	}
	switch s := o.secure; {
	case o.status != orderAuthenticating:
	case s.stage != stageDecided:
		return nil, errState
	default:
		b.settle(o, now)
	}
	return o, nil
}

// Electronic commerce indicators of a full authentication, by network. Document 3 shows the
// field alone; the values are those of the networks.
const (
	eciFull           = 5
	eciFullMastercard = 2
)

func (b *book) newProof(s *secure) *proof {
	made := &proof{eci: eciFull, cavv: b.random20()}
	if mint.PaymentSystem(s.payment.card.number) == "MASTERCARD" {
		made.eci = eciFullMastercard
	}
	if s.demand == authSecure1 {
		made.xid = s.id
	}
	return made
}

// addProof shows the authentication of the order's payment, if it came to one.
func (o *order) addProof(v *orderView) {
	if o.secure == nil || o.secure.proof == nil || v.CardAuthInfo == nil {
		return
	}
	p := o.secure.proof
	v.CardAuthInfo.SecureAuthInfo = secureAuthInfo{p.eci, &threeDSInfo{p.xid, p.cavv}}
}

// random20 mints 20 bytes in base64, the form of xid and cavv.
func (b *book) random20() string {
	raw := make([]byte, 20)
	for i := range raw {
		raw[i] = byte(b.source.IntN(256))
	}
	return base64.StdEncoding.EncodeToString(raw)
}
