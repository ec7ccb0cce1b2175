package cassettes_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dnaeon/go-vcr/v2/recorder"
	"github.com/google/go-cmp/cmp"
)

// offline is a transport that fails the test when it is used.
type offline struct{ t *testing.T }

func (o offline) RoundTrip(*http.Request) (*http.Response, error) {
	o.t.Error("replay went to the network")
	return nil, errors.New("offline")
}

// TestGoVCRReplaysOurs plays one of our cassettes with go-vcr's own recorder.
func TestGoVCRReplaysOurs(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "a")
	var bodies []string
	for _, body := range []string{
		`{"orderId":"70906e55","list":[1,2.50,{"a":" b"}],"text":"é\n\"\\ \u2028"}`,
		"\n\tline feed and tab first\n",
		"",
	} {
		x := sample(c.Next())
		x.Response.Body = body
		bodies = append(bodies, body)
		if err := c.Append(cleaned(t, x)); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, c)
	r, err := recorder.NewAsMode(filepath.Join(dir, "a"), recorder.ModeReplaying, offline{t})
	if err != nil {
		t.Fatal(err)
	}
	r.SkipRequestLatency = true
	client := &http.Client{Transport: r}
	for i, want := range bodies {
		resp, err := client.PostForm(sample(1).URL, url.Values{"orderNumber": {"n1"}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		if err != nil || string(got) != want || resp.Status != "200 OK" {
			t.Errorf("answer %d: %s %q, %v, want %q", i+1, resp.Status, got, err, want)
		}
		if diff := cmp.Diff(sample(1).Response.Headers, resp.Header); diff != "" {
			t.Errorf("answer %d: headers (-want +got):\n%s", i+1, diff)
		}
	}
	if _, err := client.PostForm(sample(1).URL, nil); err == nil {
		t.Error("go-vcr found more exchanges than were recorded")
	}
}

// TestLoadsWhatGoVCRWrote records with go-vcr's own recorder and loads its file.
func TestLoadsWhatGoVCRWrote(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.PostFormValue("amount"))
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"amount":"`+r.PostFormValue("amount")+"\",\n \"n\":1.00}")
	}))
	defer server.Close()
	l, dir := library(t)
	r, err := recorder.NewAsMode(filepath.Join(dir, "vcr"), recorder.ModeRecording, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: r}
	for _, amount := range []string{"100", "200"} {
		resp, err := client.PostForm(server.URL+"/pay?x=1", url.Values{"amount": {amount}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	cleaner := &fakeCleaner{tb: t}
	tape, err := l.Load("vcr", cleaner)
	if err != nil {
		t.Fatal(err)
	}
	if cleaner.cleaned != 2 || len(tape.Exchanges) != 2 || len(tape.Warnings) != 1 ||
		!strings.Contains(tape.Warnings[0], "another program") {
		t.Fatalf("%d cleaned, %d exchanges, warnings %q",
			cleaner.cleaned, len(tape.Exchanges), tape.Warnings)
	}
	x := tape.Exchanges[1].Exchange()
	got := []any{
		x.Meta.Number, x.Method, x.URL, x.Request.Body, x.Form.Get("amount"), x.Code, x.Status,
		x.Response.Headers.Get("X-Echo"), x.Response.Body, x.Duration > 0,
	}
	want := []any{
		2, "POST", server.URL + "/pay?x=1", "amount=200", "200", 201, "201 Created",
		"200", "{\"amount\":\"200\",\n \"n\":1.00}", true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("second exchange (-want +got):\n%s", diff)
	}
}
