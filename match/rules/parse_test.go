package rules_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match/rules"
)

// parse reads a file whose answers may lie in a file that holds content.
func parse(t testing.TB, file, content string) (*rules.File, error) {
	t.Helper()
	return rules.Parse("f.yaml", []byte(file), rules.Source{
		Profiles: builtin(t),
		Open: func(name string) ([]byte, error) {
			if name == "none" {
				return nil, fs.ErrNotExist
			}
			return []byte(content), nil
		},
	})
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	// A rule stands in one line, so that columns can be counted.
	rule := func(text string) string { return "rules:\n- {name: x, " + text + "}" }
	const in = "f.yaml:2:"
	for _, test := range []struct{ file, want string }{
		{"# paytape rules 2\nrules: []", `f.yaml:1:1: expected "# paytape rules 1", found another version`},
		{"- a", `f.yaml:1:1: expected a mapping with rules or rewrite, found a list`},
		{"rule: []", `f.yaml:1:1: unknown key "rule": did you mean "rules"?`},
		{"zzzzzzzz: []", `f.yaml:1:1: unknown key "zzzzzzzz": known are rewrite, rules`},
		{"rules: {}", `f.yaml:1:8: expected a list of rules, found a mapping`},
		{"rules: [a]", `f.yaml:1:9: expected a rule, found "a"`},
		{"rules: [\n", `expected YAML: `},
		{"rules:\n- {name: x\n", `f.yaml:2:1: expected YAML: did not find expected ',' or '}'`},
		{"rules:\n- name: x\n  then: [stop\n", `f.yaml:3:1: expected YAML: did not find expected ',' or ']'`},
		{"rules:\n- name: x\n- name: y\n  - z\n  then: stop\n", `f.yaml:3:1: expected YAML: did not find expected key`},
		{"rules:\n- name: x\n   op: register.do\n", `f.yaml:3:1: expected YAML: mapping values`},
		{"rules:\n- name: \"x\n  op: register.do\n", `f.yaml:2:1: expected YAML: found unexpected end of stream`},
		{"rules: []\n---\nrules: []", `f.yaml:2:1: expected one document, found a second`},
		{"rules: []\nrules: []", `f.yaml:2:1: expected each name once, found "rules" again after line 1`},
		{"rules: [{then: stop}]", `f.yaml:1:9: expected a name`},
		{"rules: [{name: x}]", `f.yaml:1:9: expected the key "then", found none`},
		{"rules: [{name: a b, then: stop}]", `f.yaml:1:16: expected a name of letters, digits`},
		{"rules:\n- {name: x, then: stop}\n- {name: x, then: stop}",
			`f.yaml:3:3: expected each name once, found "x" again after line 2`},
		{"rules:\n- &a {name: x, then: stop}\n- *a", `f.yaml:3:3: expected no alias: write out what it stands for`},

		{rule(`opp: x, then: stop`), in + `13: unknown key "opp": did you mean "op"?`},
		{rule(`op: registre.do, then: stop`), in + `17: unknown operation "registre.do": did you mean "register.do"?`},
		{rule(`op: gateway/registre.do, then: stop`), in + `17: unknown operation "registre.do": did you mean "register.do"?`},
		{rule(`op: cardv2/register.do, then: stop`), in + `17: unknown operation "register.do": known are GET /cardholders/{id}`},
		{rule(`op: zzzzzzzzzzzzz*, then: stop`), in + `17: unknown operation "zzzzzzzzzzzzz*"`},
		{rule(`op: [], then: stop`), in + `17: expected operations, found an empty list`},
		{rule(`op: {method: post, path: /x}, then: stop`), in + `26: expected a method in capitals, found "post"`},
		{rule(`op: {method: POST}, then: stop`), in + `17: expected a path beside the method`},
		{rule(`op: {path: x}, then: stop`), in + `24: expected a path that begins with "/", found "x"`},
		{rule(`op: [callback, register.do], then: stop`), in + `17: expected calls or callbacks, found both`},
		{rule(`op: cardv1/callback, then: stop`), in + `17: expected an API that calls back: the profile "cardv1" tells of no`},
		{rule(`session: [], then: stop`), in + `22: expected sessions, found an empty list`},

		{rule(`op: register.do, where: {amuont: 5}, then: stop`), in + `38: unknown field "amuont": did you mean "amount"?`},
		{rule(`op: register.do, where: {amount: [{}]}, then: stop`), in + `47: expected a text, a number, or a test such as ">= 100", found a mapping`},
		{rule(`op: register.do, where: {amount: []}, then: stop`), in + `46: expected tests, found an empty list`},
		{rule(`op: register.do, where: {amount: "> much"}, then: stop`), in + `46: expected a number after ">", found "much"`},
		{rule(`op: register.do, where: {amount: "~ (["}, then: stop`), in + `46: expected a regular expression: missing closing ]: "["`},
		{rule(`where: {http-status: 200}, then: stop`), in + `21: expected a field of the request: it has no status`},
		{rule(`where: {"body:": 200}, then: stop`), in + `21: expected a field, or one behind body:, header: or query:, found "body:"`},
		{rule(`where: {"header:a b": 200}, then: stop`), in + `21: expected the name of a header`},
		{rule(`where: [a], then: stop`), in + `20: expected fields and tests, found a list`},
		{rule(`op: register.do, answer: {fromUrl: a}, then: {status: 500}`), in + `39: unknown field "fromUrl": did you mean "formUrl"?`},

		{rule(`when: firsst 2, then: stop`), in + `19: unknown condition "firsst": did you mean "first"?`},
		{rule(`when: first, then: stop`), in + `19: expected a number after first, found nothing`},
		{rule(`when: first 0, then: stop`), in + `19: expected a number from 1 on, found "0"`},
		{rule(`when: {nth: []}, then: stop`), in + `25: expected numbers after nth, found an empty list`},
		{rule(`when: chance 5, then: stop`), in + `19: expected a chance such as 5%, found "5"`},
		{rule(`when: chance 101%, then: stop`), in + `19: expected a chance such as 5%, found "101%"`},
		{rule(`when: chance NaN%, then: stop`), in + `19: expected a chance such as 5%, found "NaN%"`},
		{rule(`when: for soon, then: stop`), in + `19: expected a time such as 250ms or 20s`},
		{rule(`when: for 2h, then: stop`), in + `19: expected a time such as 250ms or 20s, an hour at most`},
		{rule(`when: seen registre.do, then: stop`), in + `19: unknown operation "registre.do"`},
		{rule(`when: asked twice, then: stop`), in + `19: expected nothing after "asked", found "twice"`},
		{rule(`when: [first 2, first 3], then: stop`), in + `19: expected each condition once, found "first" twice`},
		{rule(`when: [first 2, nth 3], then: stop`), in + `19: expected conditions that hold together, found "first 2" and "nth 3"`},
		{rule(`when: [first 2, every 3], then: stop`), in + `19: expected conditions that hold together, found "first 2" and "every 3"`},
		{rule(`when: {nth: [1, 3], every: 2}, then: stop`), in + `19: expected conditions that hold together, found "nth 1, 3" and "every 2"`},
		{rule(`when: [seen register.do, unseen register.do], then: stop`), in + `19: expected conditions that hold together`},
		{rule(`when: seen register.do, per: language, then: stop`), in + `19: expected seen per entity, session or deck`},
		{rule(`per: http-status, then: stop`), in + `18: expected a field of the request: it has no status`},
		{rule(`op: register.do, per: amuont, then: stop`), in + `35: unknown field "amuont": did you mean "amount"?`},

		{rule(`then: {}`), in + `19: expected an effect, found none`},
		{rule(`then: {sett: {a: 1}}`), in + `20: unknown key "sett": did you mean "set"?`},
		{rule(`then: {status: 99}`), in + `28: expected a status from 200 to 599, found "99"`},
		{rule(`then: [{status: 500}, {status: 501}]`), in + `36: expected each effect once, found "status" again`},
		{rule(`then: {set: {http-status: 500}}`), in + `26: expected a field, found "http-status": write the effect status`},
		{rule(`then: {delete: http-status}`), in + `28: expected a field, found "http-status"`},
		{rule(`then: {delete: []}`), in + `28: expected fields, found an empty list`},
		{rule(`then: {set: {a: [1]}}`), in + `29: expected a text or a number, found a list`},
		{rule(`then: {set: {a: "${now+soon}"}}`), in + `29: expected ${request.FIELD}, ${answer.FIELD}, ${mint}, ${now} or ${now+1h}, found "${now+soon}"`},
		{rule(`then: {set: {a: "${now"}}`), in + `29: expected a closing brace after "${now"`},
		{rule(`then: {set: {a: "${request.b ${mint}"}}`), in + `29: expected ${request.FIELD}`},
		{rule(`then: {set: {"header:content-length": 1}}`), in + `26: expected another header: Content-Length is computed`},
		{rule(`then: {answer: {headers: {connection: x}}}`), in + `39: expected another header: Connection is computed`},
		{rule(`op: register.do, then: {set: {a: "${request.amuont}"}}`), in + `46: unknown field "amuont": did you mean "amount"?`},
		{rule(`op: register.do, then: {set: {fromUrl: 1}}`), in + `43: unknown field "fromUrl": did you mean "formUrl"?`},
		{rule(`op: register.do, then: {delete: fromUrl}`), in + `45: unknown field "fromUrl"`},
		{rule(`then: {request: {set: {a: "${answer.b}"}}}`), in + `39: expected no reference to the answer: there is none yet`},
		{rule(`then: {answer: {body: "${answer.b}"}}`), in + `35: expected no reference to the answer: there is none yet`},
		{rule(`then: {set: {a: "${request.http-status}"}}`), in + `29: expected a field of the request: it has no status`},
		{rule(`then: {answer: {body: {a: 1}}}`), in + `35: expected a text: JSON is written in quotes or behind |, found a mapping`},
		{rule(`then: {answer: {body: a, file: b}}`), in + `44: expected a body or a file, found both`},
		{rule(`then: {answer: {file: none}}`), in + `35: reading the body: file does not exist`},
		{rule(`then: {answer: {headers: {a: "b\nc"}}}`), in + `42: expected a text of one line`},
		{rule(`then: {answer: {headers: {a b: c}}}`), in + `39: expected the name of a header, found "a b"`},
		{rule(`then: {redirect: {status: 302}}`), in + `30: expected the key "to", found none`},
		{rule(`then: {redirect: {to: /x, status: 200}}`), in + `30: expected a status from 300 to 399, found 200`},
		{rule(`then: {delay: fast}`), in + `27: expected a time such as 250ms or 20s`},
		{rule(`then: {delay: {p50: 2s, p99: 1s}}`), in + `27: expected p50, and a p99 that is not less`},
		{rule(`then: {fail: rest}`), in + `26: unknown failure "rest": did you mean "reset"?`},
		{rule(`then: {fail: {cut: -1}}`), in + `32: expected a number from 1 on, found "-1"`},
		{rule(`then: {lose: money}`), in + `26: expected request or answer, found "money"`},
		{rule(`then: {stop: false}`), in + `26: expected true, found "false"`},
		{rule(`then: {take: 12}`), in + `26: expected the number of an exchange such as "#12", or tests, found "12"`},
		{rule(`then: {take: "#x"}`), in + `26: expected a number from 1 on, found "x"`},
		{rule(`op: paymentorder.do, then: {decline: "117"}`), in + `50: unknown code "117": did you mean "111"?`},
		{rule(`op: register.do, then: {decline: "116"}`), in + `46: expected an operation that can be declined`},

		{rule(`then: {answer: {}, redirect: /x}`), in + `19: expected answer or redirect, found both`},
		{rule(`then: {answer: {}, lose: request}`), in + `19: expected an answer or lose: request, found both`},
		{rule(`then: {answer: {}, status: 500}`), in + `19: expected a status in the answer or beside it`},
		{rule(`then: {answer: {body: a}, fail: reset}`), in + `19: expected no change of an answer that nobody sees`},
		{rule(`then: {set: {a: 1}, fail: timeout}`), in + `19: expected no change of an answer that nobody sees`},
		{rule(`then: {set: {a: 1}, lose: answer}`), in + `19: expected no change of an answer that nobody sees`},
		{rule(`then: {take: "#1", answer: {}}`), in + `19: expected no answer beside an effect on the way to it`},
		{rule(`op: [getBindings.do, getLastOrdersForMerchants.do], then: {take: "#1"}`), in + `78: expected an operation of which replay takes a recording: getBindings.do is a list, which is put together of what there is`},
		{rule(`op: paymentorder.do, then: {take: "#1", decline: "116"}`), in + `40: expected take or decline, found both`},
		{rule(`answer: {a: 1}, then: {request: {delete: b}}`), in + `35: expected no effect on the request or the choice: the rule waits for the answer`},
		{rule(`answer: {a: 1}, then: {lose: request}`), in + `35: expected no effect on the request or the choice`},

		{"rewrite:\n  registre.do: {}", `f.yaml:2:3: unknown operation "registre.do": did you mean "register.do"?`},
		{"rewrite:\n  register.do: {requests: {}}", `f.yaml:2:17: unknown key "requests": did you mean "request"?`},
		{"rewrite:\n  register.do: {request: {a: fresh}}", `f.yaml:2:30: expected `},
		{"rewrite:\n  register.do: {request: {a: }}", `f.yaml:2:30: expected a row such as "minted rrn", or keep, found nothing`},
	} {
		_, err := parse(t, test.file, "")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\n got %v\nwant %s", test.file, err, test.want)
		}
	}
}

