package mock

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	_ "embed"
)

//go:embed xml.yaml
var xmlProfile string

// xmlAPI is an API that speaks XML. What has failed has status 200 and a code.
var xmlAPI = API{
	Name:      "xml",
	Summary:   "sale, authorisation, capture, refund and inquiry by receipts: XML over HTTP",
	Profile:   xmlProfile,
	Checkouts: xmlCheckouts,
	Others:    xmlOthers,
	new:       newXMLAPI,
	nouns: []noun{
		{name: "receipt", at: regexp.MustCompile(`\bR\d{9}\b`)},
		{name: "transaction", at: regexp.MustCompile(`<transaction id="([0-9A-F]{8}-[0-9A-F]{4})"`)},
		{name: "approval", at: regexp.MustCompile(`<approval>([A-Z]\d{5})</approval>`)},
		{name: "at", at: regexp.MustCompile(` at="(\d{14})"`), date: stampDate},
	},
}

const (
	xmlMerchant = "77120"
	xmlPassword = "plum-" + "4Tq9sW2e"
)

func stampDate(text string) (time.Time, error) { return time.Parse("20060102150405", text) }

// elementText returns the text of the first element of a local name, with its white space cut off.
func elementText(document, name string) string {
	d := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		start, is := token.(xml.StartElement)
		if !is || start.Name.Local != name {
			continue
		}
		var text string
		if d.DecodeElement(&text, &start) != nil {
			return ""
		}
		return strings.TrimSpace(text)
	}
}

// escaped writes a text as XML.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}

// xmlServer is what the API keeps.
type xmlServer struct {
	*Server
	sales map[string]*xmlSale // by receipt
}

type xmlSale struct {
	receipt, reference, amount, mask, state, at string
}

func newXMLAPI(s *Server) answerer { return (&xmlServer{s, map[string]*xmlSale{}}).answerLocked }

func (a *xmlServer) answerLocked(r *http.Request, body string) answer {
	call := strings.TrimPrefix(r.URL.Path, "/xmlapi/")
	if r.Method != "POST" {
		return answer{http.StatusMethodNotAllowed, "text/plain", "POST XML"}
	}
	if elementText(body, "id") != xmlMerchant || elementText(body, "password") != xmlPassword {
		return xmlResult(call, "3", "merchant or password is wrong", "")
	}
	switch call {
	case "sale", "authorise":
		return a.sellLocked(call, body)
	case "capture", "refund", "inquiry":
	default:
		return answer{http.StatusNotFound, "text/plain", "no such call"}
	}
	sale := a.sales[elementText(body, "receipt")]
	switch {
	case sale == nil:
		return xmlResult(call, "14", "unknown receipt", "")
	case call == "capture" && sale.state == "authorised":
		sale.state = "settled"
	case call == "refund" && sale.state == "settled":
		sale.state = "refunded"
		back := a.textLocked("R", 9, "0123456789")
		return xmlResult(call, "0", "approved", "<receipt>"+back+"</receipt><of>"+sale.receipt+"</of>")
	case call != "inquiry":
		return xmlResult(call, "21", "the sale is "+sale.state, "")
	}
	return xmlResult(call, "0", "approved", sale.xml())
}

// xmlResult is the answer to a call: a code, its words, and what else there is to say.
func xmlResult(call, code, words, rest string) answer {
	return answer{http.StatusOK, "application/xml", fmt.Sprintf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"+
		"<%sResponse><result code=%q>%s</result>%s</%[1]sResponse>\n", call, code, words, rest)}
}

