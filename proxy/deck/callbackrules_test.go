package deck_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/deck"
)

// TestCallbackRules has a deck that replays, and one that spies, under rules on callbacks from a
// file that changes and from the program; each payment is told to the shop as the rules of that
// moment say.
func TestCallbackRules(t *testing.T) {
	t.Parallel()
	dir, live := t.TempDir(), openCalledShop(t)
	recorded := startShop(t, deck.Options{
		Mode: deck.Record, Dir: dir, Sync: "none", Upstreams: []string{deck.Builtin},
		Callbacks: deck.Callbacks{Mode: deck.CallbacksRelay},
	})
	buy(t, recorded.URL, "R-1", live.URL+"/paid")
	live.await(t)
	if err := recorded.Close(); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []deck.Mode{deck.Replay, deck.Spy} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			o := deck.Options{Mode: mode, Dir: dir, Callbacks: deck.Callbacks{Retry: time.Millisecond, Wait: time.Minute}}
			if mode == deck.Spy {
				o.Dir = t.TempDir()
				copyCassette(t, dir, o.Dir)
				o.Upstreams = []string{"https://sandbox.invalid"} // nobody is asked
			}
			file := filepath.Join(t.TempDir(), "rules.yaml")
			write := func(text string) {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("rules: [{name: file, op: callback, then: {set: {status: 7}}}]")
			o.RuleFiles = []string{file}
			d := startShop(t, o)
			shop := openCalledShop(t)
			var got []string
			pay := func(number string) {
				buy(t, d.URL, number, shop.URL+"/paid")
				calls := shop.await(t)
				u, err := url.Parse(calls[len(calls)-1].target)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, u.Query().Get("status")+u.Query().Get("extra"))
			}
			pay("A-1")
			write("rules: [{name: file, op: callback, then: {delete: status}}]")
			if err := d.ReloadRules(); err != nil {
				t.Fatal(err)
			}
			pay("A-2")
			write("rules: [{name: file, op: refund.do, then: {status: 500}}]")
			if err := d.ReloadRules(); err != nil {
				t.Fatal(err)
			}
			pay("A-3")
			if _, _, err := d.AddRules("{name: test, op: gateway/callback, when: first 1, then: {lose: callback}}"); err != nil {
				t.Fatal(err)
			}
			pay("A-4")
			d.RemoveRules("test")
			pay("A-5")
			if diff := cmp.Diff([]string{"7", "", "1", "1", "1"}, got); diff != "" {
				t.Errorf("the shop is told the statuses (-want +got):\n%s", diff)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			var explained []string
			for _, e := range d.Callbacks().List().Callbacks {
				explained = append(explained, e.Rules)
			}
			if diff := cmp.Diff([]string{"file(1)", "file(1)", "", "test(1/1)", ""}, explained); diff != "" {
				t.Errorf("the list (-want +got):\n%s", diff)
			}
			if s := d.Summary(); s.Callbacks.Undelivered+s.Callbacks.Differing > 0 || len(s.RunRules) != 1 {
				t.Errorf("summary %+v", s.Callbacks)
			}
		})
	}
}

// startShop starts a deck of the cassette "tape".
func startShop(t *testing.T, o deck.Options) *deck.Deck {
	t.Helper()
	o.Cassettes = []string{"tape"}
	d, err := deck.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // a second time, mostly
	return d
}

// copyCassette copies the cassette "tape" into another folder.
func copyCassette(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(from, "tape.yaml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "tape.yaml"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCallbackRulesWhileRecording changes a callback of the built-in sandbox on its way to the
// shop, and sends it twice: the tape has what the sandbox has sent, once.
func TestCallbackRulesWhileRecording(t *testing.T) {
	t.Parallel()
	dir, shop := t.TempDir(), openCalledShop(t)
	d := startShop(t, deck.Options{
		Mode: deck.Record, Dir: dir, Sync: "none", Upstreams: []string{deck.Builtin},
		Callbacks: deck.Callbacks{Mode: deck.CallbacksRelay},
	})
	if _, _, err := d.AddRules("{name: changed, op: callback, then: {set: {status: 0}, parallel: 2}}"); err != nil {
		t.Fatal(err)
	}
	buy(t, d.URL, "A-1", shop.URL+"/paid")
	shop.await(t)
	for _, call := range shop.await(t) {
		if !strings.Contains(call.target, "status=0") {
			t.Errorf("the shop gets %s", call.target)
		}
	}
	if s := d.Rules(); s[0].Fired != 1 || s[0].Origin != rules.FromTest {
		t.Errorf("%+v", s)
	}
	told := 0
	for _, x := range onTape(t, d, dir) {
		if x.Meta.Callback == nil {
			continue
		}
		if told++; !strings.Contains(x.URL, "status=1") || strings.Join(x.Meta.Rules, " ") != "changed" {
			t.Errorf("on tape is %s with the rules %v", x.URL, x.Meta.Rules)
		}
	}
	if told != 1 {
		t.Errorf("%d callbacks on tape", told)
	}
}
