package drift_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/drift"
	"github.com/paytape/paytape/match/tape"
)

// options are those of all tests.
func options(t testing.TB) drift.Options {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return drift.Options{Profiles: set}
}

// call is a recorded exchange of a test.
type call struct {
	method, path, form string
	code               int
	header             http.Header // of the answer; nil means JSON
	body               string
}

// cassette makes a cassette of calls, a second apart.
func cassette(name string, at time.Time, calls ...call) tape.Cassette {
	c := tape.Cassette{Name: name}
	for i, call := range calls {
		x := &leaf.Exchange{}
		x.Request.Method, x.Request.URL = call.method, "https://sandbox.example"+call.path
		x.Request.Headers, x.Request.Body = http.Header{}, call.form
		if call.form != "" {
			x.Request.Headers.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		x.Response.Code, x.Response.Body, x.Response.Headers = call.code, call.body, call.header
		if call.code == 0 {
			x.Response.Code = http.StatusOK
		}
		if call.header == nil {
			x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
		}
		x.Meta.Number, x.Meta.At = i+1, at.Add(time.Duration(i)*time.Second)
		c.Exchanges = append(c.Exchanges, x)
	}
	return c
}

var (
	spring = time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)
	autumn = time.Date(2026, 10, 2, 17, 30, 0, 0, time.UTC)
)

// compare returns what differs between two tapes.
func compare(t testing.TB, was, is []call) []string {
	t.Helper()
	o := options(t)
	r := drift.Compare(drift.Read(o, cassette("old", spring, was...)),
		drift.Read(o, cassette("new", autumn, is...)))
	var lines []string
	for _, f := range r.Flows {
		if f.Grade != "" {
			lines = append(lines, string(f.Grade)+" flow")
		}
		for _, x := range f.Exchanges {
			if x.Grade != "" {
				lines = append(lines, string(x.Grade)+" exchange "+x.Operation)
			}
			for _, f := range x.Findings {
				lines = append(lines, f.String())
			}
		}
	}
	return lines
}

// checkout is an order that was registered, and asked for. id, number and date are its variables.
func checkout(id, number, date, status string) []call {
	return []call{
		{method: "POST", path: "/payment/rest/register.do",
			form: "userName=u&amount=12500&currency=978&returnUrl=https%3A%2F%2Fshop.example%2F&orderNumber=" + number,
			body: `{"orderId":"` + id + `","formUrl":"https://sandbox.example/pay?mdOrder=` + id + `"}`},
		{method: "POST", path: "/payment/rest/getOrderStatusExtended.do", form: "userName=u&orderId=" + id,
			body: strings.NewReplacer("NUMBER", number, "DATE", date).Replace(status)},
	}
}

const (
	orderA, orderB = "0190a1b2-0000-7000-8000-0000c0ffee00", "01951d3e-77aa-7111-9222-aaaac0ffee00"
	dateA, dateB   = "1773482400000", "1790962200000"
	status         = `{"errorCode":"0","orderNumber":"NUMBER","orderStatus":0,"amount":12500,"date":DATE,` +
		`"attributes":[{"name":"a","value":"1"},{"name":"b","value":"2"}],"list":["x","y","z"]}`
)

