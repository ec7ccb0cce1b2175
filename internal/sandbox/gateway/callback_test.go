package gateway

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// vectorKey and vectorSum are the test vector of the domain facts (Callbacks).
const (
	vectorKey = "ooc7slpvc61k7sf7ma7p4hrefr"
	vectorSum = "EAF2FB72CAB99FD5067F4BA493DD84F4D79C1589FDE8ED29622F0F07215AA972"
)

// nameValues makes parameters of name, value pairs.
func nameValues(texts ...string) []wire.NameValue {
	var list []wire.NameValue
	for i := 0; i+1 < len(texts); i += 2 {
		list = append(list, wire.NameValue{Name: texts[i], Value: texts[i+1]})
	}
	return list
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	plain := []string{"status", "1", "mdOrder", "06cf5599-3f17-7c86-bdbc-bd7d00a8b38b",
		"operation", "approved", "orderNumber", "2003"}
	for name, row := range map[string]struct {
		parameters []string
		same       bool // as the vector
	}{
		"the vector":                   {plain, true},
		"checksum does not count":      {append(plain[:8:8], "checksum", "00"), true},
		"sign_alias does not count":    {append([]string{"sign_alias", "k1"}, plain...), true},
		"another value":                {append([]string{"status", "0"}, plain[2:]...), false},
		"one more, though it is empty": {append(plain[:8:8], "amount", ""), false},
	} {
		if got := checksum(vectorKey, nameValues(row.parameters...)); (got == vectorSum) != row.same {
			t.Errorf("%s: the checksum is the vector's: %t, want %t", name, !row.same, row.same)
		}
	}
	if checksum("another key", nameValues(plain...)) == vectorSum {
		t.Error("the key makes no difference")
	}
}

