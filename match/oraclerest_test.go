package match_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Where the REST mock is, and how clients log in.
const (
	acmePath = "/acme/v3"
	acmeKey  = "acme-test-key-51"
)

// acme is a mock of a payment API that no profile knows: REST, ids with a prefix, numeric ids of
// refunds, Location headers and absolute links, jobs that change by themselves, and lists.
//
//	POST /customers {name}                        201, Location (absolute)
//	GET, DELETE /customers/{id}                   404 after DELETE
//	POST /payments {customer, amount, card}       201, authorized or declined by the card
//	GET /payments/{id}, GET /payments?customer=
//	POST /payments/{id}/capture                   409 unless authorized
//	POST /payments/{id}/refunds {amount}          201, Location (a path); 422 if it is too much
//	GET /refunds/{number}
//	POST /exports {customer, speed}               202; queued, running, done: after so many polls,
//	GET /exports/{id}                             or, if speed is "slow", after a minute
type acme struct {
	now  func() time.Time
	rand *rand.Rand

	mu        sync.Mutex // guards all below
	customers map[string]*acmeCustomer
	payments  []*acmePayment
	refunds   map[int]*acmeRefund
	jobs      map[string]*acmeJob
	number    int
}

type acmeCustomer struct {
	ID      string    `json:"id"`
	Object  string    `json:"object"`
	Name    string    `json:"name"`
	Created string    `json:"created_at"`
	Links   acmeLinks `json:"links"`
}

type acmeLinks struct {
	Self string `json:"self"`
}

type acmePayment struct {
	ID       string    `json:"id"`
	Customer string    `json:"customer"`
	Status   string    `json:"status"` // authorized, declined, captured, refunded
	Amount   int       `json:"amount"`
	Refunded int       `json:"amount_refunded"`
	Note     string    `json:"reference"`
	Created  string    `json:"created_at"`
	Trace    string    `json:"trace"` // another in each answer
	Links    acmeLinks `json:"links"`
}

type acmeRefund struct {
	ID      int    `json:"id"`
	Payment string `json:"payment"`
	Amount  int    `json:"amount"`
	Created int64  `json:"created"` // epoch ms
}

type acmeJob struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Rows   int    `json:"rows"`

	customer string
	slow     bool
	polls    int
	begun    time.Time
}

func newAcme(seed uint64, now func() time.Time) *acme {
	dice := rand.New(rand.NewPCG(seed, 101))
	return &acme{
		now: now, rand: dice, customers: map[string]*acmeCustomer{}, refunds: map[int]*acmeRefund{},
		jobs: map[string]*acmeJob{}, number: 100_000 + dice.IntN(800_000),
	}
}

func (a *acme) id(prefix string) string {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	id := []byte(prefix)
	for range 14 {
		id = append(id, letters[a.rand.IntN(len(letters))])
	}
	return string(id)
}

// acmeDeclined ends the numbers of cards that are declined.
const acmeDeclined = "0002"