func TestGrades(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		is   string // the answer, made of status
		want []string
	}{
		{"nothing but variables", status, nil},
		{"an added field", strings.Replace(status, `"amount"`, `"fee":0,"amount"`, 1),
			[]string{"answer fee: added: 0"}},
		{"an added object is one finding", strings.Replace(status, `"amount"`, `"fee":{"a":1,"b":{"c":2}},"amount"`, 1),
			[]string{"answer fee: added: object with 2 members"}},
		{"a removed field", strings.Replace(status, `"amount":12500,`, "", 1),
			[]string{"answer amount: removed: 12500"}},
		{"a number is a string", strings.Replace(status, `12500`, `"12500"`, 1),
			[]string{`answer amount: changed type: number 12500 -> string "12500"`}},
		{"an array is an object", strings.Replace(status, `["x","y","z"]`, `{"x":1}`, 1),
			[]string{"answer list: changed type: array of 3 items -> object with 1 member"}},
		{"a constant", strings.Replace(status, `12500`, `12400`, 1),
			[]string{"answer amount: changed constant: 12500 -> 12400"}},
		{"a status that was never seen", strings.Replace(status, `"orderStatus":0`, `"orderStatus":9`, 1),
			[]string{"answer orderStatus: new code: 0 -> 9"}},
		{"a failure is told by its code", `{"errorCode":"7","errorMessage":"System error"}`,
			[]string{`answer errorCode: new code: "0" -> "7"`}},
		{"an echo that does not follow", strings.Replace(status, `NUMBER`, `other`, 1),
			[]string{`answer orderNumber: changed value: "<order-number>" -> "other"`}},
		{"a date in another form", strings.Replace(status, `DATE`, `"2026-10-02T17:30:00Z"`, 1),
			[]string{`answer date: changed type: number <date> -> string "<date>"`}},
		{"items in another order", strings.Replace(status, `["x","y","z"]`, `["y","x","z"]`, 1),
			[]string{"answer list: changed value: array of 3 items -> array of 3 items (order of items)"}},
		{"an item more", strings.Replace(status, `["x","y","z"]`, `["x","y","w","z"]`, 1),
			[]string{"answer list: added: array of 3 items -> array of 4 items (number of items)"}},
		{"a name/value list has no order",
			strings.Replace(status, `{"name":"a","value":"1"},{"name":"b","value":"2"}`,
				`{"name":"b","value":"2"},{"name":"a","value":"1"}`, 1), nil},
		{"a name more in such a list",
			strings.Replace(status, `{"name":"a"`, `{"name":"c","value":"3"},{"name":"a"`, 1),
			[]string{"answer attributes[c]: added: object with 2 members"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := compare(t, checkout(orderA, "A-1", dateA, status), checkout(orderB, "B-7", dateB, tt.is))
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestShapes has ids that are made in another way: an order id of another length is a finding, although
// every order has another id.
func TestShapes(t *testing.T) {
	t.Parallel()
	for id, why := range map[string]string{
		orderB:                              "",
		strings.ReplaceAll(orderB, "-", ""): "length",
		strings.ToUpper("ffff1d3e-77aa-7111-9222-aaaacfffeeff"): "alphabet",
		strings.ReplaceAll(orderB, "-", "."):                    "punctuation",
	} {
		got := strings.Join(compare(t, checkout(orderA, "A-1", dateA, status), checkout(id, "B-7", dateB, status)), "\n")
		if (got == "") != (why == "") || !strings.Contains(got, why) {
			t.Errorf("order id %s: got %q, want %q", id, got, why)
		}
	}
}

// TestAnother has answers about another order than the request: one of the tape, or one that nobody has
// seen. All ids differ between two recordings, and that is no difference.
func TestAnother(t *testing.T) {
	t.Parallel()
	const orderC, orderD, unseen = "01951d3e-88bb-7222-8333-bbbbc0ffee00",
		"0190a1b2-1111-7111-8111-1111c0ffee00", "deadbeef-77aa-7111-9222-aaaac0ffee00"
	shown := func(attribute, top string) string {
		return `{"errorCode":"0","orderNumber":"NUMBER","orderStatus":0,"mdOrder":"` + top + `","date":DATE,` +
			`"attributes":[{"name":"mdOrder","value":"` + attribute + `"}]}`
	}
	was := append(checkout(orderD, "A-1", dateA, shown(orderD, orderD)),
		checkout(orderA, "A-2", dateA, shown(orderA, orderA))...)
	changed := "answer %s: changed value: \"<order>\" -> \"<order>\" (another order)"
	tests := []struct {
		name           string
		attribute, top string
		want           []string
	}{
		{"nothing but ids", orderB, orderB, nil},
		{"an attribute never seen", unseen, orderB, []string{fmt.Sprintf(changed, "attributes[0].value")}},
		{"an attribute of another order", orderC, orderB, []string{fmt.Sprintf(changed, "attributes[0].value")}},
		{"a field never seen", orderB, unseen, []string{fmt.Sprintf(changed, "mdOrder")}},
		{"a field of another order", orderB, orderC, []string{fmt.Sprintf(changed, "mdOrder")}},
		{"the order of the old tape", orderB, orderA, []string{fmt.Sprintf(changed, "mdOrder")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := compare(t, was, append(checkout(orderC, "B-7", dateB, shown(orderC, orderC)),
				checkout(orderB, "B-8", dateB, shown(tt.attribute, tt.top))...))
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestAnotherInLists has things that are listed in an order that their ids give. That order is no
// difference, and another thing in the list is.
func TestAnotherInLists(t *testing.T) {
	t.Parallel()
	const a, b, c, d, e = "0190a1b2-4111-7000-8000-0000c0ffee00", "0190a1b2-5222-7111-9111-1111c0ffee11",
		"0190a1b2-6333-7222-a222-2222c0ffee22", "0190a1b2-7444-7333-b333-3333c0ffee33",
		"0190a1b2-8555-7444-b444-4444c0ffee44"
	calls := func(order, first, second string, listed ...string) []call {
		all := []call{{method: "POST", path: "/orders", form: "amount=1", body: `{"orderId":"` + order + `"}`}}
		for _, id := range []string{first, second} {
			all = append(all, call{method: "POST", path: "/orders/" + order + "/refunds", form: "amount=1",
				body: `{"refundId":"` + id + `"}`})
		}
		items := ""
		for _, l := range listed {
			items += `,{"refundId":"` + l + `"}`
		}
		return append(all,
			call{method: "GET", path: "/refunds/" + first, body: `{"state":"open"}`},
			call{method: "GET", path: "/refunds/" + second, body: `{"state":"open"}`},
			call{method: "GET", path: "/orders/" + order, body: `{"refunds":[` + items[1:] + `]}`})
	}
	was := calls(orderA, a, b, a, b)
	for _, listed := range [][]string{{c, d}, {d, c}} {
		if got := compare(t, was, calls(orderB, c, d, listed...)); len(got) > 0 {
			t.Errorf("the list %v: got %q", listed, got)
		}
	}
	if got := compare(t, was, calls(orderB, c, d, c, e)); len(got) != 1 {
		t.Errorf("another item: got %q", got)
	}
}

// TestFlows has flows in another order, one that is new and one that is gone.
func TestFlows(t *testing.T) {
	t.Parallel()
	a, b := checkout(orderA, "A-1", dateA, status), checkout(orderB, "B-2", dateA, status)
	refund := func(id string) call {
		return call{method: "POST", path: "/payment/rest/refund.do", form: "amount=100&orderId=" + id,
			body: `{"errorCode":"0"}`}
	}
	one := append(slices.Clone(a), refund(orderA))
	tests := []struct {
		name    string
		was, is []call
		want    []string
	}{
		{"in another order", append(slices.Clone(one), b...), append(slices.Clone(b), one...), nil},
		{"one more", a, append(slices.Clone(b), one...), []string{"added flow"}},
		{"one less", append(slices.Clone(a), b...), b, []string{"removed flow"}},
		{"an exchange more", a, one, []string{"added exchange refund.do"}},
		{"an exchange less", one, a, []string{"removed exchange refund.do"}},
		{"none", nil, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := slices.DeleteFunc(compare(t, tt.was, tt.is), func(line string) bool {
				return strings.Contains(tt.name, "one") && strings.Contains(line, "exchange")
			})
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestText has the same text for tapes that are equal, and another for others.
func TestText(t *testing.T) {
	t.Parallel()
	o := options(t)
	text := func(calls []call) string { return drift.Read(o, cassette("x", spring, calls...)).Text() }
	a := append(checkout(orderA, "A-1", dateA, status), checkout(orderB, "B-2", dateA, status)...)
	b := append(checkout(orderB, "Q-1", dateA, status), checkout(orderA, "Q-2", dateA, status)...)
	if text(a) != text(b) {
		t.Errorf("texts differ:\n%s\n%s", text(a), text(b))
	}
	for _, want := range []string{"> amount = 12500", `< orderId = "<order 1>"`, "mdOrder=<order 1>"} {
		if !strings.Contains(text(a), want) {
			t.Errorf("%q is not in\n%s", want, text(a))
		}
	}
	if c := strings.Replace(status, "12500", "1", 1); text(checkout(orderA, "A-1", dateA, c)) ==
		text(checkout(orderA, "A-1", dateA, status)) {
		t.Error("another amount is not seen")
	}
}

// FuzzSelf compares anything with itself.
func FuzzSelf(f *testing.F) {
	f.Add("application/json", `{"a":[1,{"b":null}],"a":2,"c.d":"x"}`, "a=1&b=2")
	f.Add("text/html", "<html><p>a<p>b<input name=q value=1>", "")
	f.Add("text/xml", "<a><b>1</b><b>2</b>text</a>", "x")
	f.Add("application/json", `[[],[[]],{}]`, "")
	f.Add("text/plain", "a>b.c[0", "%zz")
	o := options(f)
	f.Fuzz(func(t *testing.T, media, body, form string) {
		x := call{method: "POST", path: "/things", form: form, body: body, header: http.Header{"Content-Type": {media}}}
		one := drift.Read(o, cassette("one", spring, x))
		two := drift.Read(o, cassette("two", autumn, x))
		if r := drift.Compare(one, one); !r.Equal() {
			t.Fatalf("itself: %+v", r.Flows)
		}
		if r := drift.Compare(one, two); !r.Equal() {
			t.Fatalf("its like: %+v", r.Flows)
		}
		if a, b := one.Text(), two.Text(); a != b {
			t.Fatalf("two texts:\n%s\n%s", a, b)
		}
	})
}

// FuzzPlanted plants one change into an answer: it is found once, at its path.
func FuzzPlanted(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	o := options(f)
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := &generator{rand.New(rand.NewPCG(seed, 1))}
		doc := g.object(0)
		was := marshal(t, doc)
		grade, path := g.plant(doc)
		is := marshal(t, doc)
		thing := func(body string) *drift.Tape {
			return drift.Read(o, cassette("x", spring, call{method: "GET", path: "/things", body: body}))
		}
		old, changed := thing(was), thing(is)
		r := drift.Compare(old, changed)
		if len(r.Flows) != 1 || len(r.Flows[0].Exchanges) != 1 || len(r.Flows[0].Exchanges[0].Findings) != 1 {
			t.Fatalf("%s\n%s\nwant one finding (%s at %s), got %+v", was, is, grade, path, r.Flows)
		}
		if got := r.Flows[0].Exchanges[0].Findings[0]; got.Grade != grade || got.Path != path {
			t.Fatalf("%s\n%s\ngot %s, want %s at %s", was, is, got, grade, path)
		}
	})
}

// generator makes documents of constants.
type generator struct{ *rand.Rand }

// member is a member of an object: its value is an int, a string, a bool or an object.
type member struct {
	key   string
	value any
}

type object struct{ members []*member }

// MarshalJSON writes the members in their order.
func (o *object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range o.members {
		if i > 0 {
			b.WriteByte(',')
		}
		v, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", m.key, v)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

func marshal(t *testing.T, o *object) string {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (g *generator) object(depth int) *object {
	o := &object{}
	for i := range 1 + g.IntN(4) {
		o.members = append(o.members, &member{fmt.Sprintf("m%c", 'a'+i), g.value(depth)})
	}
	return o
}

func (g *generator) value(depth int) any {
	switch n := g.IntN(8); {
	case n < 3:
		return 10 + g.IntN(80)
	case n < 5:
		return []string{"red", "green", "blue"}[g.IntN(3)]
	case n == 5 || depth == 3:
		return g.IntN(2) == 0
	case n == 6:
		items := make([]any, 1+g.IntN(3))
		for i := range items {
			items[i] = g.value(depth + 1)
		}
		return items
	}
	return g.object(depth + 1)
}

// plant changes one thing and returns what should be found.
func (g *generator) plant(o *object) (drift.Grade, string) {
	path := ""
	for {
		m := o.members[g.IntN(len(o.members))]
		at := strings.TrimPrefix(path+"."+m.key, ".")
		if inner, ok := m.value.(*object); ok && g.IntN(4) > 0 {
			o, path = inner, at
			continue
		}
		switch g.IntN(4) {
		case 0:
			o.members = append(o.members, &member{"new", g.value(2)})
			return drift.Added, strings.TrimPrefix(path+".new", ".")
		case 1:
			if len(o.members) == 1 {
				continue
			}
			o.members = slices.DeleteFunc(o.members, func(other *member) bool { return other == m })
			return drift.Removed, at
		case 2:
			switch m.value.(type) {
			case int:
				m.value = "red"
			default:
				m.value = 7
			}
			return drift.ChangedType, at
		}
		switch v := m.value.(type) {
		case int:
			m.value = v + 1
		case string:
			m.value = v + "ish"
		case bool:
			m.value = !v
		default:
			continue
		}
		return drift.ChangedConstant, at
	}
}
