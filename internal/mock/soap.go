package mock

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	_ "embed"
)

//go:embed soap.yaml
var soapProfile string

// soap is an API of one address. A call is an element in the body of an envelope, and each but the
// first has the token of a session in its header, which the tape withholds.
var soap = API{
	Name:      "soap",
	Summary:   "login, authorise, capture, refund and look: SOAP 1.1 with a session",
	Profile:   soapProfile,
	Checkouts: soapCheckouts,
	Others:    soapOthers,
	new:       newSOAPAPI,
	nouns: []noun{
		{name: "session", at: regexp.MustCompile(`sessionToken>([0-9a-f]{32})</`),
			withheld: regexp.MustCompile(`sessionToken>([a-z]+-[0-9a-f]+)</`)},
		{name: "transaction", at: regexp.MustCompile(`\bTX\d{10}\b`)},
		{name: "refund", at: regexp.MustCompile(`\bRF\d{10}\b`)},
		{name: "approval", at: regexp.MustCompile(`approvalCode>(\d{6})</`)},
		{name: "time", at: regexp.MustCompile(`(?:created|expires)>([0-9TZ:-]{20})</`), date: isoDate},
	},
}

const (
	soapUser     = "shop-soap"
	soapPassword = "walnut-" + "7Yh2mN5c"
)

// soapServer is what the API keeps.
type soapServer struct {
	*Server
	sessions     map[string]bool
	transactions map[string]*soapTransaction
}

type soapTransaction struct {
	id, reference, amount, mask, status, created string
	refunds                                      []string
}

func newSOAPAPI(s *Server) answerer {
	return (&soapServer{s, map[string]bool{}, map[string]*soapTransaction{}}).answerLocked
}

var soapCallName = regexp.MustCompile(`<(?:\w+:)?Body>\s*<(?:\w+:)?(\w+)`)

func (a *soapServer) answerLocked(r *http.Request, body string) answer {
	named := soapCallName.FindStringSubmatch(body)
	if r.Method != "POST" || r.URL.Path != "/services/PaymentService" || named == nil {
		return answer{http.StatusNotFound, "text/plain", "no such service"}
	}
	call := named[1]
	if call == "Login" {
		return a.loginLocked(body)
	}
	if !a.sessions[elementText(body, "sessionToken")] {
		return soapFault("Client.Session", "the session is unknown")
	}
	if call == "Authorize" {
		return a.authorizeLocked(body)
	}
	t := a.transactions[elementText(body, "transactionId")]
	if t == nil {
		return soapFault("Client.Unknown", "the transaction is unknown")
	}
	switch {
	case call == "GetTransaction":
	case call == "Capture" && t.status == "AUTHORIZED":
		t.status = "CAPTURED"
	case call == "Refund" && t.status == "CAPTURED":
		t.status = "REFUNDED"
		t.refunds = append(t.refunds, a.textLocked("RF", 10, "0123456789"))
	default:
		return soapFault("Client.State", "the transaction is "+t.status)
	}
	return soapAnswer(call, t.xml())
}

func soapAnswer(call, inner string) answer {
	return soapEnvelope(http.StatusOK, fmt.Sprintf(
		`<pay:%sResponse xmlns:pay="urn:mock:payments">%s</pay:%[1]sResponse>`, call, inner))
}

func soapFault(code, words string) answer {
	return soapEnvelope(http.StatusInternalServerError, fmt.Sprintf(
		`<soap:Fault><faultcode>soap:%s</faultcode><faultstring>%s</faultstring></soap:Fault>`, code, words))
}

func soapEnvelope(status int, inner string) answer {
	return answer{status, "text/xml; charset=utf-8", `<?xml version="1.0" encoding="UTF-8"?>` +
		`<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>` + inner +
		`</soap:Body></soap:Envelope>`}
}

func (a *soapServer) loginLocked(body string) answer {
	if elementText(body, "user") != soapUser || elementText(body, "password") != soapPassword {
		return soapFault("Client.Login", "user or password is wrong")
	}
	token := a.textLocked("", 32, hexDigits)
	a.sessions[token] = true
	return soapAnswer("Login", "<pay:sessionToken>"+token+"</pay:sessionToken><pay:expires>"+
		a.isoLocked(30*time.Minute)+"</pay:expires>")
}

func (a *soapServer) authorizeLocked(body string) answer {
	card := elementText(body, "cardNumber")
	if len(card) < 13 {
		return soapFault("Client.Card", "the card number is wrong")
	}
	t := &soapTransaction{
		id: a.textLocked("TX", 10, "0123456789"), reference: elementText(body, "merchantReference"),
		amount: elementText(body, "amount"), mask: card[:6] + "******" + card[len(card)-4:],
		status: "AUTHORIZED", created: a.isoLocked(0),
	}
	approval := "<pay:approvalCode>" + a.textLocked("", 6, "0123456789") + "</pay:approvalCode>"
	if isDeclined(card) {
		t.status, approval = "DECLINED", ""
	}
	a.transactions[t.id] = t
	return soapAnswer("Authorize", approval+t.xml())
}

