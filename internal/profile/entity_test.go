package profile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paytape/paytape/internal/profile"
)

// acting is a profile with all that is said of what calls act on.
const acting = `profile: shop
paths: [/shop/]
failed: [{key: code, not: 0}, {status: 400+}, {key: fault, present: true}]
entities:
  order: {names: [order, number], of: [client, shop], state: status}
  binding:
    names: [binding]
    of: client
    brought: pay
    key: [card, type]
  client: {names: [client], scope: true}
  shop: {names: [shop], scope: true}
operations:
  pay:
    methods: [POST]
    path: /shop/pay
    carrier: json
    writes: true
    uses: [shop, client]
    reads: {Action: [LOOK, ASK], original: present}
    failed: [{status: 200, key: form, present: true}]
    request: {order: minted order, number: client unique number, client: client shared client,
              shop: client shared shop, action: exact, original: minted number}
  list:
    methods: [GET]
    path: /shop/orders
    carrier: query
    list: {items: [orders, orders.order], noun: order, of: client, total: count, page: page,
           size: size, from: since, to: until, date: made, filters: state, order: latest,
           empty: "[]"}
    request: {client: client shared client, page: exact, size: exact, since: date iso,
              until: date iso, state: exact}
    response: {id: minted order, binding: minted binding, count: exact, made: date iso}
`

func TestParseEntities(t *testing.T) {
	t.Parallel()
	p := parse(t, acting)
	want := []*profile.Entity{
		{Name: "order", Names: []string{"order", "number"}, Of: []string{"client", "shop"}, State: "status"},
		{Name: "binding", Names: []string{"binding"}, Of: []string{"client"},
			Brought: []string{"pay"}, Key: []string{"card", "type"}},
		{Name: "client", Names: []string{"client"}, Scope: true},
		{Name: "shop", Names: []string{"shop"}, Scope: true},
	}
	inside := cmpopts.IgnoreUnexported(profile.Entity{})
	if diff := cmp.Diff(want, p.Entities, inside); diff != "" {
		t.Error(diff)
	}
	pay := *p.Operations[0]
	wantPay := profile.Operation{
		Uses:   []string{"shop", "client"},
		Reads:  map[string][]string{"action": {"LOOK", "ASK"}, "original": nil},
		Failed: []profile.Condition{{Status: 200, Key: "form", Present: true}},
	}
	described := cmpopts.IgnoreFields(profile.Operation{}, "Origin",
		"Profile", "Name", "Methods", "Path", "Carrier", "Writes")
	unexported := cmpopts.IgnoreUnexported(profile.Operation{})
	if diff := cmp.Diff(wantPay, pay, described, unexported); diff != "" {
		t.Error(diff)
	}
	wantList := &profile.List{
		Items: []string{"orders", "orders.order"}, Noun: "order", Of: "client",
		Total: "count", Page: "page", Size: "size", From: "since", To: "until", Date: "made",
		Filters: []string{"state"}, Order: profile.LatestFirst, Empty: "[]",
	}
	if diff := cmp.Diff(wantList, p.Operations[1].List); diff != "" {
		t.Error(diff)
	}
}

// What is told of a field is read in the order of the file.
func TestParseTold(t *testing.T) {
	t.Parallel()
	p := parse(t, strings.Replace(acting, "key: [card, type]", `key: [card, type]
    told: {type: [{value: R, by: {Action: [KEEP, RENEW], original: present}}, {value: C}]}`, 1))
	want := map[string][]profile.Told{"type": {
		{Value: "R", By: profile.Variants{"action": {"KEEP", "RENEW"}, "original": nil}}, {Value: "C"},
	}}
	if diff := cmp.Diff(want, p.Entities[1].Told); diff != "" {
		t.Error(diff)
	}
}

