package rules_test

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/match/rules"
)

// read returns the schema as an editor reads it.
func readSchema(t testing.TB) map[string]any {
	t.Helper()
	data, err := json.Marshal(rules.Schema(builtin(t)))
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// knownAre finds the keys that the parser knows in what it says of one that it does not.
var knownAre = regexp.MustCompile(`unknown (?:key|condition|failure) "zzzzzzzz": known are (.*)`)

// The schema has the keys, effects, conditions and failures that the parser has.
func TestSchemaHasTheKeysOfTheParser(t *testing.T) {
	t.Parallel()
	s := readSchema(t)
	for _, test := range []struct{ name, text, at string }{
		{"a file", "zzzzzzzz: 1", "properties"},
		{"a rule", "rules: [{zzzzzzzz: 1}]", "$defs rule properties"},
		{"a call", "rules: [{name: a, op: {zzzzzzzz: 1}, then: {status: 500}}]",
			"$defs rule properties op anyOf 0 anyOf 3 properties"},
		{"effects", "rules: [{name: a, then: {zzzzzzzz: 1}}]", "$defs effects properties"},
		{"conditions", "rules: [{name: a, when: {zzzzzzzz: 1}, then: {status: 500}}]",
			"$defs condition anyOf 1 properties"},
		{"the request", "rules: [{name: a, then: {request: {zzzzzzzz: 1}}}]",
			"$defs effects properties request properties"},
		{"an answer", "rules: [{name: a, then: {answer: {zzzzzzzz: 1}}}]",
			"$defs effects properties answer properties"},
		{"a redirect", "rules: [{name: a, then: {redirect: {zzzzzzzz: 1}}}]",
			"$defs effects properties redirect anyOf 1 properties"},
		{"a delay", "rules: [{name: a, then: {delay: {zzzzzzzz: 1}}}]",
			"$defs effects properties delay anyOf 1 properties"},
		{"a cut", "rules: [{name: a, then: {fail: {zzzzzzzz: 1}}}]",
			"$defs effects properties fail anyOf 1 properties"},
		{"failures", "rules: [{name: a, then: {fail: zzzzzzzz}}]",
			"$defs effects properties fail anyOf 0 enum"},
		{"rows of an operation", "rewrite: {register.do: {zzzzzzzz: 1}}",
			"properties rewrite additionalProperties properties"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := rules.Parse("x", []byte(test.text), rules.Source{Profiles: builtin(t)})
			if err == nil {
				t.Fatal("the parser takes it")
			}
			m := knownAre.FindStringSubmatch(err.Error())
			if m == nil {
				t.Fatalf("error %v", err)
			}
			known := strings.Split(m[1], ", ")
			slices.Sort(known)
			if diff := cmp.Diff(known, keysAt(t, s, strings.Fields(test.at))); diff != "" {
				t.Errorf("(-parser +schema):\n%s", diff)
			}
		})
	}
}

// keysAt returns the keys of an object in a schema, or the texts of an array.
func keysAt(t *testing.T, at any, path []string) []string {
	t.Helper()
	for _, step := range path {
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			at = v[step[0]-'0']
		}
	}
	switch v := at.(type) {
	case map[string]any:
		return slices.Sorted(maps.Keys(v))
	case []any:
		var all []string
		for _, item := range v {
			all = append(all, item.(string))
		}
		slices.Sort(all)
		return all
	}
	t.Fatalf("nothing at %v", path)
	return nil
}

