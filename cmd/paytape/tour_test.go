package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/match"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// tour is a story that calls every operation of an API.
type tour struct {
	profile string // whose operations it calls
	tell    func(*story.Teller, context.Context) ([]story.Value, error)
}

var tours = []tour{
	{"cardv1", (*story.Teller).TourV1},
	{"cardv2", (*story.Teller).TourV2},
}

// tourist returns a client whose values are all its own; n = 0 is the one who records.
func tourist(base string, n int, today time.Time) *story.Teller {
	return &story.Teller{
		Base: base, HTTP: &http.Client{Transport: plainTransport(), Timeout: time.Minute},
		Customer: fmt.Sprintf("31%04d", n), Payee: fmt.Sprintf("Payee%d", n),
		Surname: fmt.Sprintf("Surname%d", n), Phone: fmt.Sprintf("4930%07d", n),
		Merchant: fmt.Sprintf("SHOP-%d", n), Today: today,
	}
}

// recorded records a tour from the built-in sandbox, which is gone afterwards, and returns
// the tape and what the client saw.
func recorded(t *testing.T, o tour) (*cassettes.Tape, []story.Value) {
	t.Helper()
	dir := t.TempDir()
	d := startedRecord(t, dir, nil)
	teller := tourist(d.url, 0, time.Now())
	seen, err := o.tell(teller, t.Context())
	teller.HTTP.CloseIdleConnections()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.eject(); err != nil {
		t.Fatal(err)
	}
	sweep(t, dir)
	warn := func(s string) { t.Errorf("warning: %s", s) }
	tapes, err := loadTapes(shelf{builtinKnowledge(t), dir}, []string{"tape"}, warn)
	if err != nil {
		t.Fatal(err)
	}
	return tapes[0], seen
}

