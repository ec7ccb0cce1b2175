package profile

import (
	"maps"
	"strings"
)

// schemaOf is a JSON Schema, as it is written.
type schemaOf = map[string]any

// schemaText is the text of "$schema" of a schema that editors understand.
const schemaText = "https://json-schema.org/draft/2020-12/schema"

// Schema returns a JSON Schema of profiles, for editors: each key with a word about it. It tells
// form alone: what refers to other parts of a file, such as the entities of an operation, is for
// Parse to check. In a profile that extends another, any key may have the word "remove".
func Schema() map[string]any {
	operation := ref("operation")
	s := closedObject(schemaOf{
		extendsKey: described("a profile of ours, or a file (./bank.yaml), on top of which this one lies", textOf()),
		"profile":  described("its name, as in --upstream NAME=URL", word()),
		"title":    described("a line for people", textOf()),
		"document": described("where the API is described: a number, or a text that stands before each doc",
			schemaOf{"type": []string{"string", "integer"}}),
		"paths": described("prefixes of its paths: with several upstreams they choose one",
			listOfAll(schemaOf{"type": "string", "pattern": "^/(.*/)?$"})),
		"lists": described("keys of arrays of {name, value}: a value there goes by its name", listOfAll(textOf())),
		"maxText": described("the longest text of a request, in characters, where its row has no max",
			schemaOf{"type": []string{"integer", "string"}, "minimum": 1}),
		"unsaid": described("what holds where the profile says nothing: exact, or inferred as for an API "+
			"without a profile", schemaOf{"enum": []string{unsaidExact, unsaidInferred}}),
		"denied": described("how an answer looks that refuses the credentials: one is enough",
			listOfAll(condition(false))),
		"failed":     described("how the answer of a call looks that has failed: one is enough", ref("conditions")),
		"entities":   described("what requests act on, by name", mapOf(ref("entity"))),
		"declines":   described("how a declined payment looks", ref("declines")),
		"sets":       described("named groups of rows; a set may include those above it", mapOf(ref("rows"))),
		"common":     described("rows for all operations", closedObject(rowHalves())),
		"operations": described("by name", mapOf(operation)),
		"callbacks":  described("how the shop is called back", ref("callbacks")),
		"outcome":    described("what answers came to, in words for people", ref("outcome")),
	})
	s["$schema"], s["title"] = schemaText, "paytape profile"
	s["if"] = schemaOf{"required": []string{extendsKey}}
	s["else"] = schemaOf{
		"required": []string{"profile"},
		"properties": schemaOf{"operations": schemaOf{"additionalProperties": schemaOf{
			"required": []string{"methods", "path", "carrier"},
		}}},
	}
	s["$defs"] = schemaOf{
		"rows": described("FIELD: a row; include: sets", schemaOf{
			"type": "object", "properties": schemaOf{
				"include": described("sets whose rows hold here too; or the row of a field of that name",
					anyOf(listOfAll(word()), ref("row"))),
			},
			"additionalProperties": ref("row"),
		}),
		"row": described("PROVENANCE[ like PATTERN][, SENSITIVITY][, address][, decides][, born|done][, deadline]"+
			"[, signs][, as SHAPE][, max N]", schemaOf{"type": "string", "pattern": rowPattern()}),
		"scalar":     schemaOf{"type": []string{"string", "number", "boolean"}},
		"status":     schemaOf{"type": []string{"integer", "string"}, "minimum": 100, "maximum": 599},
		"condition":  condition(true),
		"conditions": listOfAll(ref("condition")),
		"texts":      orList(textOf()),
		"entity":     entitySchema(),
		"operation":  operationSchema(),
		"declines":   declinesSchema(),
		"callbacks":  callbacksSchema(),
		"outcome":    outcomeSchema(),
		"says":       saysSchema(),
	}
	return s
}

// rowPattern is what a row begins with.
func rowPattern() string {
	const noun = " +[a-z0-9-]+"
	begins := []string{removeWord}
	for _, c := range clauses {
		words := strings.ReplaceAll(c.words, " ", " +")
		switch c.of {
		case aNoun:
			words += noun
		case maybeNoun:
			words += "(" + noun + ")?"
		case aForm:
			words += " +(" + strings.Join(formWords[1:Mask], "|") + ")"
		}
		begins = append(begins, words)
	}
	return "^ *(" + strings.Join(begins, "|") + ")( +like .+)? *(,.*)?$"
}

// rowHalves are the four kinds of rows.
func rowHalves() schemaOf {
	all := schemaOf{}
	for _, half := range halves {
		all[half] = ref("rows")
	}
	return all
}