// The parameters of each kind of callback, in their order.
func TestNewCallback(t *testing.T) {
	t.Parallel()
	at := time.Date(2022, 2, 1, 0, 46, 52, 0, time.FixedZone("", 3*60*60))
	const date = "Mon Jan 31 21:46:52 UTC 2022" // domain facts, Identifiers, Dates
	plain := &order{id: "O", number: "A-1", amount: 1500}
	withClient := &order{id: "O", number: "A-1", amount: 1500, clientID: "7"}
	saved := &order{id: "O", number: "A-1", amount: 1500, clientID: "7",
		binding: &binding{id: "B", clientID: "7"}}
	for name, row := range map[string]struct {
		order *order
		event event
		want  []wire.NameValue
	}{
		"a payment": {plain, event{operation: eventDeposited, at: at},
			nameValues("mdOrder", "O", "orderNumber", "A-1", "operation", "deposited",
				"callbackCreationDate", date, "amount", "1500", "status", "1")},
		"a failed one": {plain, event{operation: eventRefunded, at: at, failed: true},
			nameValues("mdOrder", "O", "orderNumber", "A-1", "operation", "refunded",
				"callbackCreationDate", date, "amount", "1500", "status", "0")},
		"of a client": {withClient, event{operation: eventApproved, at: at},
			nameValues("mdOrder", "O", "orderNumber", "A-1", "operation", "approved",
				"callbackCreationDate", date, "amount", "1500", "clientId", "7", "status", "1")},
		"with a binding": {saved, event{operation: eventDeposited, at: at},
			nameValues("mdOrder", "O", "orderNumber", "A-1", "operation", "deposited",
				"callbackCreationDate", date, "amount", "1500", "bindingId", "B", "clientId", "7",
				"status", "1")},
		"a binding made": {saved, event{operation: eventBindingCreated, at: at},
			nameValues("mdOrder", "O", "orderNumber", "A-1", "operation", "bindingCreated",
				"callbackCreationDate", date, "bindingId", "B", "clientId", "7", "status", "1")},
		"a binding switched off": {withClient,
			event{operation: eventBindingSwitched, at: at, bound: saved.binding, disabled: true},
			nameValues("mdOrder", "O", "orderNumber", "A-1", "operation", "bindingActivityChanged",
				"callbackCreationDate", date, "bindingId", "B", "clientId", "7",
				"enabled", "false", "status", "1")},
		"a binding switched on": {saved, event{operation: eventBindingSwitched, at: at},
			nameValues("mdOrder", "O", "orderNumber", "A-1", "operation", "bindingActivityChanged",
				"callbackCreationDate", date, "bindingId", "B", "clientId", "7",
				"enabled", "true", "status", "1")},
	} {
		cb := newCallback(row.order, row.event, "http://shop.example/")
		if diff := cmp.Diff(row.want, cb.parameters); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCallbackAddress(t *testing.T) {
	t.Parallel()
	own, none := &order{callbackURL: "http://own"}, &order{}
	for name, row := range map[string]struct {
		static string
		order  *order
		of     string
		want   string
	}{
		"to the order's own":             {"http://static", own, eventDeposited, "http://own"},
		"to the static one":              {"http://static", none, eventDeposited, "http://static"},
		"a time-out is of a payment":     {"", own, eventTimedOut, "http://own"},
		"a binding to the static one":    {"http://static", own, eventBindingCreated, "http://static"},
		"a binding without a static one": {"", own, eventBindingSwitched, ""},
		"nowhere":                        {"", none, eventRefunded, ""},
	} {
		got := Callbacks{Address: row.static}.address(row.order, event{operation: row.of})
		if got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestCallbacksCheck(t *testing.T) {
	t.Parallel()
	all := Callbacks{"https://shop.example/cb?a=b", "key", "k1", true, []string{"a", "b:1"}}
	long := "http://a/" + strings.Repeat("x", 512)
	for name, row := range map[string]struct {
		callbacks Callbacks
		want      error
	}{
		"nothing":            {Callbacks{}, nil},
		"everything":         {all, nil},
		"an app's protocol":  {Callbacks{Address: "shop://back"}, errStaticAddress},
		"no protocol":        {Callbacks{Address: "shop.example/cb"}, errStaticAddress},
		"a long address":     {Callbacks{Address: long}, errStaticAddress},
		"an alias of no key": {Callbacks{Alias: "k1"}, errAlias},
		"a URL for a host":   {Callbacks{Allow: []string{"http://shop.example"}}, errAllowed},
		"no host at all":     {Callbacks{Allow: []string{""}}, errAllowed},
	} {
		if got := row.callbacks.Check(); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

// What a shop reads of a callback is what was said, and its checksum agrees with all that
// came the same way, whatever the address and the values look like.
func FuzzRequest(f *testing.F) {
	f.Add("/cb", "", "A-1", false)
	f.Add("/cb", "shop=5&token=a%20b", "order; 7 & more=1", false)
	f.Add("/", "mdOrder=mine&;x", "Заказ+1", false)
	f.Add("/cb", "shop=5", "%zz", true)
	f.Fuzz(func(t *testing.T, path, query, number string, post bool) {
		to := url.URL{Scheme: "http", Host: "shop.example", Path: path, RawQuery: query}
		address := to.String()
		if !isWebURL(address) || strings.Contains(query, "#") { // which no query has
			return
		}
		said := nameValues("mdOrder", "O", "orderNumber", number, "operation", "deposited", "status", "1")
		how := Callbacks{Key: vectorKey, Alias: "k1", Post: post}
		r, err := how.request(t.Context(), callback{address: address, parameters: said})
		if err != nil {
			t.Fatal("a full address cannot be called")
		}
		sent := r.URL.RawQuery
		if post {
			body, err := io.ReadAll(r.Body)
			if err != nil || r.URL.String() != address || r.Method != http.MethodPost {
				t.Fatal("the form is not a POST to the address")
			}
			sent = string(body)
		}
		got, own := params{}, params{}
		got.addPairs(sent)
		own.addPairs(query)
		all := []wire.NameValue{}
		for name, value := range got {
			all = append(all, wire.NameValue{Name: name, Value: value})
		}
		for _, p := range said {
			if _, clash := own[p.Name]; (post || !clash) && got[p.Name] != p.Value {
				t.Errorf("%s arrives changed", p.Name)
			}
			if _, clash := own[p.Name]; clash {
				return // a shop with such an address has two values for one name
			}
		}
		proved := own["checksum"] == "" && own["sign_alias"] == ""
		if proved && got["checksum"] != checksum(vectorKey, all) {
			t.Error("the checksum is not that of the parameters")
		}
	})
}
