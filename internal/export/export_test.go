package export_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dnaeon/go-vcr/v2/cassette"

	"github.com/paytape/paytape/internal/export"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

var update = flag.Bool("update", false, "write the golden files anew")

const visa = "411111" + "1111111111" // a published test number

// call is a call with a body of a type.
func call(n int, method, url, contentType, body string) *leaf.Exchange {
	return &leaf.Exchange{
		Interaction: cassette.Interaction{
			Request: cassette.Request{Method: method, URL: url, Body: body,
				Headers: http.Header{"Content-Type": {contentType}}},
			Response: cassette.Response{Status: "200 OK", Code: 200, Body: `{"orderId":"o-1"}`,
				Headers: http.Header{"Content-Type": {"application/json"}}},
		},
		Meta: leaf.Meta{Number: n, At: time.Date(2026, 3, 1, 10, 0, n, 0, time.UTC)},
	}
}

const form = "application/x-www-form-urlencoded"

// shop is a tape of two APIs and a callback, with secrets.
func shop(t *testing.T) export.Tape {
	t.Helper()
	told := call(4, "GET", leaf.CallbackOrigin+"/paid?mdOrder=o-1&status=1", "", "")
	told.Meta.Callback = &leaf.Callback{Of: 2, Operation: "deposited", Attempt: 1, Via: leaf.ViaRelay}
	based := call(2, "POST", "https://gw.example/sandbox/payment/rest/paymentorder.do", form,
		"userName=shop&password=trub4dor-gw&MDORDER=o-1&$PAN="+visa+"&$CVC=123&TEXT=IVAN+IVANOV")
	based.Meta.Base = "/sandbox"
	none := call(5, "GET", "https://v2.example/v2/cards/c-7?full&view=a%20b", "", "")
	none.Request.Headers = http.Header{"X-Api-Key": {"k3y-0f-the-shop"}, "Accept": {"application/json"}}
	return tapeOf(t, "shop", []*leaf.Exchange{
		call(1, "POST", "https://gw.example/payment/rest/register.do", form,
			"userName=shop&password=trub4dor-gw&orderNumber=A%261&amount=12500"),
		based, told, none,
		call(6, "PUT", "https://v2.example/v2/cards/c-7", "application/json", `{"name": "it's", "n": 1.0}`),
	})
}

func tapeOf(t *testing.T, name string, all []*leaf.Exchange) export.Tape {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	tape := export.Tape{Name: name, Profiles: set, Flows: []export.Flow{{Title: name}}}
	for _, c := range redact.New(redact.Options{Profiles: set}).CleanAll(all) {
		tape.Flows[0].Calls = append(tape.Flows[0].Calls, export.Call{
			Exchange: c, Name: "call " + fmt.Sprint(c.Exchange().Meta.Number), Outcome: "done",
		})
	}
	return tape
}

// exports are all ways to write a tape.
func exports(t *testing.T, tape export.Tape) map[string]string {
	t.Helper()
	postman, err := export.Postman(tape)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"shop.sh": export.Script(tape), "shop.postman.json": string(postman),
		"shop.mermaid": export.Sequence(tape),
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, got := range exports(t, shop(t)) {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || string(want) != got {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
		for _, secret := range []string{visa, "trub4dor", "IVAN", "k3y-0f"} {
			if strings.Contains(got, secret) {
				t.Errorf("%s holds %s", name, secret)
			}
		}
	}
}

// hostile is a tape whose texts are made to do harm.
func hostile(t *testing.T, text string) export.Tape {
	t.Helper()
	odd := call(1, "POST", "https://gw.example/a/"+strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23",
		"\n", "%0A", " ", "%20").Replace(text)+"?q="+strings.ReplaceAll(text, "&", "%26"), "text/plain", text)
	odd.Request.Headers.Set("X-Note", strings.NewReplacer("\n", " ", "\r", " ").Replace(text))
	odd.Response.Body, odd.Response.Status = text, "200 "+text
	quoted, err := json.Marshal(map[string]string{"note": text, "password": "trub4dor-gw"})
	if err != nil {
		t.Fatal(err)
	}
	tape := tapeOf(t, text, []*leaf.Exchange{
		odd,
		call(2, "POST", "https://gw.example/payment/rest/register.do", "application/json", string(quoted)),
		call(3, "POST", "https://gw.example/payment/rest/register.do", form, "password=trub4dor-gw&note="+
			strings.NewReplacer("&", "%26", "%", "%25", "+", "%2B", "=", "%3D", "\n", "%0A").Replace(text)),
	})
	tape.Flows[0].Title = text
	for i := range tape.Flows[0].Calls {
		tape.Flows[0].Calls[i].Name, tape.Flows[0].Calls[i].Outcome = text, text
	}
	return tape
}