// condition is one of answers: of "denied", and of "failed", which may say more.
func condition(failed bool) schemaOf {
	keys := schemaOf{
		"status": described("the status of the answer", ref("status")),
		"key":    described("the first leaf of the body that has this key", textOf()),
		"value":  described("the text at the key", ref("scalar")),
	}
	if failed {
		keys["status"] = described("the status of the answer; 400+ is 400 and more", anyOf(ref("status"),
			schemaOf{"type": "string", "pattern": `^[1-5][0-9][0-9]\+$`}))
		keys["not"] = described("the key has another text", ref("scalar"))
		keys["present"] = described("the key is there, whatever its text", schemaOf{"enum": []any{true, "true"}})
	}
	return closedObject(keys)
}

func entitySchema() schemaOf {
	return closedObject(schemaOf{
		"names":   described("the nouns of rows by which requests and answers name the entity", listOfAll(word())),
		"of":      described("the entities whose part or member it is", ref("texts")),
		"brought": described("operations that bring the entity without showing it", ref("texts")),
		"key":     described("nouns or fields: two births that agree in all of them are one entity", ref("texts")),
		"several": described("values of fields of the key with which there may be several all the same",
			mapOf(orList(ref("scalar")))),
		"told": described("what requests tell of fields of the key, before a list shows them: the first that fits",
			mapOf(listOfAll(schemaOf{"type": "object", "required": []string{"value"}, "additionalProperties": false,
				"properties": schemaOf{
					"value": described("what the field has then", ref("scalar")),
					"by": described("by field the values, or present; without it whatever else the request says",
						variants()),
				}}))),
		"state": described("the key of the field by which answers of several operations tell its state", textOf()),
		"scope": described("true for what has members and no parts", ref("scalar")),
	})
}

func variants() schemaOf { return mapOf(orList(ref("scalar"))) }

func operationSchema() schemaOf {
	keys := schemaOf{
		"methods": described("in capitals", schemaOf{"type": "array", "minItems": 1,
			"items": schemaOf{"type": "string", "pattern": "^[A-Z]+$"}}),
		"path": described(`such as "/v2/cards/{id}"`, schemaOf{"type": "string", "pattern": "^/"}),
		"carrier": described("how parameters travel", schemaOf{"enum": []Carrier{
			CarrierForm, CarrierJSON, CarrierXML, CarrierQuery, CarrierNone}}),
		"writes":   described("true if it changes anything; unsaid, its method and its name tell", ref("scalar")),
		"opens":    described("the noun of the thread that it starts", word()),
		"uses":     described("entities that a call names and does not change", ref("texts")),
		"reads":    described("variants that only look: by field the values, or present", variants()),
		"failed":   described("in place of the profile's", ref("conditions")),
		"list":     described("where the answer lists members", listSchema()),
		"document": described("in place of the profile's", schemaOf{"type": []string{"string", "integer"}}),
		"doc":      described("where it is described", schemaOf{"type": []string{"string", "number"}}),
	}
	maps.Copy(keys, rowHalves())
	return closedObject(keys)
}

func listSchema() schemaOf {
	return closedObject(schemaOf{
		"items":     described("the shape of the array in the answer", ref("texts")),
		"noun":      described("which names the entity of an item", word()),
		"of":        described("the entity whose members they are; without it those of the whole session", word()),
		"total":     described("the field that counts the items", textOf()),
		"page":      described("the field that numbers the page", textOf()),
		"size":      described("the field that bounds the page", textOf()),
		"from":      described("the field where a period begins", textOf()),
		"to":        described("the field where a period ends", textOf()),
		"date":      described("the field of an item that the period is about", textOf()),
		"backwards": described("if the API refuses a period that ends before it begins", schemaOf{"const": Refused}),
		"filters":   described("fields that choose by state or kind", ref("texts")),
		"order":     described("which member is first", schemaOf{"enum": []Order{OldestFirst, LatestFirst}}),
		"empty":     described("what is in place of the array if there is none, as JSON", textOf()),
	})
}

func declinesSchema() schemaOf {
	set := mapOf(ref("scalar"))
	return closedObject(schemaOf{
		"field": described("that tells the code", textOf()),
		"codes": described("the text of each code", mapOf(textOf())),
		"answers": described("the calls that can be declined", mapOf(closedObject(schemaOf{
			"set":  described("what their answers show", set),
			"body": described("the whole answer, for where no tape gives one", textOf()),
		}))),
		"later": described("what later answers about the same thing show",
			mapOf(closedObject(schemaOf{"set": set}))),
	})
}