// Mistakes are told in the order of the file, whatever is read first.
func TestMistakesAreInOrder(t *testing.T) {
	t.Parallel()
	_, err := parse(t, "rules:\n- {name: x, then: {statuss: 1}, when: never}\nrewrite:\n  no.do: {}\n", "")
	var lines []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		at, _, _ := strings.Cut(line, ": ")
		lines = append(lines, at)
	}
	want := []string{"f.yaml:2:19", "f.yaml:2:20", "f.yaml:2:39", "f.yaml:4:3"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s\n%v", diff, err)
	}
	var one *rules.Error
	if !errors.As(err, &one) || one.Line != 2 {
		t.Errorf("no *Error: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		`rules: [{name: x, op: register.do, where: {shopwareModule: 1}, then: stop}]`: `f.yaml:1:44: no document has a field "shopwareModule" of these operations`,
		`rules: [{name: x, where: {amuont: 1}, then: stop}]`:                          `f.yaml:1:27: no document has a field "amuont": did you mean "amount"?`,
		`rules: [{name: x, op: register.do, then: {delete: zip}}]`:                    `f.yaml:1:51: no document has a field "zip": did you mean "ip"?`,
		`rules: [{name: x, where: {shopwareModule: 1}, then: stop}]`:                  "",
		`rules: [{name: x, op: {path: /x}, where: {amuont: 1}, then: stop}]`:          "",
		`rules: [{name: x, op: register.do, where: {AMOUNT: 1}, then: stop}]`:         "",
		`rules: [{name: x, op: register.do, where: {"body:amuont": 1}, then: stop}]`:  "",
		`rules: [{name: x, op: register.do, where: {amuont: 1}, then: stop}]` +
			"\nrewrite: {register.do: {request: {amuont: exact}}}": "",
	} {
		f, err := parse(t, file, "")
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got := ""
		for _, w := range f.Warnings {
			got += w.Error()
		}
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", file, got, want)
		}
	}
}

