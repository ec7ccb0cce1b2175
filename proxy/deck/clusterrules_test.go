package deck_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy/deck"
)

// asks registers an order at a deck, and returns the status and the rules that fired.
func asks(t *testing.T, base, number string) (code int, fired string) {
	t.Helper()
	res, err := http.Post(base+"/payment/rest/register.do", "application/x-www-form-urlencoded",
		strings.NewReader("userName=sandbox-api&password=sandbox-"+"password&amount=12500&orderNumber="+number+
			"&returnUrl=https%3A%2F%2Fshop.example%2F&dynamicCallbackUrl=http%3A%2F%2F127.0.0.1%3A9%2Fpaid"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode, res.Header.Get("Paytape-Rules")
}

// TestRulesHoldAtAllDecks puts a rule in force at one deck, arms it at another, and closes the owner of
// the session that it holds in: what was counted goes on.
func TestRulesHoldAtAllDecks(t *testing.T) {
	t.Parallel()
	_, _, decks := sharers(t, 3, func(o *deck.Options) {
		o.Admin = &deck.Admin{Token: "token-of-the-" + "decks"}
	})
	admin := func(d *deck.Deck, method, path, body string) string {
		req, err := http.NewRequest(method, d.Admin+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer token-of-the-"+"decks")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return res.Status + " " + string(text)
	}
	if code, _ := asks(t, decks[0].URL+"/~one", "A-1"); code != http.StatusOK {
		t.Fatal(code) // decks[0] has the session
	}
	rule := `{op: register.do, per: session, when: "nth [2, 4]", then: {answer: {status: 503}}}`
	if said := admin(decks[1], "PUT", "/rules/flaky", rule); !strings.HasPrefix(said, "200") {
		t.Fatal(said)
	}
	if said := admin(decks[1], "PUT", "/rules/many", `{op: register.do, per: deck, when: first 1, `+
		`then: {status: 503}}`); !strings.HasPrefix(said, "409") || !strings.Contains(said, "per: session") {
		t.Errorf("a rule that counts per deck: %s", said)
	}
	if said := admin(decks[2], "PUT", "/rules/asked", `{op: register.do, when: asked, `+
		`then: {answer: {status: 418}}}`); !strings.HasPrefix(said, "200") {
		t.Fatal(said)
	}
	for until := time.Now().Add(10 * time.Second); ; {
		if len(decks[0].Rules()) == 2 {
			break // the owner has heard of both
		}
		if time.Now().After(until) {
			t.Fatalf("the owner has %d rules", len(decks[0].Rules()))
		}
		time.Sleep(time.Millisecond)
	}
	want := func(d *deck.Deck, number string, want int) {
		t.Helper()
		if code, fired := asks(t, d.URL+"/~one", number); code != want {
			t.Errorf("%s: status %d, %s, want %d", number, code, fired, want)
		}
	}
	want(decks[1], "A-2", 200)
	want(decks[2], "A-3", 503) // the second under the rule
	if said := admin(decks[1], "POST", "/rules/asked/arm", ""); !strings.HasPrefix(said, "204") {
		t.Fatal(said)
	}
	if said := admin(decks[1], "POST", "/rules/flaky/arm", ""); !strings.HasPrefix(said, "409") {
		t.Errorf("a rule that need not be armed: %s", said)
	}
	if err := decks[0].Close(); err != nil {
		t.Fatal(err)
	}
	want(decks[2], "A-4", 418) // armed once, in this session
	want(decks[1], "A-5", 503) // the fourth
	want(decks[1], "A-6", 200)
	if said := admin(decks[2], "DELETE", "/rules", ""); !strings.HasPrefix(said, "204") {
		t.Fatal(said)
	}
	if n := len(decks[2].Rules()); n != 0 {
		t.Errorf("%d rules are left", n)
	}
}

// TestRulesThatCannotBeShared starts a deck with a rule that counts in all sessions.
func TestRulesThatCannotBeShared(t *testing.T) {
	t.Parallel()
	server, dir, _ := sharers(t, 0, nil)
	file := filepath.Join(dir, "rules.yaml")
	text := "rules: [{name: many, op: register.do, per: deck, when: first 1, then: {status: 503}}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := sharing(dir, server.address())
	o.RuleFiles = []string{file}
	d, err := deck.Start(t.Context(), o)
	if err == nil {
		_ = d.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "per: session") {
		t.Errorf("%v", err)
	}
}

// TestCallbacksGoOnElsewhere has an owner hold callbacks that nobody has asked for, and closes it: the
// next owner has them, though nobody asks for anything in the session.
func TestCallbacksGoOnElsewhere(t *testing.T) {
	t.Parallel()
	shop := newShop(t, http.StatusOK)
	_, _, decks := sharers(t, 2, func(o *deck.Options) { o.Callbacks.Mode = deck.CallbacksHold })
	id := pays(t, decks[0].URL+"/~one", "A-1", shop.URL)
	if err := decks[0].Close(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(10 * time.Second); decks[1].Callbacks().Counts().Events == 0; {
		if time.Now().After(until) {
			t.Fatal("the callback is lost")
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := decks[1].Callbacks().Next(); err != nil {
		t.Fatal(err)
	}
	if got := shop.next(t); got.Get("mdOrder") != id {
		t.Errorf("the shop was called about %q", got.Get("mdOrder"))
	}
}

// TestCallbacksAreRepeated has rules send callbacks more often than once, and people once more.
func TestCallbacksAreRepeated(t *testing.T) {
	t.Parallel()
	shop := newShop(t, http.StatusOK)
	server, dir, _ := sharers(t, 0, nil)
	file := filepath.Join(dir, "rules.yaml")
	text := `rules:
  - {name: twice, op: callback, when: first 1, per: session, then: {repeat: 1 every 1ms}}
  - {name: beside, op: callback, when: nth 2, per: session, then: {parallel: 2}}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := sharing(dir, server.address())
	o.RuleFiles = []string{file}
	d := start(t, o)
	id := ""
	for _, number := range []string{"A-1", "A-2"} {
		id = pays(t, d.URL+"/~one", number, shop.URL)
		for range 2 {
			if got := shop.next(t); got.Get("mdOrder") != id {
				t.Errorf("the shop was called about %q", got.Get("mdOrder"))
			}
		}
	}
	if _, err := d.Callbacks().Resend(id); err != nil {
		t.Fatal(err)
	}
	if got := shop.next(t); got.Get("mdOrder") != id {
		t.Errorf("the shop was called once more about %q", got.Get("mdOrder"))
	}
}

// TestCallbacksAtAnyDeck looks at callbacks at a deck that has none, and has them sent there.
func TestCallbacksAtAnyDeck(t *testing.T) {
	t.Parallel()
	shop := newShop(t, http.StatusOK)
	_, _, decks := sharers(t, 3, func(o *deck.Options) {
		o.Admin = &deck.Admin{Token: "token-of-the-" + "decks"}
		o.Callbacks.Mode = deck.CallbacksHold
	})
	var ids []string
	for i, owner := range decks[:2] { // the second pays when the callback of the first has come
		ids = append(ids, pays(t, owner.URL+[]string{"/~one", "/~two"}[i], []string{"A-1", "A-2"}[i], shop.URL))
		for until := time.Now().Add(10 * time.Second); owner.Callbacks().Counts().Held == 0; {
			if time.Now().After(until) {
				t.Fatalf("deck %d holds nothing", i)
			}
			time.Sleep(time.Millisecond)
		}
	}
	at := decks[2].Admin
	list := asAdmin(t, "GET", at+"/callbacks")
	if !strings.Contains(list, `"held": 2`) || strings.Index(list, ids[0]) > strings.Index(list, ids[1]) ||
		!strings.Contains(list, `"deck": "`+decks[1].URL+`"`) {
		t.Errorf("the list: %s", list)
	}
	for i, id := range ids {
		if said := asAdmin(t, "POST", at+"/callbacks/next"); !strings.HasPrefix(said, "200") ||
			!strings.Contains(said, decks[i].URL) {
			t.Errorf("next: %s", said)
		}
		if got := shop.next(t); got.Get("mdOrder") != id {
			t.Errorf("the shop was called about %q", got.Get("mdOrder"))
		}
	}
	if said := asAdmin(t, "POST", at+"/callbacks/next"); !strings.HasPrefix(said, "404") {
		t.Errorf("next of none: %s", said)
	}
	if said := asAdmin(t, "POST", at+"/callbacks/resend?order="+ids[1]); !strings.HasPrefix(said, "200") {
		t.Errorf("resend: %s", said)
	}
	if said := asAdmin(t, "POST", at+"/callbacks/resend?order=nobody"); !strings.HasPrefix(said, "404") {
		t.Errorf("resend of none: %s", said)
	}
}

// TestCallbacksOfASilentDeck looks at callbacks while one of the decks cannot be asked for its own.
func TestCallbacksOfASilentDeck(t *testing.T) {
	t.Parallel()
	var way *network
	_, _, decks := sharers(t, 2, func(o *deck.Options) {
		o.Admin = &deck.Admin{Token: "token-of-the-" + "decks"}
		o.Callbacks.Mode = deck.CallbacksHold
		o.Cluster.Lease = time.Minute // it has one all the time
		way = newNetwork(t, strings.TrimPrefix(o.Cluster.Servers, "nats://"))
		o.Cluster.Servers = "nats://" + way.address()
	})
	if list := asAdmin(t, "GET", decks[0].Admin+"/callbacks"); strings.Contains(list, "silent") {
		t.Errorf("the list while all answer: %s", list)
	}
	way.set(true)
	silent := decks[1].URL
	if list := asAdmin(t, "GET", decks[0].Admin+"/callbacks"); !strings.Contains(list, `"silent": [`) ||
		!strings.Contains(list, silent) {
		t.Errorf("the list: %s", list)
	}
	for _, do := range []string{"/callbacks/next", "/callbacks/resend?order=A-1"} {
		if said := asAdmin(t, "POST", decks[0].Admin+do); !strings.HasPrefix(said, "503") ||
			!strings.Contains(said, silent+" does not answer") {
			t.Errorf("%s: %s", do, said)
		}
	}
}

// asAdmin asks an admin address, and returns status and body.
func asAdmin(t *testing.T, method, at string) string {
	t.Helper()
	req, err := http.NewRequest(method, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer token-of-the-"+"decks")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.Status + " " + string(text)
}

// TestAnyDeckTellsTheOwners asks each deck who has which session.
func TestAnyDeckTellsTheOwners(t *testing.T) {
	t.Parallel()
	_, _, decks := sharers(t, 2, func(o *deck.Options) {
		o.Admin = &deck.Admin{Token: "token-of-the-" + "decks"}
	})
	asks(t, decks[0].URL+"/~one", "A-1")
	asks(t, decks[0].URL+"/~two", "A-1")
	asks(t, decks[1].URL, "A-1")
	for i, d := range decks {
		owners := d.Owners(t.Context())
		if owners == nil || len(owners.Decks) != 2 || len(owners.Sessions) != 3 {
			t.Fatalf("deck %d tells %+v", i, owners)
		}
		for _, s := range owners.Sessions {
			want := decks[0].URL
			if s.Session == "" {
				want = decks[1].URL
			}
			if s.At != want || s.Here != (want == d.URL) {
				t.Errorf("deck %d tells %+v", i, s)
			}
		}
		metrics := answerOf(t, strings.TrimSuffix(d.Admin, "/"), "GET /metrics HTTP/1.1\nHost: localhost\n"+
			"Authorization: Bearer token-of-the-"+"decks\nConnection: close\n\n")
		for _, want := range []string{`paytape_owned_sessions{deck="` + decks[0].URL + `",mode="replay"} 2`,
			`paytape_owned_sessions{deck="` + decks[1].URL + `",mode="replay"} 1`} {
			if !strings.Contains(metrics, want) {
				t.Errorf("deck %d: no %s in the metrics", i, want)
			}
		}
		for until := time.Now().Add(10 * time.Second); ; {
			if s := d.Status().Sharing; s != nil && s.Decks == 2 && len(s.Sessions) == 3 {
				break
			}
			if time.Now().After(until) {
				t.Fatalf("the inspector of deck %d tells %+v", i, d.Status().Sharing)
			}
			time.Sleep(time.Millisecond)
		}
	}
}
