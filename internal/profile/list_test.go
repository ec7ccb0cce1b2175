package profile_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

// listing is a list of two members, and the list when there was none.
type listing struct {
	operation string
	// begin returns the list, and makes a further member.
	begin func(s *standIn) (list func() reply, more func())
	// born is the key in an item that grows with every birth.
	born string
	none string // what is in place of the array before there is a member; "" if the call fails
}

var listings = []listing{
	{"getBindings.do", func(s *standIn) (func() reply, func()) {
		cards := []string{paysV, paysM}
		return func() reply { return s.bindings("C") }, func() {
			s.order(cards[0], cards[0], "")
			cards = cards[1:]
		}
	}, "maskedPan", ""},
	{"getLastOrdersForMerchants.do", func(s *standIn) (func() reply, func()) {
		numbers := []string{"1", "2"}
		return func() reply {
				return s.form("getLastOrdersForMerchants.do", "size=10&page=0&from=20260101000000&"+
					"to=20270101000000&transactionStates=DEPOSITED&searchByCreatedDate=true")
			}, func() {
				s.order(numbers[0], paysV, "")
				numbers = numbers[1:]
			}
	}, "date", "[]"},
	{"getTransactions", func(s *standIn) (func() reply, func()) {
		_, card := s.customer("K1")
		return func() reply { return s.v1("getTransactions", byCard(card, "", ","+allTime)) },
			func() { s.credit(card, "K1") }
	}, "utrnno", "[]"},
	{"getMerchantTransactions", func(s *standIn) (func() reply, func()) {
		_, card := s.customer("K1")
		s.credit(card, "K1")
		return func() reply {
			return s.v1("getMerchantTransactions", `"merchantId":"M1","institutionId":"1",`+allTime)
		}, s.sellAt(card, 0)
	}, "utrnno", ""},
	{"getPaymentOrders", func(s *standIn) (func() reply, func()) {
		_, card := s.customer("K1")
		s.credit(card, "K1")
		return func() reply {
			return s.v1("getPaymentOrders", `"merchantNumber":"M1","institutionId":"1",`+allTime)
		}, s.sellAt(card, 24)
	}, "id", ""},
	{"GET /transfers", func(s *standIn) (func() reply, func()) {
		_, from, expiry := s.v2card()
		_, to, _ := s.v2card()
		s.topUp(from)
		return func() reply {
				return s.send(http.MethodGet, "/v2/transfers?cardNumberFltr="+to, "")
			}, func() {
				s.transfer(from, expiry, to, "1")
			}
	}, "creationDate", "[]"},
}

// sellAt returns what sells something at the merchant M1, so many hours later each time.
func (s *standIn) sellAt(card string, hours int) func() {
	return func() {
		s.v1("debitCard", byCard(card, "K1", strings.Replace(euros, "%s", "100", 1)+
			strings.Replace(acceptor, "M0000001", "M1", 1)))
		s.at = s.at.Add(time.Duration(hours) * time.Hour)
	}
}

// Lists are where profiles say, in the order that they say, and so are lists of nothing.
func TestListsAtTheStandIns(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	for _, l := range listings {
		t.Run(l.operation, func(t *testing.T) {
			t.Parallel()
			list, more := l.begin(newStandIn(t))
			empty := list()
			c := set.Find(empty.method, empty.path)
			if c.Operation == nil || c.Operation.Name != l.operation {
				t.Fatalf("that was another operation: %s", empty.path)
			}
			said := c.Operation.List
			items, found := arrayAt(empty, said.Items)
			if l.none == "" && found || l.none != "" && string(items) != l.none {
				t.Errorf("a list of nothing has items %v, status %d", found, empty.status)
			}
			if said.Empty != l.none {
				t.Errorf("the profile has %q in a list of nothing, the stand-in %q", said.Empty, l.none)
			}
			more()
			more()
			two := list()
			items, _ = arrayAt(two, said.Items)
			born := keysOf(t, items, l.born)
			wanted := slices.Sorted(slices.Values(born))
			if said.Order == profile.LatestFirst {
				slices.Reverse(wanted)
			}
			if diff := cmp.Diff(wanted, born); diff != "" || len(born) != 2 {
				t.Errorf("%d items, not by birth as the profile says: %s", len(born), diff)
			}
			if said.Total != "" && newStandIn(t).get(two, said.Total) != "2" {
				t.Errorf("%s is not 2", said.Total)
			}
			if said.Date != "" && len(keysOf(t, items, said.Date)) != 2 {
				t.Errorf("no items have %s", said.Date)
			}
		})
	}
}

// arrayAt returns the array at one of several shapes.
func arrayAt(r reply, shapes []string) (json.RawMessage, bool) {
	for _, shape := range shapes {
		at := json.RawMessage(r.body)
		for step := range strings.SplitSeq(shape, ".") {
			var object map[string]json.RawMessage
			if json.Unmarshal(at, &object) != nil {
				return nil, false
			}
			at = object[step]
		}
		if at != nil {
			return at, true
		}
	}
	return nil, false
}

// keysOf returns the first value of a key in each item.
func keysOf(t *testing.T, array json.RawMessage, key string) []string {
	t.Helper()
	var items []json.RawMessage
	if err := json.Unmarshal(array, &items); err != nil {
		t.Fatal("there is no array")
	}
	var values []string
	for _, item := range items {
		if value, found := (reply{body: string(item)}).find(key); found {
			values = append(values, value)
		}
	}
	return values
}

// Every list was tried.
func TestEveryListIsTried(t *testing.T) {
	t.Parallel()
	var tried, told []string
	for _, l := range listings {
		tried = append(tried, l.operation)
	}
	for _, p := range builtin(t).Profiles() {
		for _, o := range p.Operations {
			if o.List != nil {
				told = append(told, o.Name)
			}
		}
	}
	slices.Sort(tried)
	slices.Sort(told)
	if diff := cmp.Diff(told, tried); diff != "" {
		t.Error(diff)
	}
}