// inDigitsFrom writes digits in those of another script, of which zero is one.
func inDigitsFrom(zero rune, digits string) string {
	return strings.Map(func(c rune) rune { return zero + c - '0' }, digits)
}

// What a rules file must not hold, where it may stand. No mistake repeats it.
func TestSecretsAreRefused(t *testing.T) {
	t.Parallel()
	b64 := base64.StdEncoding.EncodeToString([]byte("card " + visa))
	packed := base64.RawURLEncoding.EncodeToString([]byte(`{"acctNumber":"` + visa + `","x":1}`))
	for _, file := range []string{
		visa + ": 1",
		"# " + visaParts + "\nrules: []",
		"rules: [] # " + visa,
		"rules: [{name: x, then: {set: {'" + visa + "': 1}}}]",
		"rules: [{name: x, where: {a: '" + visaParts + "'}, then: stop}]",
		"rules: [{name: x, where: {a: '1 " + visa + "'}, then: stop}]",
		"rules: [{name: x, where: {a: 4000_" + "0000_0000_9995}, then: stop}]",
		"rules: [{name: x, where: {a: '~ ^" + visa + "$'}, then: stop}]",
		"rules: [{name: x, where: {a: '~ 4000\\s00" + "000000 9995'}, then: {set: {b: '" + strings.ReplaceAll(visa, "0", "%30") + "'}}}]",
		"rules: [{name: x, then: {set: {a: " + b64 + "}}}]",
		"rules: [{name: x, then: {set: {a: " + hex.EncodeToString([]byte(visa)) + "}}}]",
		`rules: [{name: x, then: {set: {a: "\u0034` + visa[1:] + `"}}}]`,
		`rules: [{name: x, then: {set: {a: '\u0034` + visa[1:] + `'}}}]`,
		"rules: [{name: x, then: {answer: {body: '{\"a\":\"" + visa + "\"}'}}}]",
		"rules: [{name: x, then: {answer: {body: '{\"a\":\"" + packed + "\"}'}}}]",
		"rules: [{name: " + visa + ", then: stop}]",
		"rules: [&a" + visa + " {name: x, then: stop}]",
		"rules: [{name: x, op: " + visa + ", then: stop}]",
		"rewrite: {register.do: {request: {a: " + visa + "}}}",
		"rules: [{name: x, then: {set: {a: '" + inDigitsFrom('٠', visa) + "'}}}]",     // Arabic
		"rules: [{name: x, then: {set: {a: '" + inDigitsFrom(0x1D7E2, visa) + "'}}}]", // of mathematics

		// Not the sum of Luhn, but a whole number where a card number stands.
		"rules: [{name: x, where: {pan: 4000" + "000000009996}, then: stop}]",
		"rules: [{name: x, then: {request: {set: {$PAN: 4000" + "000000009996}}}}]",

		"rules: [{name: x, where: {$CVC: hunter2}, then: stop}]",
		"rules: [{name: x, where: {$CVC: '~ hunter2('}, then: stop}]",
		"rules: [{name: x, where: {$CVC: '> hunter2'}, then: stop}]",
		"rules: [{name: x, where: {password: [present, hunter2]}, then: stop}]",
		"rules: [{name: x, where: {'body:a.password': hunter2}, then: stop}]",
		"rules: [{name: x, where: {a.password: hunter2}, then: stop}]",
		"rules: [{name: x, where: {'query:password': hunter2}, then: stop}]",
		"rules: [{name: x, where: {'header:authorization': hunter2*}, then: stop}]",
		"rules: [{name: x, op: blockCard, where: {cardIdentification.cvv2: hunter2}, then: stop}]",
		"rules: [{name: x, op: GET /cards/*, answer: {cvc: hunter2}, then: stop}]",
		"rules: [{name: x, then: {take: {cvc: hunter2}}}]",
		"rules: [{name: x, then: {set: {password: hunter2}}}]",
		"rules: [{name: x, then: {set: {password: '${hunter2'}}}]",
		"rules: [{name: x, then: {request: {set: {'header:X-API-KEY': hunter2}}}}]",
		"rules: [{name: x, then: {answer: {headers: {set-cookie: hunter2}}}}]",
		`rules: [{name: x, then: {answer: {body: '{"amount":${request.amount},"cvc":"hunter2"}'}}}]`,
		`rules: [{name: x, then: {answer: {body: '{"a":[{"name":"password","value":"hunter2"}]}'}}}]`,
		"rules: [{name: x, then: {answer: {body: '<a><cvc>hunter2</cvc></a>'}}}]",
		"rules: [{name: x, then: {answer: {file: secret.json}}}]",
		"rules: [{name: x, then: {set: {password: *hunter2}}}]",
	} {
		_, err := parse(t, file, `{"password":"hunter2"}`)
		if err == nil {
			t.Errorf("read: %s", file)
			continue
		}
		for _, secret := range []string{visa, visaParts, "hunter2", b64, packed, "9995", "9996"} {
			if strings.Contains(strings.ReplaceAll(err.Error(), "400000*9995", ""), secret) {
				t.Errorf("%s\nrepeats it: %v", file, err)
			}
		}
	}
}