// replayed starts a deck that replays a tape under a clock.
func replayed(t *testing.T, tape *cassettes.Tape, now func() time.Time) *replayDeck {
	t.Helper()
	k := builtinKnowledge(t)
	ln, err := listenLocal()
	if err != nil {
		t.Fatal(err)
	}
	d, err := startReplay(t.Context(), ln, replayOptions{
		knowledge: k,
		tape: compile([]*cassettes.Tape{tape}, match.Options{
			Profiles: k.profiles, Now: now,
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// later is a clock of another day.
func later() time.Time { return time.Now().AddDate(0, 0, laterDays) }

func TestToursReplay(t *testing.T) {
	t.Parallel()
	for _, o := range tours {
		t.Run(o.profile, func(t *testing.T) {
			t.Parallel()
			tape, before := recorded(t, o)
			covers(t, o.profile, tape)
			d := replayed(t, tape, later)
			tellings := [][]story.Value{before}
			for n := range 2 { // one client after the other
				teller := tourist(d.url, n+1, later())
				after, err := o.tell(teller, t.Context())
				teller.HTTP.CloseIdleConnections()
				if err != nil {
					t.Fatalf("client %d: %v", n+1, err)
				}
				tellings = append(tellings, after)
			}
			freshValues(t, tellings[0], tellings[1])
			freshValues(t, minted(tellings[1]), minted(tellings[2]))
			s := d.mode.Stats()
			if s.Misses != 0 || int(s.Hits) != 2*len(tape.Exchanges) {
				t.Errorf("%d hits and %d misses with %d exchanges on tape", s.Hits, s.Misses,
					len(tape.Exchanges))
			}
		})
	}
}

// covers fails where an operation of a profile is not on a tape.
func covers(t *testing.T, name string, tape *cassettes.Tape) {
	t.Helper()
	on := map[string]bool{}
	for _, x := range tape.Exchanges {
		on[x.Exchange().Meta.Operation] = true
	}
	for _, o := range operations(t, name) {
		if !on[o.Name] {
			t.Errorf("operation %s is not on the tape", o.Name)
		}
	}
}

// operations returns the operations of a profile.
func operations(t *testing.T, name string) []*profile.Operation {
	t.Helper()
	for _, p := range builtinKnowledge(t).profiles.Profiles() {
		if p.Name == name {
			return p.Operations
		}
	}
	t.Fatalf("there is no profile %q", name)
	return nil
}

// freshValues fails where a value that is made for one run turns up in two.
func freshValues(t *testing.T, before, after []story.Value) {
	t.Helper()
	if len(before) != len(after) {
		t.Fatalf("%d values were seen before and %d after", len(before), len(after))
	}
	for i, was := range before {
		if was.Fresh && was.Text == after[i].Text {
			t.Errorf("%s is not fresh", was.Name)
		}
	}
}

// minted returns the values that are no dates: two clients of one day may see the same dates.
func minted(seen []story.Value) []story.Value {
	return slices.DeleteFunc(slices.Clone(seen), func(v story.Value) bool {
		return strings.HasSuffix(v.Name, "Date")
	})
}

func TestToursReplayToClientsAtOnce(t *testing.T) {
	t.Parallel()
	for _, o := range tours {
		t.Run(o.profile, func(t *testing.T) {
			t.Parallel()
			tape, _ := recorded(t, o)
			d := replayed(t, tape, later)
			var wg sync.WaitGroup
			for n := range 4 {
				wg.Go(func() {
					teller := tourist(d.url, n+1, later())
					defer teller.HTTP.CloseIdleConnections()
					if _, err := o.tell(teller, t.Context()); err != nil {
						t.Errorf("client %d: %v", n+1, err)
					}
				})
			}
			wg.Wait()
			if s := d.mode.Stats(); s.Misses != 0 {
				t.Errorf("%d misses", s.Misses)
			}
		})
	}
}

// changes have for each operation one exact value that the tour sends another of, or one that
// it does not send at all: in the JSON document, or the query of a call that has none.
var changes = map[string]struct{ path, value string }{
	"registerCustomer": {"productName", `"CRCU1002"`},
	"getCustomerInfo":  {"amount", "1"},
	"isCustomerExist":  {"institutionId", "1002"},

	"changeAccountLimit":      {"limit.value", "500001"},
	"getAccountLimits":        {"amount", "1"},
	"changeAccountStatus":     {"accountStatus", "6"},
	"changeAccountStatusInFe": {"accountStatus", "2"},
	"getAccountData":          {"returnCardNumber", "false"},
	"setAllowedBeneficiaries": {"amount", "1"},
	"getAllowedBeneficiaries": {"amount", "1"},
	"setAllowedMccList":       {"mccList.1", "5813"},
	"getAllowedMccList":       {"amount", "1"},

	"changeMerchantStatus":    {"status", `"CLOSED"`},
	"changeTerminalStatus":    {"status", `"CLOSED"`},
	"getMerchantTransactions": {"institutionId", `"1002"`},
	"generateKey":             {"keyLength", `"ENKL_0016"`},
	"setKey":                  {"newKeyPrefix", `"X"`},
	"serviceAction":           {"actionCode", `"ACTION_CODE_CHECK"`},

	"createVirtualCard":  {"amount", "1"},
	"getCardLimits":      {"cardIdentification.plasticNumber", "1"},
	"changeCardLimit":    {"limit.value", "30001"},
	"getCardData":        {"cardIdentification.plasticNumber", "1"},
	"blockCard":          {"cardIdentification.plasticNumber", "1"},
	"changeCardStatus":   {"hotCardStatus", "1"},
	"cardStatusInquiry":  {"cardIdentification.plasticNumber", "1"},
	"generatePin":        {"pinDeliveryMethod", `"SMS"`},
	"changePin":          {"cardIdentification.plasticNumber", "1"},
	"resetPinCounter":    {"cardAcceptorParameters.merchantType", `"5412"`},
	"generateCVC2":       {"deliveryMethod", `"HALF_AND_HALF"`},
	"setGeoRestrictions": {"restrictions.restriction.0.countryId", "40"},
	"getGeoRestrictions": {"cardIdentification.plasticNumber", "1"},

	"creditCard":  {"amount", "50001"},
	"debitCard":   {"fee.feeValue", "151"},
	"p2PTransfer": {"amount", "2501"},

	"getOrderDetails":       {"amount", "1"},
	"getPaymentOrders":      {"institutionId", `"1002"`},
	"getTransactionDetails": {"reversal", "false"},
	"getTransactions":       {"cardIdentification.plasticNumber", "1"},

	"POST /cardholders":     {"billingAddress.country", `"AT"`},
	"GET /cardholders/{id}": {"amount", "1"},
	"POST /cards":           {"productName", `"VISA Gold"`},
	"GET /cards/{id}":       {"amount", "1"},
	"PATCH /cards/{id}":     {"spendingLimits.0.amount", "5001"},
	"POST /topups":          {"amount", "8001"},
	"POST /transfers":       {"amount", "3001"},
	"GET /transfers":        {"statusFltr", "approved"},
}

// index is a place in a list as sjson writes it.
var index = regexp.MustCompile(`\.(\d+)\b`)

// meddler is a transport that sends, ahead of the first call of each operation, the same call
// with one value changed, and keeps what came of it.
type meddler struct {
	next  *http.Transport
	known *profile.Set
	came  map[string]missed // by operation
}

// missed is what a report of a miss says.
type missed struct {
	reason string   // of the header
	fields []string // in which the nearest exchange differs
}

func (m *meddler) RoundTrip(req *http.Request) (*http.Response, error) {
	name := m.known.Find(req.Method, req.URL.Path).Operation.Name
	if _, done := m.came[name]; !done {
		changed, err := meddled(req, name)
		if err != nil {
			return nil, err
		}
		res, err := m.next.RoundTrip(changed)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		report, err := io.ReadAll(res.Body)
		if err != nil {
			return nil, err
		}
		came := missed{reason: res.Header.Get("Paytape-Miss")}
		for _, field := range gjson.GetBytes(report, "nearest.0.differs.#.field").Array() {
			came.fields = append(came.fields, field.String())
		}
		m.came[name] = came
	}
	return m.next.RoundTrip(req)
}

// meddled returns a request with its one value changed.
func meddled(req *http.Request, name string) (*http.Request, error) {
	change, out := changes[name], req.Clone(req.Context())
	if req.Method == http.MethodGet {
		out.URL.RawQuery += "&" + change.path + "=" + change.value
		return out, nil
	}
	sent, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(sent)
	if err != nil {
		return nil, err
	}
	if body, err = sjson.SetRawBytes(body, change.path, []byte(change.value)); err != nil {
		return nil, err
	}
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return out, nil
}

// TestTourWithOneValueChanged wants a miss that names the value, and after it the tour as if
// nothing had been.
func TestTourWithOneValueChanged(t *testing.T) {
	t.Parallel()
	for _, o := range tours {
		t.Run(o.profile, func(t *testing.T) {
			t.Parallel()
			tape, _ := recorded(t, o)
			d := replayed(t, tape, later)
			m := &meddler{plainTransport(), builtinKnowledge(t).profiles, map[string]missed{}}
			defer m.next.CloseIdleConnections()
			teller := tourist(d.url, 1, later())
			teller.HTTP.Transport = m
			if _, err := o.tell(teller, t.Context()); err != nil {
				t.Error(err)
			}
			for _, operation := range operations(t, o.profile) {
				t.Run(operation.Name, func(t *testing.T) {
					path := index.ReplaceAllString(changes[operation.Name].path, "[$1]")
					want := missed{"field", []string{path}}
					if got := m.came[operation.Name]; !reflect.DeepEqual(got, want) {
						t.Errorf("got %v, want %v", got, want)
					}
				})
			}
		})
	}
}