func (a *acme) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+acmeKey {
		a.fail(w, http.StatusUnauthorized, "unauthorized")
		return
	}
	var in struct {
		Name, Customer, Card, Reference, Speed string
		Amount                                 any
	}
	body, _ := io.ReadAll(r.Body)
	if len(body) > 0 && json.Unmarshal(body, &in) != nil {
		a.fail(w, http.StatusBadRequest, "malformed")
		return
	}
	path := strings.Split(strings.TrimPrefix(r.URL.Path, acmePath+"/"), "/")
	base := "http://"
	if r.TLS != nil {
		base = "https://"
	}
	base += r.Host + acmePath
	at := a.now().UTC().Format("2006-01-02T15:04:05Z")
	amount, isNumber := in.Amount.(float64)
	switch route := r.Method + " " + path[0] + " " + oracleNumber(len(path)); route {
	case "POST customers 1":
		if in.Name == "" {
			a.fail(w, http.StatusUnprocessableEntity, "name_required")
			return
		}
		id := a.id("cus_")
		c := &acmeCustomer{id, "customer", in.Name, at, acmeLinks{base + "/customers/" + id}}
		a.customers[id] = c
		w.Header().Set("Location", c.Links.Self)
		a.reply(w, http.StatusCreated, c)
	case "GET customers 2", "DELETE customers 2":
		c := a.customers[path[1]]
		switch {
		case c == nil:
			a.fail(w, http.StatusNotFound, "no_such_customer")
		case r.Method == http.MethodDelete:
			delete(a.customers, path[1])
			w.WriteHeader(http.StatusNoContent)
		default:
			a.reply(w, http.StatusOK, c)
		}
	case "POST payments 1":
		switch {
		case a.customers[in.Customer] == nil:
			a.fail(w, http.StatusNotFound, "no_such_customer")
			return
		case !isNumber || amount <= 0:
			a.fail(w, http.StatusUnprocessableEntity, "amount_invalid")
			return
		}
		p := &acmePayment{ID: a.id("pay_"), Customer: in.Customer, Status: "authorized",
			Amount: int(amount), Note: in.Reference, Created: at}
		if strings.HasSuffix(in.Card, acmeDeclined) {
			p.Status = "declined"
		}
		p.Links.Self = base + "/payments/" + p.ID
		a.payments = append(a.payments, p)
		w.Header().Set("Location", p.Links.Self)
		a.show(w, http.StatusCreated, p)
	case "GET payments 1":
		list := []acmePayment{}
		for _, p := range a.payments {
			if p.Customer == r.URL.Query().Get("customer") {
				item := *p
				item.Trace = a.trace()
				list = append(list, item)
			}
		}
		a.reply(w, http.StatusOK, map[string]any{"data": list, "total": len(list), "has_more": false})
	case "GET payments 2", "POST payments 3":
		a.payment(w, r.Method, path, int(amount), at)
	case "GET refunds 2":
		number, _ := strconv.Atoi(path[1])
		if f := a.refunds[number]; f != nil {
			a.reply(w, http.StatusOK, f)
			return
		}
		a.fail(w, http.StatusNotFound, "no_such_refund")
	case "POST exports 1":
		if a.customers[in.Customer] == nil {
			a.fail(w, http.StatusNotFound, "no_such_customer")
			return
		}
		j := &acmeJob{ID: a.id("job_"), customer: in.Customer, slow: in.Speed == "slow",
			begun: a.now()}
		a.jobs[j.ID] = j
		w.Header().Set("Location", acmePath+"/exports/"+j.ID)
		a.reply(w, http.StatusAccepted, a.advance(j))
	case "GET exports 2":
		if j := a.jobs[path[1]]; j != nil {
			j.polls++
			a.reply(w, http.StatusOK, a.advance(j))
			return
		}
		a.fail(w, http.StatusNotFound, "no_such_export")
	default:
		a.fail(w, http.StatusNotFound, "no_such_path")
	}
}

// payment serves what is below one payment.
func (a *acme) payment(w http.ResponseWriter, method string, path []string, amount int, at string) {
	var p *acmePayment
	for _, known := range a.payments {
		if known.ID == path[1] {
			p = known
		}
	}
	switch {
	case p == nil:
		a.fail(w, http.StatusNotFound, "no_such_payment")
	case method == http.MethodGet:
		a.show(w, http.StatusOK, p)
	case path[2] == "capture" && p.Status == "authorized":
		p.Status = "captured"
		a.show(w, http.StatusOK, p)
	case path[2] == "refunds" && (p.Status == "captured" || p.Status == "refunded"):
		if amount <= 0 || p.Refunded+amount > p.Amount {
			a.fail(w, http.StatusUnprocessableEntity, "amount_too_large")
			return
		}
		p.Status, p.Refunded = "refunded", p.Refunded+amount
		a.number += 1 + a.rand.IntN(9)
		f := &acmeRefund{a.number, p.ID, amount, a.now().UnixMilli()}
		a.refunds[f.ID] = f
		w.Header().Set("Location", fmt.Sprint(acmePath, "/refunds/", f.ID))
		a.reply(w, http.StatusCreated, f)
	default:
		a.fail(w, http.StatusConflict, "payment_is_"+p.Status)
	}
}

// advance is a job as it is now: after three polls, or a minute, it is done.
func (a *acme) advance(j *acmeJob) *acmeJob {
	gone := j.polls
	if j.slow {
		gone = int(a.now().Sub(j.begun) / (20 * time.Second))
	}
	j.Status = []string{"queued", "running", "running", "done"}[min(gone, 3)]
	if j.Status == "done" {
		j.Rows = 42
	}
	return j
}

func (a *acme) show(w http.ResponseWriter, code int, p *acmePayment) {
	shown := *p
	shown.Trace = a.trace()
	a.reply(w, code, shown)
}

func (a *acme) trace() string { return fmt.Sprintf("%016x", a.rand.Uint64()) }

func (a *acme) fail(w http.ResponseWriter, code int, reason string) {
	a.reply(w, code, map[string]any{"error": map[string]string{"code": reason}})
}

func (a *acme) reply(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // into memory
}
