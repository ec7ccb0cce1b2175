package workload

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// charge walks through an API that no profile knows: it logs in for a token, opens a customer,
// charges it, looks at the charge, captures it, looks again, and gives some of it back.
func charge(c *Client, variant int) {
	const root = "/api/v3"
	token := c.foreign("POST", root+"/sessions", fmt.Sprintf(`{"key":"shop-1","nonce":"%s"}`,
		c.uuid(variant)), "").Get("access_token").String()
	customer := c.foreign("POST", root+"/customers", fmt.Sprintf(
		`{"reference":"%s","name":"Jane Doe","country":"DE"}`, c.uuid(variant)), token).Get("id").String()
	made := c.foreign("POST", root+"/charges", fmt.Sprintf(
		`{"customer":%s,"amount":%d,"currency":"EUR","capture":false}`, customer, 500+variant%1000), token)
	id := made.Get("id").String()
	path := root + "/charges/" + id
	c.want(c.foreign("GET", path, "", token), "state", "authorised")
	c.foreign("POST", path+"/capture", `{"receipt":"`+made.Get("receipt").String()+`"}`, token)
	c.want(c.foreign("GET", path, "", token), "state", "captured")
	if variant%3 == 0 {
		c.foreign("POST", root+"/refunds", `{"charge":`+id+`,"reason":"returned"}`, token)
		c.want(c.foreign("GET", path, "", token), "state", "refunded")
	}
	c.foreign("GET", root+"/customers/"+customer+"/charges?limit=10", "", token)
}

// foreign calls the API that no profile knows.
func (c *Client) foreign(method, path, body, token string) gjson.Result {
	body, _ = c.send(method, c.Base+path, body, func(r *http.Request) {
		if r.Method == "POST" {
			asJSON(r)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
	})
	return gjson.Parse(body)
}

// foreignAPI is the server of that API. It keeps charges, because they have states.
type foreignAPI struct {
	mu        sync.Mutex // guards all below
	rng       *rand.Rand
	charges   map[string]*foreignCharge
	customers map[string][]*foreignCharge
}

// foreignCharge is a charge and its states.
type foreignCharge struct {
	id, customer, receipt, state string
	amount                       int64
}

func newForeignAPI(seed uint64) *foreignAPI {
	return &foreignAPI{rng: rand.New(rand.NewPCG(seed, 11)), charges: map[string]*foreignCharge{},
		customers: map[string][]*foreignCharge{}}
}

const tokenLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// textLocked mints letters and digits.
func (a *foreignAPI) textLocked(prefix string, n int) string {
	b := []byte(prefix)
	for range n {
		b = append(b, tokenLetters[a.rng.IntN(len(tokenLetters))])
	}
	return string(b)
}

// numberLocked mints a number of nine digits.
func (a *foreignAPI) numberLocked() string { return fmt.Sprint(100_000_000 + a.rng.IntN(900_000_000)) }

// answer answers a call: its method and its path below /api/v3/.
func (a *foreignAPI) answer(w http.ResponseWriter, method, path, body string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	parts := strings.Split(path, "/")
	switch {
	case method == "POST" && path == "sessions":
		fmt.Fprintf(w, `{"access_token":"%s","token_type":"bearer","expires_in":3600}`,
			a.textLocked("", 48))
	case method == "POST" && path == "customers":
		fmt.Fprintf(w, `{"id":%s,"object":"customer","reference":%q,"live":false}`, a.numberLocked(),
			gjson.Get(body, "reference").String())
	case method == "POST" && path == "charges":
		charge := &foreignCharge{a.numberLocked(), gjson.Get(body, "customer").String(),
			a.textLocked("rc_", 16), "authorised", gjson.Get(body, "amount").Int()}
		a.charges[charge.id] = charge
		a.customers[charge.customer] = append(a.customers[charge.customer], charge)
		charge.write(w)
	case method == "POST" && path == "refunds":
		charge := a.charges[gjson.Get(body, "charge").String()]
		a.moveLocked(w, charge, "refunded")
	case method == "POST" && len(parts) == 3 && parts[2] == "capture":
		a.moveLocked(w, a.charges[parts[1]], "captured")
	case len(parts) == 2 && parts[0] == "charges" && a.charges[parts[1]] != nil:
		a.charges[parts[1]].write(w)
	case len(parts) == 3 && parts[0] == "customers":
		fmt.Fprintf(w, `{"customer":%s,"data":[`, parts[1])
		for i, charge := range a.customers[parts[1]] {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			charge.write(w)
		}
		fmt.Fprint(w, `],"more":false}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"there is nothing"}`)
	}
}

func (a *foreignAPI) moveLocked(w http.ResponseWriter, charge *foreignCharge, state string) {
	if charge == nil {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"there is no such charge"}`)
		return
	}
	charge.state = state
	charge.write(w)
}

func (f *foreignCharge) write(w http.ResponseWriter) {
	fmt.Fprintf(w, `{"id":%s,"object":"charge","customer":%s,"amount":%d,"currency":"EUR",`+
		`"receipt":"%s","state":"%s"}`, f.id, f.customer, f.amount, f.receipt, f.state)
}
