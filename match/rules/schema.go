package rules

import (
	"maps"
	"slices"

	"github.com/paytape/paytape/internal/profile"
)

// schemaOf is a JSON Schema, as it is written.
type schemaOf = map[string]any

// schemaText is the text of "$schema" of a schema that editors understand.
const schemaText = "https://json-schema.org/draft/2020-12/schema"

// Schema returns a JSON Schema of rules files, for editors: each key, effect and condition, with a
// word about it, and the operations of profiles. What a file refers to is for Parse to check.
func Schema(set *profile.Set) map[string]any {
	operation := anyOf(
		schemaOf{"enum": operationNames(set)},
		described("what the sandbox says to the shop by itself; of one API PROFILE/callback",
			schemaOf{"const": profile.CallbackOperation}),
		described("a glob such as get*, or PROFILE/OPERATION",
			schemaOf{"type": "string", "pattern": `[*/]`}),
		described("calls of any API", object(schemaOf{
			"method": schemaOf{"type": "string", "pattern": "^[A-Z]+$"},
			"path":   schemaOf{"type": "string", "pattern": "^[/*]"},
		}, "path")),
	)
	return schemaOf{
		"$schema": schemaText, "title": "paytape rules 1", "type": []string{"object", "null"},
		"additionalProperties": false,
		"properties": schemaOf{
			"rules": described("what this run does, in this order",
				schemaOf{"type": "array", "items": ref("rule")}),
			"rewrite": described("what fields are, on top of all profiles: by operation",
				mapOf(object(schemaOf{
					"request": ref("rows"), "response": ref("rows"), "requestHeaders": ref("rows"),
					"responseHeaders": ref("rows"),
				}))),
		},
		"$defs": schemaOf{
			"rule": object(schemaOf{
				"name": described("in the header Paytape-Rules, in logs and reports",
					schemaOf{"type": "string", "pattern": "^[-0-9A-Za-z!#$%&'*+.^_`|~]{1,64}$"}),
				"op": described("the operations that are meant; without it all calls",
					orList(operation)),
				"where":  described("tests on the request: by field", ref("tests")),
				"answer": described("tests on the answer: the rule waits for it", ref("tests")),
				"when":   described("conditions on the count of attempts", orList(ref("condition"))),
				"session": described("the sessions that are meant, as in /~NAME/; a star stands for any "+
					"text; without it all", orList(schemaOf{"type": []string{"string", "number"}})),
				"per": described("what is counted together: entity (as without it), session, deck or "+
					"the value of a field", schemaOf{"type": "string", "minLength": 1}),
				"then": described("what is done",
					orList(anyOf(ref("effects"), schemaOf{"const": "stop"}))),
			}, "name", "then"),
			"tests": described(`"x", "a*", ">= 100", "!= 0", "~ ^4", present, absent, or a list of `+
				"these. Fields are keys of the profile, body:PATH, header:NAME, query:NAME, or "+
				"http-status",
				mapOf(orList(ref("scalar")))),
			"scalar": schemaOf{"type": []string{"string", "number", "boolean"}},
			"duration": described("250ms, 2s, 1m30s",
				schemaOf{"type": "string", "pattern": `^[0-9.]+[a-zµ]`}),
			"rows": described("FIELD: a row of a profile, or keep",
				mapOf(schemaOf{"type": "string"})),
			"condition": anyOf(conditionText(), conditionObject(orList(operation))),
			"values": described("by field: a literal, or with ${request.F}, ${answer.F}, ${mint}, "+
				"${now}, ${now+1h}", mapOf(ref("scalar"))),
			"fields":  orList(schemaOf{"type": "string", "minLength": 1}),
			"effects": effectsSchema(),
		},
	}
}

// conditionText is the schema of a condition in one text: "first 2".
func conditionText() schemaOf {
	words := slices.Sorted(maps.Keys(conditionWords))
	pattern := "^("
	for i, w := range words {
		if i > 0 {
			pattern += "|"
		}
		pattern += w
	}
	return schemaOf{
		"type": "string", "pattern": pattern + `)\b`,
		"examples": []string{"first 2", "nth 3", "every 10", "skip 1", "chance 5%", "for 20s", "asked"},
	}
}