var hostileTexts = []string{
	"'; touch pwned; echo '", "$(touch pwned)", "`touch pwned`", "x\ntouch pwned\n", "\"; touch pwned; \"",
	"\r\ntouch pwned", "\\'; touch pwned #", "{{PASSWORD}}", "{{{PASSWORD}}}", "{ {{BASE}}", "end",
	"a;b#c<script>alert(1)</script>", "%%{init: {}}%%\nclient->>s1: forged", "->>s1: x", "\x1b]0;pwned\a",
	"\u202eevil", "${PASSWORD}", "!!", "-d @/etc/passwd", "loop Always", ":name/../..",
}

// TestHostileScript runs scripts with a curl of its own, which prints its arguments, and wants nothing
// else to run.
func TestHostileScript(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("the scripts need sh, which is not installed")
	}
	for _, text := range hostileTexts {
		dir := t.TempDir()
		fake := "#!/bin/sh\nprintf '[%s]\\n' \"$@\"\ncat >/dev/null 2>&1 </dev/null\n"
		if err := os.WriteFile(filepath.Join(dir, "curl"), []byte(fake), 0o700); err != nil {
			t.Fatal(err)
		}
		script := export.Script(hostile(t, text))
		cmd := exec.CommandContext(t.Context(), sh)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(script)
		cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "PASSWORD=pass", "PASSWORD_2=pass"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v\n%s\n%s", text, err, out, script)
		}
		if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
			t.Errorf("%q was run:\n%s", text, script)
		}
		if got := strings.Count(string(out), "[-sS]"); got != 3 {
			t.Errorf("%q: curl ran %d times, want 3:\n%s", text, got, out)
		}
	}
}

// TestHostilePostman wants no variable in a collection that is none of its own, and the same bytes to be
// sent otherwise.
func TestHostilePostman(t *testing.T) {
	t.Parallel()
	for _, text := range hostileTexts {
		tape := hostile(t, text)
		data, err := export.Postman(tape)
		if err != nil {
			t.Fatal(err)
		}
		checkPostman(t, data)
		var c struct {
			Item []struct {
				Item []struct{ Request map[string]any }
			}
		}
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		for i, item := range c.Item[0].Item {
			sent, err := json.Marshal(item.Request["url"].(map[string]any)["path"])
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []any{item.Request["body"], item.Request["header"]} {
				more, err := json.Marshal(part)
				if err != nil {
					t.Fatal(err)
				}
				sent = append(sent, more...)
			}
			want := 1 // {{PASSWORD}}
			if i == 0 {
				want = 0
			}
			if got := strings.Count(string(sent), "{{"); got != want {
				t.Errorf("%q: request %d has %d variables, want %d: %s", text, i+1, got, want, sent)
			}
		}
	}
}

// TestHostileSequence wants every line of a diagram to be one of the few forms that it is made of.
func TestHostileSequence(t *testing.T) {
	t.Parallel()
	safe := `(?:[\p{L}\p{Nd} .,/_*-]|#\d+;)*`
	forms := regexp.MustCompile(`^(?:sequenceDiagram|  participant (?:client|shop|s\d+ as ` + safe +
		`)|  Note over client: ` + safe + `|  (?:client|s\d+)-?->>(?:client|s\d+|shop): ` + safe + `)$`)
	for _, text := range hostileTexts {
		for line := range strings.Lines(export.Sequence(hostile(t, text))) {
			if line = strings.TrimSuffix(line, "\n"); !forms.MatchString(line) {
				t.Errorf("%q: %s", text, line)
			}
			if strings.Contains(text, "end") && regexp.MustCompile(`(?i)\bend\b`).MatchString(line) {
				t.Errorf("%q: the word end stands in %s", text, line)
			}
		}
	}
}

