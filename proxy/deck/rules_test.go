package deck_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/deck"
)

// rulesFile writes a rules file and returns its name.
func rulesFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestMistakesInRulesStopADeck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"a key", "rules:\n- name: a\n  opp: register.do\n  then: {status: 500}", `:3:3: unknown key "opp"`},
		{"an operation", "rules:\n- {name: a, op: registre.do, then: {status: 500}}",
			`:2:17: unknown operation "registre.do": did you mean "register.do"?`},
		{"a row for a field", "rewrite:\n  register.do: {response: {orderId: mint}}", ":2:37: "},
	} {
		o := deck.Options{Mode: deck.Pass, Upstreams: []string{deck.Builtin}, RuleFiles: []string{
			rulesFile(t, test.text)}}
		for _, err := range []error{o.Check(), starting(t, o)} {
			wrong, ok := errors.AsType[*deck.OptionError](err)
			if !ok || wrong.Option != "RuleFiles" || !strings.Contains(err.Error(), "run.yaml"+test.want) {
				t.Errorf("%s: error %v, want one with %s", test.name, err, test.want)
			}
		}
	}
	o := deck.Options{Mode: deck.Pass, Upstreams: []string{deck.Builtin}, RuleFiles: []string{"absent.yaml"}}
	if err := o.Check(); err == nil || !strings.Contains(err.Error(), "reading rules: open absent.yaml") {
		t.Errorf("a file that is not there: error %v", err)
	}
}

// starting returns why a deck does not start.
func starting(t *testing.T, o deck.Options) error {
	t.Helper()
	d, err := deck.Start(t.Context(), o)
	if err == nil {
		_ = d.Close()
	}
	return err
}

// The rules of files and those of the program stand beside each other.
func TestRulesOfADeck(t *testing.T) {
	t.Parallel()
	file := rulesFile(t, "rules: [{name: filed, op: register.do, then: {status: 500}}]")
	d := start(t, deck.Options{
		Mode: deck.Pass, Upstreams: []string{deck.Builtin}, RuleFiles: []string{file},
	})
	names, doubts, err := d.AddRules("- {name: one, then: {drip: 1s}}\n- {name: two, op: register.do, where: {loyaltyPoints: 1}, then: {drip: 1s}}")
	if err != nil || strings.Join(names, " ") != "one two" {
		t.Errorf("added %v, error %v", names, err)
	}
	want := `rule:2:40: no document has a field "loyaltyPoints" of these operations`
	if strings.Join(doubts, "; ") != want {
		t.Errorf("doubts %q, want %q", doubts, want)
	}
	if _, _, err := d.AddRules("then: {status: 500}"); err == nil || !strings.Contains(err.Error(), "rule:1:1: ") {
		t.Errorf("a rule without a name: error %v", err)
	}
	if _, _, err := d.AddRules("{name: filed, then: {status: 500}}"); err == nil {
		t.Error("a name stands twice")
	}
	d.RemoveRules("one", "filed")
	if got := ruleNames(d.Rules()); got != "filed two" {
		t.Errorf("rules: %s", got)
	}
	d.RemoveRules()
	if err := os.WriteFile(file, []byte("rules: []"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.ReloadRules(); err != nil || ruleNames(d.Summary().RunRules) != "" {
		t.Errorf("after the reload: %s, error %v", ruleNames(d.Rules()), err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := d.ReloadRules(); err == nil {
		t.Error("a file that is gone is read again")
	}
}

// What the rules have counted is forgotten by a reset, and not by a reload of the same rule.
func TestResetAndReloadOfCounts(t *testing.T) {
	t.Parallel()
	const rule = "{name: once, op: register.do, per: deck, when: first 1, then: {answer: {status: 503}}}"
	file := rulesFile(t, "rules: ["+rule+"]")
	d := start(t, deck.Options{
		Mode: deck.Pass, Upstreams: []string{deck.Builtin}, RuleFiles: []string{file},
	})
	for i, step := range []struct {
		before func()
		want   int
	}{
		{nil, 503}, {nil, 200},
		{func() {
			text := "rules:\n- {name: other, op: refund.do, then: {status: 500}}\n- " + rule
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := d.ReloadRules(); err != nil {
				t.Fatal(err)
			}
		}, 200},
		{d.Reset, 503}, {nil, 200},
	} {
		if step.before != nil {
			step.before()
		}
		if code := call(t, d.URL, "10"+strconv.Itoa(i)).StatusCode; code != step.want {
			t.Errorf("call %d: status %d, want %d", i+1, code, step.want)
		}
	}
}

// Chances of rules repeat with the seed, in a deck without a tape too.
func TestChancesRepeatWithTheSeed(t *testing.T) {
	t.Parallel()
	play := func(seed uint64) string {
		o := deck.Options{Mode: deck.Pass, Upstreams: []string{deck.Builtin}}
		o.Play.Seed = seed
		d := start(t, o)
		if _, _, err := d.AddRules("{name: luck, when: chance 50%, then: {answer: {status: 503}}}"); err != nil {
			t.Fatal(err)
		}
		codes := ""
		for i := range 24 {
			codes += strconv.Itoa(call(t, d.URL, "10"+strconv.Itoa(i)).StatusCode) + " "
		}
		return codes
	}
	first, again, other := play(7), play(7), play(8)
	if first != again || first == other {
		t.Errorf("seed 7: %s\nagain:  %s\nseed 8: %s", first, again, other)
	}
	if !strings.Contains(first, "503") || !strings.Contains(first, "200") {
		t.Errorf("no chance at all: %s", first)
	}
}

func ruleNames(all []rules.Status) string {
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

// What fields are is compiled with the tape: an orderId that a rules file keeps is that of the tape.
func TestRowsOfRulesAreCompiledWithTheTape(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rec := start(t, recording(dir))
	recorded := orderID(t, rec.URL)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	file := rulesFile(t, "rewrite: {register.do: {response: {orderId: keep}}}")
	plain := deck.Options{Cassettes: []string{"tape"}, Dir: dir}
	kept := plain
	kept.RuleFiles = []string{file}
	tape, err := deck.Load(kept)
	if err != nil {
		t.Fatal(err)
	}
	shared := kept
	shared.Tape = tape
	for _, test := range []struct {
		name string
		deck.Options
		same bool
	}{
		{"without the file", plain, false}, {"with it", kept, true}, {"a tape loaded with it", shared, true},
	} {
		if got := orderID(t, start(t, test.Options).URL); (got == recorded) != test.same {
			t.Errorf("%s: the orderId is that of the tape: %v", test.name, got == recorded)
		}
	}
	if tape, err = deck.Load(plain); err != nil {
		t.Fatal(err)
	}
	late := kept
	late.Tape = tape
	if err := starting(t, late); err == nil || !strings.Contains(err.Error(), "give the files to Load too") {
		t.Errorf("a tape that was loaded without the file: error %v", err)
	}
}

// orderID registers an order and returns its id.
func orderID(t *testing.T, base string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.PostForm(base+"/payment/rest/register.do", url.Values{
		"userName": {"sandbox-api"}, "password": {"sandbox-" + "password"},
		"orderNumber": {"A-1"}, "amount": {"12500"}, "returnUrl": {"https://shop.example/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct{ OrderID string }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.OrderID == "" {
		t.Fatalf("status %d and no orderId: %v", res.StatusCode, err)
	}
	return answer.OrderID
}