// What the parser takes the schema takes, and what is wrong by its form both refuse.
func TestSchemaAgreesWithTheParser(t *testing.T) {
	t.Parallel()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("rules.json", readSchema(t)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("rules.json")
	if err != nil {
		t.Fatal(err)
	}
	rule := func(rest string) string { return "rules: [{name: a, " + rest + "}]" }
	then := func(effect string) string { return rule("then: {" + effect + "}") }
	when := func(condition string) string { return rule("when: " + condition + ", then: {status: 500}") }
	for _, test := range []struct {
		name, text string
		right      bool
	}{
		{"nothing", "", true},
		{"no rules", "rules: []", true},
		{"an operation", rule("op: register.do, then: {status: 500}"), true},
		{"a glob and a call", rule("op: [get*, {method: POST, path: /x}], then: {status: 500}"), true},
		{"an operation that is none", rule("op: registre.do, then: {status: 500}"), false},
		{"tests", rule(`where: {amount: ">= 1", "body:a.b": [1, 2]}, then: {status: 500}`), true},
		{"a test that is a mapping", rule("where: {amount: {a: 1}}, then: {status: 500}"), false},
		{"an empty list of tests", rule("where: {amount: []}, then: {status: 500}"), false},
		{"tests on the answer", rule("answer: {http-status: 200}, then: {status: 500}"), true},
		{"first", when("first 2"), true}, {"first by a key", when("{first: 2}"), true},
		{"several", when("[first 2, {chance: 5%}]"), true}, {"seen", when("{seen: [register.do]}"), true},
		{"asked", when("asked"), true}, {"a word", when("fist 2"), false},
		{"asked for false", when("{asked: false}"), false}, {"a chance", when("{chance: 5}"), false},
		{"per", rule("when: first 1, per: session, then: {status: 500}"), true},
		{"a session", rule("session: one, then: {status: 500}"), true},
		{"sessions", rule("session: [one, t*], then: {status: 500}"), true},
		{"no effects", "rules: [{name: a}]", false}, {"no name", "rules: [{then: {status: 500}}]", false},
		{"a name with a space", "rules: [{name: a b, then: {status: 500}}]", false},
		{"set", then(`set: {amount: 1, "header:X": "${mint}"}`), true},
		{"set to a list", then("set: {amount: [1]}"), false},
		{"delete", then("delete: [amount, rrn]"), true}, {"of the request", then("request: {delete: rrn}"), true},
		{"status", then("status: 503"), true}, {"a status of no answer", then("status: 100"), false},
		{"an answer", then("answer: {status: 503, headers: {A: [b, c]}, body: x}"), true},
		{"a body that is a mapping", then("answer: {body: {a: 1}}"), false},
		{"delay", then("delay: 2s"), true}, {"delays", then("delay: {p50: 1s, p99: 2s}"), true},
		{"a delay without a unit", then("delay: 2"), false}, {"half a delay", then("delay: {p50: 1s}"), false},
		{"drip", then("drip: 1m30s"), true}, {"fail", then("fail: reset"), true},
		{"cut", then("fail: {cut: 10}"), true}, {"a failure that is none", then("fail: rest"), false},
		{"lose", then("lose: answer"), true}, {"lose all", then("lose: all"), false},
		{"decline", rule(`op: paymentorder.do, then: {decline: "116"}`), true},
		{"take", then(`take: "#12"`), true}, {"take by tests", then("take: {orderStatus: 2}"), true},
		{"take a name", then("take: x"), false},
		{"redirect", then("redirect: https://x.example/"), true},
		{"redirect as a mapping", then("redirect: {to: /x, status: 307}"), true},
		{"redirect to nowhere", then("redirect: {status: 307}"), false},
		{"stop", rule("then: [{status: 500}, stop]"), true}, {"stop false", then("stop: false"), false},
		{"send", rule("op: callback, then: {send: before-answer}"), true},
		{"send after a call", rule("op: gateway/callback, then: {send: after refund.do}"), true},
		{"send later", rule("op: callback, then: {send: +1m30s}"), true},
		{"send soon", rule("op: callback, then: {send: soon}"), false},
		{"repeat", rule("op: callback, then: {repeat: 2}"), true},
		{"repeat every", rule("op: callback, then: {repeat: 2 every 1s}"), true},
		{"repeat always", rule("op: callback, then: {repeat: always}"), false},
		{"parallel", rule("op: callback, then: {parallel: 2}"), true},
		{"parallel with itself", rule("op: callback, then: {parallel: 1}"), false},
		{"sign", rule("op: callback, then: {sign: wrong}"), true},
		{"sign well", rule("op: callback, then: {sign: well}"), false},
		{"lose a callback", rule("op: callback, then: {lose: callback}"), true},
		{"rows", "rewrite: {register.do: {response: {orderId: keep}}}", true},
		{"rows of nothing", "rewrite: {register.do: {answer: {orderId: keep}}}", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var value any
			if err := yaml.Unmarshal([]byte(test.text), &value); err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			value, err = jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			invalid := schema.Validate(value)
			_, wrong := rules.Parse("x", []byte(test.text), rules.Source{Profiles: builtin(t)})
			if (invalid == nil) != test.right || (wrong == nil) != test.right {
				t.Errorf("want right %v; schema: %v; parser: %v", test.right, invalid, errors.Unwrap(wrong))
			}
		})
	}
}