func (t *soapTransaction) xml() string {
	var refunds strings.Builder
	for _, id := range t.refunds {
		refunds.WriteString("<pay:refundId>" + id + "</pay:refundId>")
	}
	return fmt.Sprintf(`<pay:transactionId>%s</pay:transactionId><pay:merchantReference>%s`+
		`</pay:merchantReference><pay:amount>%s</pay:amount><pay:maskedCard>%s</pay:maskedCard>`+
		`<pay:status>%s</pay:status><pay:created>%s</pay:created>%s`,
		t.id, escaped(t.reference), escaped(t.amount), t.mask, t.status, t.created, refunds.String())
}

var soapCheckouts = []Checkout{
	{"captured", func(c *Client) {
		session := c.soapLogin()
		id := c.soapAuthorize(session, 1500, cardPaid)
		c.poll(c.soapAbout("GetTransaction", session, id))
		c.send(c.soapAbout("Capture", session, id))
		c.poll(c.soapAbout("GetTransaction", session, id))
	}},
	{"declined", func(c *Client) {
		session := c.soapLogin()
		id := c.soapAuthorize(session, 1500, cardDeclined)
		c.poll(c.soapAbout("GetTransaction", session, id))
		c.send(c.soapAbout("Capture", session, id))
	}},
	{"refunded", func(c *Client) {
		session := c.soapLogin()
		id := c.soapAuthorize(session, 2600, cardOther)
		c.send(c.soapAbout("Capture", session, id))
		c.send(c.soapAbout("Refund", session, id))
		c.poll(c.soapAbout("GetTransaction", session, id))
	}},
	{"unknown", func(c *Client) {
		c.send(c.soapAbout("GetTransaction", c.soapLogin(), "TX0000000001"))
	}},
	{"no-session", func(c *Client) {
		c.soapAuthorize(strings.Repeat("0badc0de", 4), 1500, cardPaid)
	}},
}

var soapOthers = []Checkout{
	{"two sessions", func(c *Client) {
		first, second := c.soapLogin(), c.soapLogin()
		id := c.soapAuthorize(first, 1500, cardPaid)
		c.poll(c.soapAbout("GetTransaction", second, id))
		c.send(c.soapAbout("Capture", second, id))
	}},
	{"another made-up session", func(c *Client) {
		c.soapAuthorize(strings.Repeat("deadbeef", 4), 1500, cardPaid)
		c.send(c.soapAbout("Capture", "no-session-at-all", "TX0000000001"))
	}},
	{"captured twice", func(c *Client) {
		session := c.soapLogin()
		id := c.soapAuthorize(session, 2600, cardOther)
		c.send(c.soapAbout("Capture", session, id))
		c.send(c.soapAbout("Capture", session, id))
	}},
	{"another that is unknown", func(c *Client) {
		session := c.soapLogin()
		c.send(c.soapAbout("GetTransaction", session, "TX9876543210"))
		c.send(c.soapAbout("Refund", session, "TX9876543210"))
	}},
}

// soapCall is a call of this API; no session means no header.
func (c *Client) soapCall(call, session, inner string) request {
	header := ""
	if session != "" {
		header = "<soapenv:Header><sec:sessionToken>" + session + "</sec:sessionToken></soapenv:Header>"
	}
	return request{
		call: call, method: "POST", path: "/services/PaymentService",
		headers: [][2]string{
			{"Content-Type", "text/xml; charset=utf-8"}, {"SOAPAction", `"urn:mock:payments/` + call + `"`},
		},
		body: `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope ` +
			`xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:pay="urn:mock:payments" ` +
			`xmlns:sec="urn:mock:security">` + header + `<soapenv:Body><pay:` + call + `>` + inner +
			`</pay:` + call + `></soapenv:Body></soapenv:Envelope>`,
	}
}

// soapLogin opens a session and returns its token.
func (c *Client) soapLogin() string {
	return elementText(c.send(c.soapCall("Login", "", "<pay:user>"+soapUser+"</pay:user><pay:password>"+
		soapPassword+"</pay:password>")), "sessionToken")
}

func (c *Client) soapAbout(call, session, id string) request {
	return c.soapCall(call, session, "<pay:transactionId>"+id+"</pay:transactionId>")
}

// soapAuthorize authorises a payment and returns its id.
func (c *Client) soapAuthorize(session string, amount int, card string) string {
	return elementText(c.send(c.soapCall("Authorize", session, fmt.Sprintf(
		"<pay:merchantReference>%s</pay:merchantReference><pay:amount>%d</pay:amount>"+
			"<pay:currency>EUR</pay:currency><pay:cardNumber>%s</pay:cardNumber>"+
			"<pay:expiry>2031-12</pay:expiry><pay:cvc>123</pay:cvc>",
		c.reference(), amount, card))), "transactionId")
}