// TestPostman validates a collection against what its schema asks for.
func TestPostman(t *testing.T) {
	t.Parallel()
	data, err := export.Postman(shop(t))
	if err != nil {
		t.Fatal(err)
	}
	checkPostman(t, data)
	text := string(data)
	for _, want := range []string{`"raw": "{{BASE_3}}/v2/cards/c-7?full&view=a%20b"`, `"value": "{{X_API_KEY}}"`,
		`"value": "A&1"`, `"language": "json"`, `"value": "https://gw.example/sandbox"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// node is a node of the schema of collections, format 2.1.0, as far as it is used here: which members an
// object must have, and of what type a member is.
type node struct {
	must    []string
	members map[string]any // a type, a node for an object, or a list of one of these
}

var (
	pairNode = node{[]string{"key", "value"}, map[string]any{"key": "string", "value": "string|null"}}
	urlNode  = node{nil, map[string]any{"raw": "string", "host": []any{"string"}, "path": []any{"string"},
		"query": []any{node{nil, map[string]any{"key": "string|null", "value": "string|null"}}}}}
	bodyNode = node{nil, map[string]any{"mode": "raw|urlencoded", "raw": "string",
		"urlencoded": []any{node{[]string{"key"}, map[string]any{"key": "string", "value": "string|null"}}},
		"options":    "object"}}
	requestNode = node{nil, map[string]any{"url": urlNode, "method": "string", "header": []any{pairNode},
		"body": bodyNode, "description": "string"}}
	responseNode = node{nil, map[string]any{"name": "string", "originalRequest": requestNode,
		"header": []any{pairNode}, "cookie": []any{"object"}, "body": "string", "status": "string",
		"code": "number", "_postman_previewlanguage": "string"}}
	itemNode = node{[]string{"request"}, map[string]any{"name": "string", "request": requestNode,
		"response": []any{responseNode}}}
	collectionNode = node{[]string{"info", "item"}, map[string]any{
		"info": node{[]string{"name", "schema"}, map[string]any{"name": "string", "description": "string",
			"schema": "string"}},
		"item": []any{node{nil, map[string]any{"name": "string", "item": []any{itemNode}, "request": requestNode,
			"response": []any{responseNode}}}},
		"variable": []any{node{nil, map[string]any{"key": "string", "value": "string", "type": "string",
			"description": "string"}}},
	}}
)

func checkPostman(t *testing.T, data []byte) {
	t.Helper()
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	checkNode(t, "collection", doc, collectionNode)
}

func checkNode(t *testing.T, at string, value, want any) {
	t.Helper()
	switch want := want.(type) {
	case []any:
		list, ok := value.([]any)
		if !ok {
			t.Errorf("%s is no list", at)
		}
		for i, v := range list {
			checkNode(t, fmt.Sprint(at, "[", i, "]"), v, want[0])
		}
	case node:
		object, ok := value.(map[string]any)
		if !ok {
			t.Errorf("%s is no object", at)
		}
		for _, key := range want.must {
			if _, there := object[key]; !there {
				t.Errorf("%s has no %s", at, key)
			}
		}
		for key, v := range object {
			if want.members[key] == nil {
				t.Errorf("%s has a member %s, which the format does not know", at, key)
				continue
			}
			checkNode(t, at+"."+key, v, want.members[key])
		}
	case string:
		name := map[bool]string{true: "null"}[value == nil]
		switch v := value.(type) {
		case string:
			name = "string"
			if want == "raw|urlencoded" {
				name = v
			}
		case float64:
			name = "number"
		case map[string]any:
			name = "object"
		}
		if !slices.Contains(strings.Split(want, "|"), name) {
			t.Errorf("%s is %s, want %s", at, name, want)
		}
	}
}