// What looks like a secret and is none.
func TestWhatIsNoSecret(t *testing.T) {
	t.Parallel()
	for _, then := range []string{
		`where: {pan: "400000*9995", $CVC: [present, absent, "*", "***", ""]}, then: stop`,
		`where: {password: ["!= ", "~ ."]}, then: stop`,
		`where: {a: [1234567890123456789012345, "2026-11-22 12:00:00", 01234567890, "1 2 3 4"]}, then: stop`,
		`op: createVirtualCard, where: {cardNumber: "4000000000000000"}, then: stop`,
		`then: {request: {set: {"header:X-API-KEY": "wrong-${mint}", password: "${request.userName}"}}}`,
		`then: {answer: {headers: {Set-Cookie: "s=${mint}"}, body: '{"token":"${mint}","cvc":"000"}'}}`,
		`then: {set: {packedCReq: eyJtZXNzYWdlVHlwZSI6IkNSZXEifQ}}`,
	} {
		if _, err := parse(t, "rules: [{name: x, "+then+"}]", ""); err != nil {
			t.Errorf("%s: %v", then, err)
		}
	}
}

func TestEmptyFiles(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"", "\n", "# paytape rules 1\n", "# paytape rules 1\n---\n", "rules: []", "{}",
		"rewrite: {}"} {
		if f, err := parse(t, file, ""); err != nil || len(f.Rules) != 0 {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestRewrite(t *testing.T) {
	t.Parallel()
	f, err := parse(t, `# paytape rules 1
rewrite:
  register.do:
    request: {orderNumber: client unique order-number, amount: keep}
    responseHeaders: {X-Id: minted request-id}
  cardv2/POST /*:
    response: {rrn: minted rrn}
`, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range f.Rewrite {
		got = append(got, fmt.Sprintf("%s:%d %s %s %d %v %s %s", o.File, o.Line, o.Operation.Name, o.Key, o.Dir,
			o.Header, o.Field.Of, o.Field.Secret))
	}
	want := []string{
		"f.yaml:4 register.do orderNumber 0 false order-number ", "f.yaml:4 register.do amount 0 false  ",
		"f.yaml:5 register.do X-Id 1 true request-id ", "f.yaml:7 POST /cardholders rrn 1 false rrn ",
		"f.yaml:7 POST /cards rrn 1 false rrn ", "f.yaml:7 POST /topups rrn 1 false rrn ",
		"f.yaml:7 POST /transfers rrn 1 false rrn ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
