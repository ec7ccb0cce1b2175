package match_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Where the RPC mock is, and how clients log in.
const (
	ledgerPath     = "/ledger/rpc"
	ledgerUser     = "ledger-user"
	ledgerPassword = "ledger-password"
)

// ledger is a mock of a book-keeping API that no profile knows: RPC over one path, with the
// method in the body, a token from a login in every call, short numbers for accounts and
// transfers, and a nonce that a read mints and a write carries.
//
//	login {user, password}                        token
//	account.open {token, name, currency}          account
//	account.get {token, account}                  balance, state
//	account.fund {token, account, amount}         balance
//	account.close {token, account}
//	transfer.nonce {token, account}               nonce
//	transfer.make {token, from, to, amount, nonce}
//	transfer.get {token, transfer}, transfer.list {token, account}
type ledger struct {
	now  func() time.Time
	rand *rand.Rand

	mu        sync.Mutex // guards all below
	tokens    map[string]bool
	accounts  map[int]*ledgerAccount
	transfers []*ledgerTransfer
	nonces    map[string]int // accounts by nonce
	number    int
}

type ledgerAccount struct {
	Account int    `json:"account"`
	Name    string `json:"name"`
	Balance int    `json:"balance"`
	State   string `json:"state"` // open, closed
	Opened  string `json:"opened"`
}

type ledgerTransfer struct {
	Transfer int    `json:"transfer"`
	From     int    `json:"from"`
	To       int    `json:"to"`
	Amount   int    `json:"amount"`
	Status   string `json:"status"` // booked, refused
	Booked   string `json:"booked"`
}

func newLedger(seed uint64, now func() time.Time) *ledger {
	dice := rand.New(rand.NewPCG(seed, 102))
	return &ledger{
		now: now, rand: dice, tokens: map[string]bool{}, accounts: map[int]*ledgerAccount{},
		nonces: map[string]int{}, number: 10_000 + dice.IntN(80_000),
	}
}

// ledgerParams are the parameters of all methods.
type ledgerParams struct {
	User, Password, Token, Name, Currency, Nonce string
	Account, From, To, Amount, Transfer          int
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	var in struct {
		Method string
		Params ledgerParams
	}
	answer := map[string]any{}
	if json.NewDecoder(r.Body).Decode(&in) != nil {
		answer["error"] = map[string]any{"code": 400, "message": "malformed"}
	} else if result, code, message := l.call(in.Method, in.Params); code != 0 {
		answer["error"] = map[string]any{"code": code, "message": message}
	} else {
		answer["result"] = result
	}
	_ = json.NewEncoder(w).Encode(answer) // into memory
}

// call carries a method out; code is 0 if it went well.
func (l *ledger) call(method string, p ledgerParams) (result any, code int, message string) {
	if method == "login" {
		if p.User != ledgerUser || p.Password != ledgerPassword {
			return nil, 401, "wrong user or password"
		}
		token := l.hex(32)
		l.tokens[token] = true
		return map[string]any{"token": token, "ttl": 3600}, 0, ""
	}
	if !l.tokens[p.Token] {
		return nil, 403, "log in first"
	}
	at := l.now().Format("2006-01-02T15:04:05-07:00")
	a := l.accounts[p.Account]
	if a == nil && method != "account.open" && !strings.HasPrefix(method, "transfer.") {
		return nil, 404, "no such account"
	}
	switch method {
	case "account.open":
		if p.Name == "" {
			return nil, 422, "name is missing"
		}
		a = &ledgerAccount{l.next(), p.Name, 0, "open", at}
		l.accounts[a.Account] = a
		return *a, 0, ""
	case "account.get":
		return *a, 0, ""
	case "account.fund":
		if a.State != "open" || p.Amount <= 0 {
			return nil, 409, "not possible"
		}
		a.Balance += p.Amount
		return *a, 0, ""
	case "account.close":
		if a.State != "open" {
			return nil, 409, "not possible"
		}
		a.State = "closed"
		return *a, 0, ""
	case "transfer.nonce":
		if a == nil {
			return nil, 404, "no such account"
		}
		nonce := l.hex(16)
		l.nonces[nonce] = a.Account
		return map[string]any{"nonce": nonce}, 0, ""
	case "transfer.make":
		return l.transfer(p, at)
	case "transfer.get":
		for _, t := range l.transfers {
			if t.Transfer == p.Transfer {
				return *t, 0, ""
			}
		}
		return nil, 404, "no such transfer"
	case "transfer.list":
		list := []ledgerTransfer{}
		for _, t := range l.transfers {
			if t.From == p.Account || t.To == p.Account {
				list = append(list, *t)
			}
		}
		return map[string]any{"transfers": list}, 0, ""
	}
	return nil, 405, "no such method"
}

// transfer moves money, once for a nonce. What an account cannot pay is a transfer that is refused.
func (l *ledger) transfer(p ledgerParams, at string) (any, int, string) {
	from, to := l.accounts[p.From], l.accounts[p.To]
	switch {
	case from == nil || to == nil:
		return nil, 404, "no such account"
	case l.nonces[p.Nonce] != p.From:
		return nil, 409, "the nonce was used or is not of this account"
	case p.Amount <= 0:
		return nil, 422, "wrong amount"
	}
	delete(l.nonces, p.Nonce)
	t := &ledgerTransfer{l.next(), p.From, p.To, p.Amount, "booked", at}
	if from.State != "open" || to.State != "open" || from.Balance < p.Amount {
		t.Status = "refused"
	} else {
		from.Balance -= p.Amount
		to.Balance += p.Amount
	}
	l.transfers = append(l.transfers, t)
	return *t, 0, ""
}

func (l *ledger) next() int {
	l.number += 1 + l.rand.IntN(7)
	return l.number
}

func (l *ledger) hex(n int) string {
	text := ""
	for len(text) < n {
		text += fmt.Sprintf("%016x", l.rand.Uint64())
	}
	return text[:n]
}