// conditionObject is the schema of conditions by their words.
func conditionObject(operations schemaOf) schemaOf {
	number := schemaOf{"type": []string{"integer", "string"}, "minimum": 1}
	return object(schemaOf{
		string(first): described("attempts 1 to N", number),
		string(nth):   described("attempts of these numbers", orList(number)),
		string(every): described("attempts N, 2N, ...", number),
		string(skip):  described("attempts from N+1 on", number),
		string(chance): described("so many of a hundred attempts; --seed decides which",
			schemaOf{"type": "string", "pattern": "^[0-9.]+%$"}),
		string(seen):   described("one of these calls came before", operations),
		string(unseen): described("none of these calls came before", operations),
		string(during): described("so long since the first attempt", ref("duration")),
		string(asked):  described("the request names the rule, or it was armed", schemaOf{"const": true}),
	})
}

func effectsSchema() schemaOf {
	status := schemaOf{"type": []string{"integer", "string"}, "minimum": 200, "maximum": 599}
	text := schemaOf{"type": "string", "minLength": 1}
	return object(schemaOf{
		"set":    described("fields of the answer, or of a callback", ref("values")),
		"delete": described("fields of the answer, or of a callback", ref("fields")),
		"request": described("what the mode gets of the request",
			object(schemaOf{"set": ref("values"), "delete": ref("fields")})),
		"status": described("of the answer", status),
		"answer": described("a whole answer in place of the mode's", object(schemaOf{
			"status": status, "headers": mapOf(orList(ref("scalar"))),
			"body": schemaOf{"type": []string{"string", "number", "boolean", "null"}},
			"file": described("the body lies in this file, beside the rules file or below", text),
		})),
		"redirect": described("the client is sent elsewhere",
			anyOf(text, object(schemaOf{"to": text, "status": status}, "to"))),
		"delay": described("before the answer", anyOf(ref("duration"),
			object(schemaOf{"p50": ref("duration"), "p99": ref("duration")}, "p50", "p99"))),
		"drip": described("the body comes over this time", ref("duration")),
		"fail": described("the answer does not arrive as it should", anyOf(
			schemaOf{"enum": []Failure{Reset, Empty, Cut, Garbage, Timeout}},
			object(schemaOf{
				"cut": schemaOf{"type": []string{"integer", "string"}, "minimum": 0},
			}, "cut"))),
		"lose": described("request: it never arrived, nothing changes; answer: it was done, nobody "+
			"is told; callback: the shop never hears of it",
			schemaOf{"enum": []Loss{LoseRequest, LoseAnswer, LoseCallback}}),
		"send": described("when a callback goes out: now, before-answer (of the answer that brings it), "+
			"after OPERATION (about the same order), or so much later",
			schemaOf{"type": "string", "pattern": `^(now|before-answer|after .+|\+[0-9.]+[a-zµ].*)$`}),
		"repeat": described("how often a callback is sent again that the shop has taken: 2 every 1s",
			anyOf(schemaOf{"type": "integer", "minimum": 1, "maximum": mostRepeats},
				schemaOf{"type": "string", "pattern": "^[0-9]+( every .+)?$"})),
		"parallel": described("how many copies of a callback go out at once", anyOf(
			schemaOf{"type": "integer", "minimum": 2, "maximum": mostParallel},
			schemaOf{"type": "string", "pattern": "^[0-9]+$"})),
		"sign": described("how a callback is signed: with a wrong signature, or with none",
			schemaOf{"enum": []Signing{SignedWrong, Unsigned}}),
		"decline": described("with a code of the profile: a recorded decline, else one from its table",
			schemaOf{"type": []string{"string", "integer"}}),
		"take": described(`which recorded branch: "#12", "NAME#12" or tests on its answer`,
			anyOf(schemaOf{"type": "string", "pattern": "#[0-9]+$"}, ref("tests"))),
		"stop": described("rules behind this one are not looked at", schemaOf{"const": true}),
	})
}

// operationNames returns the names of all operations, each once.
func operationNames(set *profile.Set) []string {
	names := map[string]bool{"*": true}
	for _, p := range set.Profiles() {
		for _, o := range p.Operations {
			names[o.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func ref(name string) schemaOf { return schemaOf{"$ref": "#/$defs/" + name} }

func anyOf(schemas ...schemaOf) schemaOf { return schemaOf{"anyOf": schemas} }

// orList is the schema of one thing, or of a list of several.
func orList(one schemaOf) schemaOf {
	return anyOf(one, schemaOf{"type": "array", "items": one, "minItems": 1})
}

func mapOf(values schemaOf) schemaOf {
	return schemaOf{"type": "object", "additionalProperties": values}
}

// object is the schema of a mapping with these keys alone.
func object(properties schemaOf, required ...string) schemaOf {
	s := schemaOf{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// described adds a word about what a schema is of.
func described(text string, s schemaOf) schemaOf {
	s = maps.Clone(s)
	s["description"] = text
	return s
}