func callbacksSchema() schemaOf {
	count := schemaOf{"type": []string{"integer", "string"}, "minimum": 1, "maximum": 100}
	return closedObject(schemaOf{
		"address":  described("fields in which a client says where it is to be called", ref("texts")),
		"event":    described("the field of a callback that tells what has happened", textOf()),
		"causes":   described("by what a callback tells, the operations that may cause it", mapOf(ref("texts"))),
		"accepted": described("the status with which the shop takes a callback", ref("status")),
		"attempts": described("how often a callback is sent until the shop has taken it", count),
		"pause":    described("the time between two attempts", schemaOf{"type": "string", "pattern": "^[0-9.]+[a-zµ]"}),
		"sign": described("how it is signed", closedObject(schemaOf{
			"algorithm": schemaOf{"enum": []string{HMACSHA256, HMACSHA512, RSASHA256, RSASHA512}},
			"key":       described("how a symmetric key is written", schemaOf{"enum": []string{KeyText, KeyBase64}}),
			"over":      described("what is signed", textOf()),
			"parameter": described("what ${parameters} has of each", textOf()),
			"without":   described("parameters that do not count", ref("texts")),
			"encoding":  schemaOf{"enum": []string{SignatureHex, SignatureUpperHex, SignatureBase64}},
			"field":     described("the parameter in which the signature stands", textOf()),
			"header":    described("the header in which the signature stands", textOf()),
			"text":      described("as what the signature stands there", textOf()),
			"timestamp": described("a header with the time of sending", textOf()),
		})),
		"doc":            schemaOf{"type": []string{"string", "number"}},
		"request":        ref("rows"),
		"requestHeaders": ref("rows"),
	})
}

func outcomeSchema() schemaOf {
	rows := orList(ref("says"))
	actor := schemaOf{"enum": Actors}
	return closedObject(schemaOf{
		"who":      described("nouns by which people call what an exchange is about", ref("texts")),
		"amounts":  described("fields of sums, each with the field of its currency", mapOf(textOf())),
		"amount":   described("the amount of an exchange is the first of these that there is", ref("texts")),
		"currency": described("of an amount whose field of a currency is missing", ref("scalar")),
		"codes":    described("words by code, or words with a tone; include: declines", mapOf(mapOf(tonedSchema()))),
		"show":     described("fields whose codes stand behind the words", ref("texts")),
		"failed":   described("rows for answers that say that the call has failed", rows),
		"words":    described("rows for all other answers", rows),
		"operations": described("by name, with callback", mapOf(closedObject(schemaOf{
			"short": described("a name of 9 letters at most", word()),
			"from":  actor, "to": actor, "failed": rows, "words": rows,
		}))),
	})
}

// tonedSchema are the words of a code.
func tonedSchema() schemaOf {
	return anyOf(ref("scalar"), closedObject(schemaOf{
		string(Good): textOf(), string(Bad): textOf(), string(Waits): textOf(),
	}))
}

// saysSchema is a row of an outcome.
func saysSchema() schemaOf {
	conditions := orList(ref("condition"))
	return anyOf(textOf(), closedObject(schemaOf{
		"when":  described("conditions of the answer: all hold", conditions),
		"asked": described("conditions of the request", conditions),
		"say":   textOf(), string(Good): textOf(), string(Bad): textOf(), string(Waits): textOf(),
		"amount": described("fields in place of those of the section, or [] where no money is moved",
			anyOf(ref("texts"), schemaOf{"type": "array", "maxItems": 0})),
		"show": ref("texts"),
		"of":   described("the arrays that are counted, where the operation has no list", ref("texts")),
	}))
}

func ref(name string) schemaOf { return schemaOf{"$ref": "#/$defs/" + name} }

func anyOf(all ...schemaOf) schemaOf { return schemaOf{"anyOf": all} }

func textOf() schemaOf { return schemaOf{"type": "string", "minLength": 1} }

// word is a name of small letters, digits and dashes.
func word() schemaOf { return schemaOf{"type": "string", "pattern": "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"} }

func listOfAll(item schemaOf) schemaOf { return schemaOf{"type": "array", "items": item} }

// orList is one item, or a list of some.
func orList(item schemaOf) schemaOf {
	return anyOf(item, schemaOf{"type": "array", "minItems": 1, "items": item})
}

// orRemoved is a value that a profile may take out of what it extends.
func orRemoved(s schemaOf) schemaOf { return anyOf(s, schemaOf{"const": removeWord}) }

// mapOf is a mapping of any names.
func mapOf(value schemaOf) schemaOf {
	return schemaOf{"type": "object", "additionalProperties": orRemoved(value)}
}

// closedObject is a mapping of these keys and no others.
func closedObject(properties schemaOf) schemaOf {
	all := schemaOf{}
	for key, value := range properties {
		all[key] = orRemoved(value.(schemaOf))
	}
	return schemaOf{"type": "object", "additionalProperties": false, "properties": all}
}

// described adds a word about what a schema is of.
func described(text string, s schemaOf) schemaOf {
	s = maps.Clone(s)
	s["description"] = text
	return s
}