func (a *xmlServer) sellLocked(call, body string) answer {
	card := elementText(body, "number")
	if len(card) < 13 {
		return xmlResult(call, "30", "the card number is wrong", "")
	}
	if isDeclined(card) {
		return xmlResult(call, "51", "declined by the issuer", "")
	}
	sale := &xmlSale{
		receipt: a.textLocked("R", 9, "0123456789"), reference: elementText(body, "reference"),
		amount: elementText(body, "amount"), mask: card[:6] + "******" + card[len(card)-4:],
		state: "settled", at: a.options.Now().UTC().Format("20060102150405"),
	}
	if call == "authorise" {
		sale.state = "authorised"
	}
	a.sales[sale.receipt] = sale
	transaction := strings.ToUpper(a.textLocked("", 8, hexDigits) + "-" + a.textLocked("", 4, hexDigits))
	approval := a.textLocked("", 1, capitals) + a.textLocked("", 5, "0123456789")
	return xmlResult(call, "0", "approved", fmt.Sprintf(
		`<transaction id=%q at=%q/><approval>%s</approval>`, transaction, sale.at, approval)+sale.xml())
}

func (s *xmlSale) xml() string {
	return fmt.Sprintf(`<receipt>%s</receipt><reference>%s</reference><amount currency="EUR">%s</amount>`+
		`<card>%s</card><state>%s</state>`, s.receipt, escaped(s.reference), escaped(s.amount), s.mask, s.state)
}

var xmlCheckouts = []Checkout{
	{"sale", func(c *Client) {
		receipt := c.xmlSell("sale", "12.50", cardPaid)
		c.poll(c.xmlAbout("inquiry", receipt))
	}},
	{"captured", func(c *Client) {
		receipt := c.xmlSell("authorise", "80.00", cardOther)
		c.poll(c.xmlAbout("inquiry", receipt))
		c.send(c.xmlAbout("capture", receipt))
		c.poll(c.xmlAbout("inquiry", receipt))
	}},
	{"refunded", func(c *Client) {
		receipt := c.xmlSell("sale", "7.25", cardOther)
		c.send(c.xmlAbout("refund", receipt))
		c.poll(c.xmlAbout("inquiry", receipt))
		c.send(c.xmlAbout("refund", receipt))
	}},
	{"declined", func(c *Client) { c.xmlSell("sale", "12.50", cardDeclined) }},
	{"unknown", func(c *Client) { c.send(c.xmlAbout("inquiry", "R000000001")) }},
}

var xmlOthers = []Checkout{
	{"captured twice", func(c *Client) {
		receipt := c.xmlSell("authorise", "80.00", cardOther)
		c.send(c.xmlAbout("capture", receipt))
		c.send(c.xmlAbout("capture", receipt))
	}},
	{"refunded before it is captured", func(c *Client) {
		receipt := c.xmlSell("authorise", "80.00", cardOther)
		c.send(c.xmlAbout("refund", receipt))
		c.poll(c.xmlAbout("inquiry", receipt))
	}},
	{"another that is unknown", func(c *Client) {
		c.send(c.xmlAbout("inquiry", "R987654321"))
		c.send(c.xmlAbout("refund", "R987654321"))
	}},
	{"a sale of another amount", func(c *Client) {
		c.poll(c.xmlAbout("inquiry", c.xmlSell("sale", "99.99", cardPaid)))
	}},
	{"a refund of a refund", func(c *Client) {
		receipt := c.xmlSell("sale", "7.25", cardOther)
		c.send(c.xmlAbout("refund", elementText(c.send(c.xmlAbout("refund", receipt)), "receipt")))
	}},
}

// xmlCall is a call of this API.
func (c *Client) xmlCall(call, inner string) request {
	return request{
		method: "POST", path: "/xmlapi/" + call, headers: [][2]string{{"Content-Type", "application/xml"}},
		body: fmt.Sprintf("<?xml version=\"1.0\"?><%sRequest><merchant><id>%s</id><password>%s</password>"+
			"</merchant>%s</%[1]sRequest>", call, xmlMerchant, xmlPassword, inner),
	}
}

func (c *Client) xmlAbout(call, receipt string) request {
	return c.xmlCall(call, "<receipt>"+receipt+"</receipt>")
}

// xmlSell sells, or authorises, and returns the receipt.
func (c *Client) xmlSell(call, amount, card string) string {
	return elementText(c.send(c.xmlCall(call, fmt.Sprintf(`<reference>%s</reference>`+
		`<amount currency="EUR">%s</amount><card><number>%s</number><expiry>1231</expiry><cvv>123</cvv></card>`,
		c.reference(), amount, card))), "receipt")
}
