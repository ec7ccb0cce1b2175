// Package gateway is the stand-in for the payment gateway (document 3).
//
// The idea: gateway.go reads a call in any of the forms that clients use and writes the answer;
// the order book below it (order.go) holds orders and bindings and moves them. Operations stand with
// their parameters, their answers and what they do: register.go, payment.go, status.go, manage.go,
// lastorders.go, binding.go and recurrent.go; what can become of an order is in life.go. 3-D Secure
// is a run that a payment waits in (secure.go, with the messages of the two versions in
// securemessage.go); acs.go is the issuer's side of it and finish.go the way back. The pages are in
// page.go, all HTML in pages/. Money that goes to a card is in transfer.go, with a file per P2P
// operation beside it; parameters and signatures are checked by params.go. What was
// chosen where the documents are silent stands in tables: cards and their outcomes in testcards.go,
// errors in refusal.go, who may start which payment in initiator.go.
//
// Whoever moves an order or a binding notes an event. When the book is let go, events become
// callbacks (callback.go), which a courier brings to the shop (courier.go). An alarm (deadline.go)
// lets orders time out although nobody looks.
//
// The limits: there is one merchant, and everything is in memory. Messages of 3-D Secure are
// not signed, and nothing is learned from a browser's data. Callbacks that were not delivered
// are gone with the process; the checksum is the one with a shared key.
package gateway

import (
	"cmp"
	"crypto/rsa"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// contentType is the Content-Type of every answer, although JSON is inside (domain facts,
// On the wire).
const contentType = "text/plain;charset=UTF-8"

// Options configure a Gateway. Every field but SignKey and Callbacks is needed.
type Options struct {
	User, Password string           // what clients log in with
	Source         *mint.Source     // of every minted value; the gateway's alone
	Now            func() time.Time // the clock
	Callbacks      Callbacks        // how the shop is called back
	// SignKey is the public key that the shop signs its calls by; nil means that no
	// signature is looked at.
	SignKey *rsa.PublicKey
}

// Gateway is the wire side of document 3: it reads a call in any of its forms, checks who
// calls, lets the order book act, and writes the answer.
type Gateway struct {
	options Options
	courier *courier

	mu      sync.Mutex // guards what follows; is let go by unlock
	book    *book
	alarm   *time.Timer // at the next time-out; nil if none is set
	alarmAt time.Time   // on the clock of the options
	closed  bool
}

// New returns a Gateway with no orders. It may be forgotten without Close, but goes on to
// call back until then.
func New(o Options) *Gateway {
	return &Gateway{
		options: o,
		courier: newCourier(o.Callbacks, newCarrier(o.Callbacks)),
		book:    newBook(o.Source),
	}
}

// operation is one operation of the gateway.
type operation struct {
	// run acts on the book, whose lock is held. What it returns is sent as JSON, unless it is
	// an http.Handler: a page or a redirect writes itself.
	run func(*book, call) (any, error)
	// readJSON says that the parameters travel in a JSON body; otherwise in any of the forms
	// that readParams knows.
	readJSON bool
	// numericCode says that errorCode is a JSON number in the operation's answers;
	// otherwise it is a string (domain facts, On the wire).
	numericCode bool
	// oldNames says that the names in the operation's answers begin with capitals (domain
	// facts, Operations).
	oldNames bool
	// browser says that a payer's browser calls, without credentials, and sees errors as
	// pages.
	browser bool
	// language of a page, if its name tells; otherwise a parameter does.
	language string
	// refused gives a refusal the shape of the operation's answer; nil means as it is.
	refused func(failure) any
	// signed says that the call must bear a signature once the shop's key is known.
	signed bool
}

// operations lists the operations by path; names are case sensitive (domain facts, On the
// wire). Each area has a table beside its code.
var operations = merged(
	orderOperations, manageOperations, paymentOperations, authOperations, acsOperations,
	tokenOperations, bindingOperations, p2pOperations,
)

func merged(tables ...map[string]operation) map[string]operation {
	all := map[string]operation{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// call is a call after reading.
type call struct {
	params   params
	body     []byte      // as it was sent
	header   http.Header // of the request
	language string      // "ru", "en" or empty
	posted   bool        // by POST: a page is shown or its form was sent
	base     string      // scheme and host that the client called
	client   string      // its IP address
	now      time.Time
}

// ServeHTTP answers every business outcome with 200; only an unknown endpoint is 404 with
// HTML (domain facts, On the wire). Methods besides GET and POST are not shown; they get
// the container's 405.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	op, known := g.operation(r.URL.Path)
	if !known {
		wire.WritePage(w, http.StatusNotFound)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, POST")
		wire.WritePage(w, http.StatusMethodNotAllowed)
		return
	}
	body, err := wire.ReadBody(w, r)
	call := g.newCall(r)
	call.body = body
	if err == nil {
		call.params, err = op.read(r.URL.RawQuery, body)
		call.language = cmp.Or(op.language, strings.ToLower(call.params["language"]))
	}
	var answer any
	if err == nil {
		answer, err = g.perform(op, call)
	}
	if err != nil {
		answer = op.failure(err, call.language)
	}
	if page, ok := answer.(http.Handler); ok {
		page.ServeHTTP(w, r)
		return
	}
	wire.Reply{Status: http.StatusOK, ContentType: contentType, Body: answer}.Write(w)
}

// operation finds what serves a path. The payment page is in a folder of the merchant.
func (g *Gateway) operation(path string) (operation, bool) {
	if op, known := operations[path]; known {
		return op, true
	}
	page, _ := strings.CutPrefix(path, "/payment/merchants/"+g.options.User+"/")
	op, known := pageOperations[page]
	return op, known
}

func (op operation) read(query string, body []byte) (params, error) {
	var p params
	var err error
	if op.readJSON {
		p, err = readJSON(body)
	} else {
		p, err = readParams(query, body)
	}
	// P2P calls write username where the others write userName (document 3, Authentication,
	// 1).
	if name, given := p["username"]; given && p["userName"] == "" {
		p["userName"] = name
	}
	return p, err
}

func (g *Gateway) newCall(r *http.Request) call {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	client, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		client = r.RemoteAddr // a listener that is no TCP socket
	}
	return call{
		header: r.Header,
		base:   scheme + "://" + cmp.Or(r.Host, "localhost"), // HTTP/1.0 may send no Host
		client: client,
		posted: r.Method == http.MethodPost,
		now:    g.options.Now(),
	}
}

// perform checks the credentials, which travel as parameters (document 3, Authentication,
// 1), and runs the operation. Absent credentials are denied like wrong ones.
func (g *Gateway) perform(op operation, c call) (any, error) {
	if !op.browser && (c.params["userName"] != g.options.User ||
		c.params["password"] != g.options.Password) {
		return nil, errDenied
	}
	if err := op.checkSignature(g.options.SignKey, c); err != nil {
		return nil, err
	}
	if err := c.params.check([]paramRule{{name: "language", ok: isLanguage}}); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.unlock()
	return op.run(g.book, c)
}

// isLanguage takes capitals too, as clients of the family send them: the document names the
// languages and not their letters.
func isLanguage(s string) bool {
	s = strings.ToLower(s)
	return s == "ru" || s == "en"
}

// formURL is the payment page of an order. Its path is the one the family uses, with the
// login of the API account as the merchant's.
func (c call) formURL(orderID string) string {
	page := "payment_" + cmp.Or(c.language, "ru") + ".html"
	login := url.PathEscape(c.params["userName"])
	return c.base + "/payment/merchants/" + login + "/" + page + "?mdOrder=" + orderID
}
