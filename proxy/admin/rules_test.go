package admin_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/admin"
)

// withRules returns an address of a deck that has one rule of a file.
func withRules(t *testing.T) (*admin.Admin, *rules.Engine) {
	t.Helper()
	o := options(t)
	a, err := admin.New(o)
	if err != nil {
		t.Fatal(err)
	}
	e := rules.New(rules.Options{Profiles: o.Profiles, Seed: 1})
	f, err := rules.Parse("run.yaml", []byte("rules:\n- {name: filed, when: asked, then: {status: 500}}"),
		rules.Source{Profiles: o.Profiles})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Set(rules.FromFile, f); err != nil {
		t.Fatal(err)
	}
	a.Tend(admin.Deck{Rules: e})
	return a, e
}

// send sends a request with a body to a path behind the token.
func send(a *admin.Admin, call, body string) *httptest.ResponseRecorder {
	method, path, _ := strings.Cut(call, " ")
	req := httptest.NewRequest(method, "/"+token+path, strings.NewReader(body))
	req.Host = "localhost"
	w := httptest.NewRecorder()
	a.ServeHTTP(w, req)
	return w
}

// names returns the names of the rules in force.
func names(e *rules.Engine) string {
	var all []string
	for _, s := range e.Report() {
		all = append(all, string(s.Origin)+" "+s.Name)
	}
	return strings.Join(all, ", ")
}

// The calls of the table follow upon each other.
func TestRulesAreLookedAtAndChanged(t *testing.T) {
	t.Parallel()
	a, e := withRules(t)
	for _, step := range []struct {
		name, call, body string
		code             int
		want             string // part of the answer
		rules            string // in force then; "" for the same as before
	}{
		{"the list", "GET /rules", "", 200, `"does": "status 500"`, "file filed"},
		{"one rule of YAML", "PUT /rules/slow", "op: register.do\nthen: {delay: 2s}", 200,
			`"does": "delay 2s"`, "file filed, admin slow"},
		{"one rule of JSON", "PUT /rules/down", `{"when": "first 2", "then": {"status": 503}}`, 200,
			`"origin": "admin"`, "file filed, admin slow, admin down"},
		{"what may be a mistake", "PUT /rules/down", `{"op": "register.do", "where": {"loyaltyPoints": 7}, "then": {"status": 503}}`,
			200, `"admin:1:33: no document has a field \"loyaltyPoints\" of these operations"`, ""},
		{"another in its place", "PUT /rules/slow", "rules:\n- name: slow\n  then: {delay: 3s}", 200,
			`"does": "delay 3s"`, ""},
		{"one of them", "GET /rules/slow", "", 200, `"line": 2`, ""},
		{"none of them", "GET /rules/fast", "", 404, "no rule has that name", ""},
		{"a mistake has a position", "PUT /rules/x", "op: register.do\nthen: {dely: 2s}", 400,
			`admin:2:8: unknown key "dely": did you mean "delay"?`, ""},
		{"several mistakes", "PUT /rules/x", "op: registre.do\nthen: {dely: 2s}", 400, "admin:1:5: ", ""},
		{"files of this machine", "PUT /rules/x", "then: {answer: {file: /etc/passwd}}", 400,
			"cannot read files", ""},
		{"rows for fields", "PUT /rules/x", "rewrite: {}", 400, "expected rules alone", ""},
		{"another name", "PUT /rules/x", "{name: y, then: {status: 500}}", 400, `the name "x"`, ""},
		{"two rules", "PUT /rules/x", "- {name: x, then: {status: 500}}\n- {name: z, then: {status: 500}}",
			400, `one rule with the name "x"`, ""},
		{"a name that a file has", "PUT /rules/filed", "then: {status: 501}", 409, "run.yaml:2 too", ""},
		{"a body without end", "PUT /rules/x", strings.Repeat("# ", 1<<20), 413, "1048576 bytes", ""},
		{"armed", "POST /rules/filed/arm", "", 204, "", ""},
		{"armed for good", "POST /rules/filed/arm?times=-1", "", 204, "", ""},
		{"armed for no number", "POST /rules/filed/arm?times=x", "", 400, "expected a number", ""},
		{"nothing to be armed", "POST /rules/nothing/arm", "", 404, "no rule has that name", ""},
		{"what fires anyway", "POST /rules/slow/arm", "", 409, "fires without being armed", ""},
		{"disarmed", "POST /rules/slow/disarm", "", 204, "", ""},
		{"which is told", "GET /rules/slow", "", 200, `"armed": false`, ""},
		{"nothing to be disarmed", "POST /rules/nothing/disarm", "", 404, "no rule has that name", ""},
		{"armed again", "POST /rules/slow/arm", "", 204, "", ""},
		{"which is told too", "GET /rules/slow", "", 200, `"armed": true`, ""},
		{"a rule of a file stays", "DELETE /rules/filed", "", 409, "it is in run.yaml:2", ""},
		{"nothing to remove", "DELETE /rules/nothing", "", 404, "no rule has that name", ""},
		{"one less", "DELETE /rules/slow", "", 204, "", "file filed, admin down"},
		{"none left", "DELETE /rules", "", 204, "", "file filed"},
	} {
		before := names(e)
		w := send(a, step.call, step.body)
		if w.Code != step.code || !strings.Contains(w.Body.String(), step.want) {
			t.Errorf("%s: status %d with %q, want %d with %q", step.name, w.Code, w.Body, step.code, step.want)
		}
		if want := step.rules; names(e) != want && (want != "" || names(e) != before) {
			t.Errorf("%s: rules %q, want %q", step.name, names(e), want)
		}
	}
}

func TestTheListIsJSON(t *testing.T) {
	t.Parallel()
	a, e := withRules(t)
	w := send(a, "GET /rules", "")
	var got []rules.Status
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e.Report(), got); diff != "" {
		t.Errorf("(-report +answer):\n%s", diff)
	}
	if ct := w.Header().Get("Content-Type"); ct != "application/json" {
		t.Errorf("type %q", ct)
	}
}

// Whoever has no token, or is a page in a browser, cannot say what a run does.
func TestRulesNeedTheToken(t *testing.T) {
	t.Parallel()
	a, e := withRules(t)
	for _, call := range []string{
		"GET /rules", "GET /rules/filed", "PUT /rules/x", "POST /rules/filed/arm", "DELETE /rules",
		"POST /rules/filed/disarm",
	} {
		if w := ask(a, call); w.Code != 401 {
			t.Errorf("%s: status %d", call, w.Code)
		}
	}
	if w := ask(a, "DELETE /"+token+"/rules", "Origin:https://evil.example"); w.Code != 403 {
		t.Errorf("of another origin: status %d", w.Code)
	}
	if names(e) != "file filed" {
		t.Errorf("rules: %s", names(e))
	}
	idle := newAdmin(t)
	if w := send(idle, "GET /rules", ""); w.Code != 503 {
		t.Errorf("before it serves: status %d", w.Code)
	}
}
