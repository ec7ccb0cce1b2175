package tape_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/workload"
	"github.com/paytape/paytape/match/tape"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/surrogate"
)

var flowsBegan = time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC)

// recordedFlows are clean exchanges of flows of all kinds.
func recordedFlows(t *testing.T, profiles *profile.Set) []*leaf.Exchange {
	t.Helper()
	var raw bytes.Buffer
	if _, err := (workload.Recording{Kinds: workload.Kinds, Size: 400, Start: flowsBegan}).Write(&raw); err != nil {
		t.Fatal(err)
	}
	recording, err := cassettes.ReadRecording(raw.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	library, err := cassettes.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	cleaner := redact.New(redact.Options{Profiles: profiles})
	if _, err := library.Import("flows", recording, cleaner); err != nil {
		t.Fatal(err)
	}
	r, err := library.Read("flows", cleaner)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []*leaf.Exchange
	r.All(func(x redact.Clean) bool {
		all = append(all, x.Exchange())
		return true
	})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// spelled are exchanges whose answers write what they repeat in other ways: with a letter escaped, and
// a time in two forms.
func spelled() []*leaf.Exchange {
	json := http.Header{"Content-Type": {"application/json"}}
	var all []*leaf.Exchange
	for n := range 3 {
		at := flowsBegan.Add(time.Duration(n+1) * time.Hour)
		id := fmt.Sprintf("tx_%016x", uint64(n+1)*0x9e3779b97f4a7c15)
		thing := fmt.Sprintf(`{"id":%q,"again":"\u0074%s","created":%q,"createdAt":%d}`,
			id, id[1:], at.Format(time.RFC3339), at.UnixMilli())
		for _, path := range []string{"/v2/things", "/v2/things/" + id} {
			x := &leaf.Exchange{}
			x.Method, x.URL, x.Code = http.MethodPost, "https://other.example"+path, http.StatusOK
			x.Request.Headers, x.Response.Headers = json, json
			x.Request.Body = fmt.Sprintf(`{"number":%d}`, n)
			x.Response.Body, x.Meta.At = thing, at
			all = append(all, x)
			at = at.Add(time.Minute)
		}
	}
	return all
}

// expiring are exchanges in which a client sends back the expiry of a card: of the first that which it
// has chosen, of others those that it was told.
func expiring(t *testing.T) []*leaf.Exchange {
	t.Helper()
	var all []*leaf.Exchange
	post := func(call, body, answer string) {
		x := &leaf.Exchange{}
		x.Method, x.URL, x.Code = http.MethodPost, "https://bank.example/v1/apigate/ws/rest/"+call, http.StatusOK
		x.Request.Headers = http.Header{"Content-Type": {"application/json"}}
		x.Response.Headers, x.Request.Body, x.Response.Body = x.Request.Headers, body, answer
		x.Meta.At = flowsBegan.Add(time.Duration(len(all)) * time.Minute)
		all = append(all, x)
	}
	for n := range 3 {
		made, ok := surrogate.CardNumber("400000"+"0000000000", n+1)
		if !ok {
			t.Fatal("no number for a card")
		}
		card := made.Text
		expiry := fmt.Sprintf(`"expDate":"20300%d"`, n+1)
		chosen := `,"virtualCardIdentification":{` + expiry + `}`
		if n > 0 {
			chosen = ""
		}
		post("createVirtualCard", `{"accountNumber":"40817"`+chosen+`}`,
			`{"virtualCardIdentification":{"cardNumber":"`+card+`",`+expiry+`}}`)
		post("blockCard", `{"cardIdentification":{"cardNumber":"`+card+`",`+expiry+`}}`, `{"responseCode":"00"}`)
	}
	return all
}

// TestClosedTemplatesSayTheSame compiles flows of all kinds, and compares what their templates say before
// they are closed and after.
func TestClosedTemplatesSayTheSame(t *testing.T) {
	t.Parallel()
	profiles, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	o := tape.Options{Profiles: profiles}
	open, closed := tape.OpenAndClosed(o, tape.Cassette{Name: "flows", Exchanges: recordedFlows(t, profiles)},
		tape.Cassette{Name: "spelled", Exchanges: spelled()},
		tape.Cassette{Name: "expiring", Exchanges: expiring(t)})
	if open.Open == 0 || closed.Open > 0 {
		t.Errorf("%d templates are open before, and %d when they are closed", open.Open, closed.Open)
	}
	if open.Own > 0 || closed.Own == 0 {
		t.Errorf("%d parameters have texts for themselves before, and %d when they are closed", open.Own, closed.Own)
	}
	open.Open, open.Own = closed.Open, closed.Own
	if diff := cmp.Diff(open, closed); diff != "" {
		t.Errorf("templates (-open +closed):\n%s", diff)
	}
	for _, what := range []string{"address", "like", "item", "way", "spelling", "date", "packing", "tie"} {
		if open.Seen[what] == 0 {
			t.Errorf("no hole has the case %q: %v", what, open.Seen)
		}
	}
}
