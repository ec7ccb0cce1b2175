package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/raced"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/verify"
	"github.com/paytape/paytape/redact/surrogate"
)

// secretsOf returns what a client has sent in the places in which a tape has something else, as a file
// of secrets has it.
func secretsOf(sent []*leaf.Exchange, c match.Cassette) string {
	lines := map[string]string{}
	for i, x := range c.Exchanges {
		at := map[string]string{}
		for _, l := range sent[i].RequestMessage().Leaves {
			at[l.Place.String()+l.Key+l.Path] = l.Value
		}
		for _, l := range x.RequestMessage().Leaves {
			was := at[l.Place.String()+l.Key+l.Path]
			before, marker, found := strings.Cut(l.Value, surrogate.Prefix)
			switch {
			case was == l.Value || was == "":
			case surrogate.IsCard(l.Value):
				lines[l.Value] = was
			case l.Key == "seToken": // it holds the order that it was made for
				lines[l.Value] = ""
			case found && strings.ContainsAny(marker, "0123456789"):
				lines[surrogate.Prefix+marker] = strings.TrimPrefix(was, before)
			case x.Meta.Operation == "setKey": // its key is that of an earlier answer
				lines[x.Meta.Operation+"/"+l.Key] = ""
			case surrogate.Is(l.Value):
				lines[strings.TrimPrefix(x.Meta.Operation+"/"+l.Key, "/")] = was
			}
		}
	}
	text := ""
	for name, value := range lines {
		text += name + "=" + value + "\n"
	}
	return text
}

// changed is a sandbox whose answers are changed on their way.
type changed struct {
	next   http.Handler
	change func(path string, a *httptest.ResponseRecorder)
}