func TestVariants(t *testing.T) {
	t.Parallel()
	v := profile.Variants{"action": {"LOOK"}, "params>frequency": nil}
	for _, tt := range []struct {
		shape, text string
		want        bool
	}{
		{"action", "LOOK", true},
		{"order.Action", "LOOK", true},
		{"action", "look", false},
		{"params>Frequency", "30", true},
		{"params>frequency", "", false},
		{"frequency", "30", false},
	} {
		if got := v.Has(tt.shape, tt.text); got != tt.want {
			t.Errorf("%s=%s is a variant: %v", tt.shape, tt.text, got)
		}
	}
}

func TestEntity(t *testing.T) {
	t.Parallel()
	p := parse(t, acting)
	for noun, want := range map[string]*profile.Entity{
		"order": p.Entities[0], "number": p.Entities[0], "binding": p.Entities[1], "card": nil,
	} {
		if got := p.Entity(noun); got != want {
			t.Errorf("%s is %v, want %v", noun, got, want)
		}
	}
	var unknown *profile.Profile
	if got := unknown.Entity("order"); got != nil {
		t.Errorf("without a profile an order is %v", got)
	}
}

// A part is within its whole and within what that is of, and nothing is within itself.
func TestWithin(t *testing.T) {
	t.Parallel()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range set.Profiles() {
		within := map[string]string{"cardv1": "card account customer", "cardv2": "transfer card cardholder"}[p.Name]
		chain := strings.Fields(within)
		for i, inner := range chain {
			for j, outer := range chain {
				got := entityOf(t, p, inner).Within(entityOf(t, p, outer))
				if got != (i < j) {
					t.Errorf("%s: %s within %s: %v", p.Name, inner, outer, got)
				}
			}
		}
	}
}

