package sandbox

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// gatewayType is the Content-Type of every answer, although JSON is inside (domain facts,
// On the wire).
const gatewayType = "text/plain;charset=UTF-8"

// gateway is the wire side of document 3: it reads a call in any of its forms, checks who
// calls, lets the order book act, and writes the answer.
type gateway struct {
	account Account
	now     func() time.Time

	mu   sync.Mutex // guards book
	book *orderBook
}

func newGateway(o Options) *gateway {
	book := newOrderBook(newSource(o.Seed, streamGateway))
	return &gateway{account: o.Account, now: o.Now, book: book}
}

// gatewayOp is one operation of the gateway.
type gatewayOp struct {
	run func(*orderBook, gatewayCall) (any, error)
	// numericCode says that errorCode is a JSON number in the operation's answers;
	// otherwise it is a string (domain facts, On the wire).
	numericCode bool
}

// gatewayOps lists the operations by path; names are case sensitive (domain facts, On the
// wire). For getBindings.do the type of errorCode is not shown; it answers like the status.
var gatewayOps = map[string]gatewayOp{
	"/payment/rest/register.do":               {run: (*orderBook).register},
	"/payment/rest/paymentorder.do":           {run: (*orderBook).pay, numericCode: true},
	"/payment/rest/getOrderStatusExtended.do": {run: (*orderBook).status},
	"/payment/rest/getBindings.do":            {run: (*orderBook).listBindings},
}

// gatewayCall is a call after reading.
type gatewayCall struct {
	params   params
	language string // "ru", "en" or empty
	base     string // scheme and host that the client called
	client   string // its IP address
	now      time.Time
}

// ServeHTTP answers every business outcome with 200; only an unknown endpoint is 404 with
// HTML (domain facts, On the wire). Methods besides GET and POST are not shown; they get
// the container's 405.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	op, known := gatewayOps[r.URL.Path]
	if !known {
		writePage(w, http.StatusNotFound)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, POST")
		writePage(w, http.StatusMethodNotAllowed)
		return
	}
	body, err := readBody(w, r)
	call := g.newCall(r)
	if err == nil {
		call.params, err = readParams(r.URL.RawQuery, body)
		call.language = call.params["language"]
	}
	var answer any
	if err == nil {
		answer, err = g.perform(op, call)
	}
	if err != nil {
		answer = op.failure(err, call.language)
	}
	reply{http.StatusOK, gatewayType, answer}.write(w)
}

func (g *gateway) newCall(r *http.Request) gatewayCall {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	client, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		client = r.RemoteAddr // a listener that is no TCP socket
	}
	return gatewayCall{
		base:   scheme + "://" + cmp.Or(r.Host, "localhost"), // HTTP/1.0 may send no Host
		client: client,
		now:    g.now(),
	}
}

// perform checks the credentials, which travel as parameters (document 3, Authentication,
// 1), and runs the operation. Absent credentials are denied like wrong ones.
func (g *gateway) perform(op gatewayOp, c gatewayCall) (any, error) {
	if c.params["userName"] != g.account.GatewayUser ||
		c.params["password"] != g.account.GatewayPassword {
		return nil, errDenied
	}
	if err := c.params.check([]paramRule{{name: "language", ok: isLanguage}}); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return op.run(g.book, c)
}

func isLanguage(s string) bool {
	return s == "ru" || s == "en"
}

// formURL is the payment page of an order. Its path is the one the family uses, with the
// login of the API account as the merchant's.
func (c gatewayCall) formURL(orderID string) string {
	page := "payment_" + cmp.Or(c.language, "ru") + ".html"
	login := url.PathEscape(c.params["userName"])
	return c.base + "/payment/merchants/" + login + "/" + page + "?mdOrder=" + orderID
}