func (c *changed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := httptest.NewRecorder()
	c.next.ServeHTTP(a, r)
	if c.change != nil {
		c.change(r.URL.Path, a)
	}
	for name, values := range a.Header() {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(a.Code)
	_, _ = io.Copy(w, a.Body)
}

// verified verifies a tape against the built-in sandbox with a change.
func verified(t *testing.T, c toured, change func(path string, a *httptest.ResponseRecorder),
	options ...func(*verify.Options),
) *verify.Report {
	t.Helper()
	box := sandbox.New(sandbox.Options{})
	t.Cleanup(box.Close)
	return verifiedAt(t, box, c, change, options...)
}

// verifiedAt verifies a tape against a server with a change.
func verifiedAt(t *testing.T, box http.Handler, c toured,
	change func(path string, a *httptest.ResponseRecorder), options ...func(*verify.Options),
) *verify.Report {
	t.Helper()
	s := httptest.NewServer(&changed{box, change})
	t.Cleanup(s.Close)
	secrets, err := verify.ParseSecrets([]byte(c.secrets))
	if err != nil {
		t.Fatal(err)
	}
	known := builtinKnowledge(t)
	boxes, err := deck.Reach(t.Context(), deck.ReachOptions{Knowledge: known.known, Upstreams: []string{s.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = boxes.Close() })
	o := verify.Options{
		Profiles: known.profiles(), Cleaner: known.redactor(), Route: boxes.Route(), Secrets: secrets,
	}
	for _, option := range options {
		option(&o)
	}
	plan, err := verify.NewPlan(o, c.Cassette)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range plan.Missing() {
		t.Errorf("no secret for %q (%s): %v", n.Name, n.Kind, n.Where)
	}
	r, err := plan.Play(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.WriteJUnit(&out); err != nil {
		t.Fatal(err)
	}
	return r
}

// toured is a tour on tape, and the secrets that were sent.
type toured struct {
	match.Cassette
	secrets string
}

// recordSecrets records a tour, and keeps the secrets that the client sent.
func recordSecrets(t *testing.T, o apiTour) toured {
	t.Helper()
	box := sandbox.New(sandbox.Options{})
	defer box.Close()
	w := &witness{next: box}
	s := httptest.NewServer(w)
	defer s.Close()
	dir := t.TempDir()
	d := recordingFrom(t, deck.Options{Dir: dir, Upstreams: []string{s.URL}})
	teller := tourist(d.URL, 0, time.Now())
	_, err := o.tell(teller, t.Context())
	teller.HTTP.CloseIdleConnections()
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	c := cassetteOf(loaded(t, dir))
	return toured{c, secretsOf(w.sent, c)}
}

// TestVerifyFindsNothing verifies tours of all operations against the sandbox that they were recorded
// with.
func TestVerifyFindsNothing(t *testing.T) {
	t.Parallel()
	for _, o := range tours {
		t.Run(o.profile, func(t *testing.T) {
			t.Parallel()
			r := verified(t, recordSecrets(t, o), nil)
			const most = 4 // refused credentials, and an encrypted card that holds its order
			if r.Drifted > 0 || r.NotPlayed > most || r.Played < 30 {
				t.Errorf("without a change:\n%s", verifyText(r))
			}
		})
	}
}

// plantedChange is a change of one answer of a sandbox, and what must be found.
type plantedChange struct {
	name     string
	path     string // of the request ends so
	old, new string // a pattern in the body, and what stands in its place
	edit     func(*httptest.ResponseRecorder)
	want     string // grade and path
}

// plantedIn are thirteen changes for each API: in one of them an answer shows another entity.
var plantedIn = map[string][]plantedChange{
	"gateway": in("/getOrderStatusExtended.do", `"authRefNum"`,
		replaced("field added", `"errorCode":"0"`, `"fee":0,"errorCode":"0"`, "added answer fee"),
		replaced("field removed", `"terminalId":"\d+",`, ``, "removed answer terminalId"),
		replaced("number to string", `"amount":12500`, `"amount":"12500"`, "changed type answer amount"),
		replaced("array to object", `"merchantOrderParams":\[\]`, `"merchantOrderParams":{"a":1}`,
			"changed type answer merchantOrderParams"),
		replaced("constant", `"currency":"978"`, `"currency":"840"`, "changed constant answer currency"),
		replaced("error code", `"errorCode":"0"`, `"errorCode":"77"`, "new code answer errorCode"),
		plantedChange{name: "status", edit: func(a *httptest.ResponseRecorder) { a.Code = 202 },
			want: "new code answer HTTP status"},
		plantedChange{name: "content type", edit: func(a *httptest.ResponseRecorder) {
			a.Header().Set("Content-Type", "text/json")
		}, want: "changed constant answer header Content-Type"},
		replaced("nested", `"secureAuthInfo":{`, `"secureAuthInfo":{"scheme":"a",`,
			"added answer cardAuthInfo.secureAuthInfo.scheme"),
		replaced("date format", `"date":(\d{10})\d{3}`, `"date":$1`, "changed value answer date"),
		replaced("id shape", `"authRefNum":"\d{3}`, `"authRefNum":"`, "changed value answer authRefNum"),
		replaced("list", `"attributes":\[`, `"attributes":[{"name":"x","value":"1"},`, "added answer attributes[x]"),
		replaced("another order", `("mdOrder","value":")[0-9a-f]{8}`, `${1}deadbeef`,
			"changed value answer attributes[].value"),
	),
	"cardv1": append(in("/getTransactionDetails", `"transaction"`,
		replaced("field added", `"transaction":{`, `"transaction":{"fee":0,`, "added answer transaction.fee"),
		replaced("field removed", `"mcc":5411,`, ``, "removed answer transaction.mcc"),
		replaced("number to string", `"amount":(\d+)`, `"amount":"$1"`, "changed type answer transaction.amount"),
		replaced("constant", `"Debit"`, `"Debited"`, "changed constant answer transaction.transactionDescription"),
		replaced("code", `"internalResponseCode":0`, `"internalResponseCode":93`,
			"new code answer transaction.internalResponseCode"),
		plantedChange{name: "status", edit: func(a *httptest.ResponseRecorder) { a.Code = 202 },
			want: "new code answer HTTP status"},
		plantedChange{name: "content type", edit: func(a *httptest.ResponseRecorder) {
			a.Header().Set("Content-Type", "text/json")
		}, want: "changed constant answer header Content-Type"},
		replaced("date format", `"authorizationDate":"(\d+)-(\d+)-(\d+)`, `"authorizationDate":"$3.$2.$1`,
			"changed value answer transaction.authorizationDate"),
	), slices.Concat(
		in("/getCardLimits", `"limits"`,
			replaced("array to object", `"limitExceptions":\[\]`, `"limitExceptions":{"a":1}`,
				"changed type answer limits[].limitExceptions"),
			replaced("nested", `"limitExceptions"`, `"extra":1,"limitExceptions"`, "added answer limits[].extra")),
		in("/getCardData", `"cardId"`,
			replaced("id shape", `"cardId":"\d\d`, `"cardId":"`, "changed value answer cardData.cardId"),
			replaced("another card", `"cardId":"\d{4}`, `"cardId":"9871`, "changed value answer cardData.cardId")),
		in("/getGeoRestrictions", `"regions"`,
			replaced("list order", `({"id":1,[^}]*}),({"id":2,[^}]*})`, `$2,$1`, "changed value answer regions")),
	)...),
	"cardv2": in("/v2/cards/", `"number":`,
		replaced("field added", `{"id"`, `{"fee":0,"id"`, "added answer fee"),
		replaced("field removed", `"productName":"VISA Classic",`, ``, "removed answer productName"),
		replaced("number to string", `"balance":0`, `"balance":"0"`, "changed type answer account.balance"),
		replaced("array to object", `"spendingLimits":\[.*?\]`, `"spendingLimits":{"daily":1}`,
			"changed type answer spendingLimits"),
		replaced("constant", `"currency":"EUR"`, `"currency":"USD"`, "changed constant answer account.currency"),
		replaced("code", `"status":"active"`, `"status":"frozen"`, "new code answer status"),
		plantedChange{name: "status", edit: func(a *httptest.ResponseRecorder) { a.Code = 203 },
			want: "new code answer HTTP status"},
		plantedChange{name: "content type", edit: func(a *httptest.ResponseRecorder) {
			a.Header().Set("Content-Type", "text/json")
		}, want: "changed constant answer header Content-Type"},
		replaced("nested", `"account":{`, `"account":{"branch":1,`, "added answer account.branch"),
		replaced("date format", `"creationDate":"([-\d]+)T`, `"creationDate":"$1 `, "changed value answer creationDate"),
		replaced("id shape", `"accountNumber":"\d\d`, `"accountNumber":"`,
			"changed value answer account.accountNumber"),
		replaced("another account", `"accountNumber":"(..)\d{5}`, `"accountNumber":"${1}98765`,
			"changed value answer account.accountNumber"),
		replaced("list length", `,{"amount":\d+,"interval":"monthly"}`, ``, "removed answer spendingLimits"),
	),
}

func replaced(name, old, new, want string) plantedChange {
	return plantedChange{name: name, old: old, new: new, want: want}
}

// in says in which answers changes are planted: those to a path that have a text.
func in(path, needle string, all ...plantedChange) []plantedChange {
	for i := range all {
		all[i].path = path + "\x00" + needle
	}
	return all
}

// planter returns what plants a change into the first answer in which it can be planted, or into all.
func (p plantedChange) planter(all bool) (change func(path string, a *httptest.ResponseRecorder),
	done *atomic.Int64,
) {
	done = &atomic.Int64{}
	at, needle, _ := strings.Cut(p.path, "\x00")
	return func(path string, a *httptest.ResponseRecorder) {
		body := a.Body.String()
		if !strings.Contains(path, at) || !strings.Contains(body, needle) || !all && done.Load() > 0 {
			return
		}
		if p.edit != nil {
			done.Add(1)
			p.edit(a)
			return
		}
		old := regexp.MustCompile(strings.ReplaceAll(p.old, "{\"", "\\{\""))
		if at := old.FindStringSubmatchIndex(body); at != nil {
			done.Add(1)
			changed := body[:at[0]] + string(old.ExpandString(nil, p.new, body, at)) + body[at[1]:]
			a.Body.Reset()
			a.Body.WriteString(changed)
		}
	}, done
}

// TestVerifyFindsPlantedChanges plants thirteen changes into answers of each API: each is found, and named
// once under its grade and path, whether one answer has it or all.
func TestVerifyFindsPlantedChanges(t *testing.T) {
	t.Parallel()
	for _, o := range tours {
		t.Run(o.profile, func(t *testing.T) {
			t.Parallel()
			c := recordSecrets(t, o)
			if len(plantedIn[o.profile]) != 13 {
				t.Errorf("%d changes", len(plantedIn[o.profile]))
			}
			for _, p := range plantedIn[o.profile] {
				for _, all := range []bool{false, true} {
					if all && raced.Enabled {
						continue
					}
					change, done := p.planter(all)
					r := verified(t, c, change, func(o *verify.Options) { o.Flows = []int{1} })
					if len(r.Changes) == 1 {
						f := r.Changes[0]
						if fmt.Sprintf("%s %s %s", f.Grade, f.Side, f.Path) == p.want &&
							int64(f.Exchanges) == done.Load() {
							continue
						}
					}
					t.Errorf("%s, planted %d times, want %q:\n%s", p.name, done.Load(), p.want, verifyText(r))
				}
			}
		})
	}
}