func entityOf(t *testing.T, p *profile.Profile, name string) *profile.Entity {
	t.Helper()
	for _, e := range p.Entities {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("%s has no entity %s", p.Name, name)
	return nil
}

func TestParseEntityErrors(t *testing.T) {
	t.Parallel()
	const entityKeys = "names, of, brought, key, several, told, state or scope"
	tests := []struct {
		name     string
		old, new string // in acting
		want     string
	}{
		{"failed is no list", "failed: [{key: code, not: 0}, {status: 400+}, {key: fault, " +
			"present: true}]", "failed: 400", `:3: failed: expected a list of conditions, found "400"`},
		{"a condition of words", "{status: 400+}", "400", `:3: failed: expected a mapping with ` +
			`status, key, value, not or present, found "400"`},
		{"a status of words", "400+", "400-499",
			`:3: failed: status: expected an HTTP status code such as 401, found "400-499"`},
		{"a value and another", "not: 0", "value: 1, not: 0",
			`:3: failed: not: expected either "value" or "not", found "0"`},
		{"a value that is there", "not: 0", "value: 0, present: true",
			`:3: failed: expected a value or presence of a key, found both`},
		{"absence", "present: true}]\nent", "present: false}]\nent",
			`:3: failed: present: expected true, found "false"`},
		{"not without a key", "key: code, not", "status: 500, not",
			`:3: failed: expected a status, or a key and its value, found half a condition`},
		{"present without a key", "key: fault, present", "present",
			`:3: failed: expected a status, or a key and its value, found half a condition`},
		{"an empty condition", "{status: 400+}", "{}",
			`:3: failed: expected a status, or a key and its value, found half a condition`},
		{"an operation's own condition", "key: form, present", "present",
			`:21: operation "pay": failed: expected a status, or a key and its value, ` +
				`found half a condition`},
		{"entities are a list", "entities:\n  order:", "entities: [order]\nx:\n  order:",
			`:4: expected entities by name, found a list (and 1 more)`},
		{"an entity of words", "shop: {names: [shop], scope: true}", "shop: scope",
			`:12: entity "shop": expected a mapping with ` + entityKeys + `, found "scope"`},
		{"a bad name", "  shop: {", "  Shop 1: {", `:12: expected an entity's name of small ` +
			`letters, digits and dashes, found "Shop 1"`},
		{"an unknown key", "scope: true}\n  shop", "scoped: true}\n  shop",
			`:11: entity "client": expected ` + entityKeys + `, found "scoped": did you mean "scope"?`},
		{"no nouns", "names: [shop], ", "", `:12: entity "shop": expected the key "names", found none`},
		{"an empty list of nouns", "[shop], scope", "[], scope",
			`:12: entity "shop": names: expected a list of nouns, found an empty one`},
		{"a noun of two entities", "[shop], scope", "[shop, order], scope",
			`:12: entity "shop": names: expected a noun of one entity, found "order" of "order" too`},
		{"a noun twice", "[shop], scope", "[shop, shop], scope",
			`:12: entity "shop": names: expected a noun of one entity, found "shop" of "shop" too`},
		{"a noun without a row", "[shop], scope", "[shop, stop], scope",
			`:12: entity "shop": names: expected a noun that some row has, found "stop": did you mean "shop"?`},
		{"of nobody", "of: client\n", "of: clients\n",
			`:8: entity "binding": of: expected the name of an entity, found "clients": did you mean "client"?`},
		{"of one twice", "[client, shop]", "[client, client]",
			`:5: entity "order": of: expected each of the entities once, found "client"`},
		{"of itself", "of: client\n", "of: binding\n", `:6: entity "binding": of: ` +
			`expected another entity, found the entity itself further up`},
		{"of itself in a circle", "[client], scope", "[client], of: binding, scope",
			`:6: entity "binding": of: expected another entity, found the entity itself further up`},
		{"of a scope in a mapping", "of: client\n", "of: {client: true}\n",
			`:8: entity "binding": of: expected a text or a list of entities, found a mapping`},
		{"of nothing", "of: client\n", "of: []\n",
			`:8: entity "binding": of: expected a text or a list of entities, found a list`},
		{"brought by a read", "brought: pay", "brought: [pay, list]", `:9: entity "binding": ` +
			`brought: expected the name of an operation that writes, found "list"`},
		{"brought by nothing", "brought: pay", "brought: [[pay]]",
			`:9: entity "binding": brought: expected a text, found a list`},
		{"told of no field of the key", "key: [card, type]", "key: [card, type]\n    told: {typ: []}",
			`:11: entity "binding": told: expected a field of the key, found "typ"`},
		{"told as a mapping", "key: [card, type]", "key: [card, type]\n    told: {type: {C: action}}",
			`:11: entity "binding": told: type: expected a list of what requests tell, found a mapping`},
		{"told by a field without a row", "key: [card, type]",
			"key: [card, type]\n    told: {type: [{value: C, by: {origin: present}}]}",
			`:11: entity "binding": told: type: by: expected a field that has a row, found "origin": ` +
				`did you mean "original"?`},
		{"told without a value", "key: [card, type]", "key: [card, type]\n    told: {type: [{by: {action: A}}]}",
			`:11: entity "binding": told: type: expected the key "value", found none`},
		{"uses nobody", "[shop, client]", "[shop, clients]",
			`:19: operation "pay": uses: expected the name of an entity, found "clients": did you mean "client"?`},
		{"uses in a read", "    carrier: query\n", "    carrier: query\n    uses: [shop]\n",
			`:28: operation "list": uses: expected an operation that writes, found one that reads`},
		{"reads in a read", "    carrier: query\n", "    carrier: query\n    reads: {page: present}\n",
			`:28: operation "list": reads: expected an operation that writes, found one that reads`},
		{"reads as a list", "{Action: [LOOK, ASK], original: present}", "[Action]",
			`:20: operation "pay": reads: expected values by field, found a list`},
		{"reads a field twice", "original: present", "ACTION: present",
			`:20: operation "pay": reads: expected each field once, found "ACTION"`},
		{"reads a field without a row", "original: present", "origin: present",
			`:20: operation "pay": reads: expected a field that has a row, found "origin": did you mean "original"?`},
		{"reads a value twice", "[LOOK, ASK]", "[LOOK, LOOK]",
			`:20: operation "pay": reads: field "Action": expected each of the values once, found "LOOK"`},
		{"a list of words", "list: {items", "list: orders\n    other: {items",
			`:28: operation "list": list: expected a mapping with items, noun, of, total, page, size, ` +
				`from, to, date, backwards, filters, order or empty, found "orders" (and 1 more)`},
		{"no items", "items: [orders, orders.order], ", "",
			`:28: operation "list": list: expected the key "items", found none`},
		{"no noun", "noun: order, ", "",
			`:28: operation "list": list: expected the key "noun", found none`},
		{"a noun of no entity", "noun: order", "noun: card",
			`:28: operation "list": list: noun: expected a noun that names an entity, found "card"`},
		{"a list of nobody's", "of: client, total", "of: clients, total",
			`:28: operation "list": list: of: expected the name of an entity, found "clients": did you mean "client"?`},
		{"a field without a row", "total: count", "total: counted",
			`:28: operation "list": list: total: expected a field that has a row, found "counted": did you mean "count"?`},
		{"a field of the answer", "from: since", "from: made",
			`:29: operation "list": list: from: expected a field that has a row, found "made": did you mean "page"?`},
		{"a filter without a row", "filters: state", "filters: [state, mood]",
			`:29: operation "list": list: filters: expected a field that has a row, found "mood"`},
		{"an order", "order: latest", "order: newest",
			`:29: operation "list": list: order: expected birth or latest, found "newest"`},
		{"empty is a list", `empty: "[]"`, "empty: []",
			`:30: operation "list": list: empty: expected a text, found a list`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if strings.Count(acting, tt.old) != 1 {
				t.Fatalf("%q is not in the profile once", tt.old)
			}
			p, err := profile.Parse("shop.yaml", []byte(strings.Replace(acting, tt.old, tt.new, 1)))
			if err == nil || p != nil {
				t.Fatalf("parsed %v, error %v", p != nil, err)
			}
			if diff := cmp.Diff("shop.yaml"+tt.want, withoutColumn(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// answered is an answer of one field, or of none.
type answered struct {
	status     int
	key, value string
}

func (a answered) find(key string) (string, bool) {
	return a.value, a.key != "" && strings.EqualFold(key, a.key)
}

func TestFails(t *testing.T) {
	t.Parallel()
	p := parse(t, acting)
	pay := profile.Call{Profile: p, Operation: p.Operations[0]}
	list := profile.Call{Profile: p, Operation: p.Operations[1]}
	never := profile.Call{Profile: parse(t, "profile: x\npaths: [/]\nfailed: []")}
	tests := []struct {
		name   string
		call   profile.Call
		answer answered
		want   bool
	}{
		{"the value that stands for success", list, answered{200, "code", "0"}, false},
		{"another value", list, answered{200, "code", "00"}, true},
		{"the key in capitals", list, answered{200, "CODE", "5"}, true},
		{"no value", list, answered{200, "", ""}, false},
		{"the lowest status", list, answered{400, "", ""}, true},
		{"a higher status", list, answered{599, "code", "0"}, true},
		{"a lower status", list, answered{399, "", ""}, false},
		{"a key that is there", list, answered{200, "fault", ""}, true},
		{"an operation's own", pay, answered{200, "form", ""}, true},
		{"of another status", pay, answered{303, "form", ""}, false},
		{"which is in place of the profile's", pay, answered{500, "code", "5"}, false},
		{"a path that is not described", profile.Call{Profile: p}, answered{200, "code", "5"}, true},
		{"an API that is not known", profile.Call{}, answered{400, "", ""}, true},
		{"and succeeds", profile.Call{}, answered{399, "code", "5"}, false},
		{"an API where nothing fails", never, answered{500, "", ""}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.call.Fails(tt.answer.status, tt.answer.find); got != tt.want {
				t.Errorf("failed: %v", got)
			}
		})
	}
}
