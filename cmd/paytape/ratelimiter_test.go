package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// Clients that are refused all the time do not fill the log, and nothing is forgotten.
func TestRefusalsDoNotFloodTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got bytes.Buffer
		observe := observer(slog.New(slog.NewTextHandler(&got, nil)))
		refused := func(times int, reason string) {
			for range times {
				observe(proxy.Event{Kind: proxy.Refused, Code: 400, Problem: reason})
			}
		}
		for range 1000 { // the body of a request may turn out to be bad behind a good head
			observe(proxy.Event{Kind: proxy.Failed, Code: 400, Problem: "request"})
		}
		lines := func(of string) int { return strings.Count(got.String(), of) }
		refused(1000, "framing")
		refused(1, "expect")
		if lines("problem=framing") != rateLimit || lines("problem=expect") != 1 ||
			lines("problem=request") != rateLimit {
			t.Errorf("in the first minute:\n%s", &got)
		}
		got.Reset()
		<-time.After(ratePeriod) // simulated
		refused(20, "framing")
		if lines("problem=framing") != rateLimit || lines("before=990\n") != 1 {
			t.Errorf("in the second minute:\n%s", &got)
		}
	})
}

// A client may send with every request what the gate has to keep off the tape.
func TestWithheldValuesDoNotFloodTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got bytes.Buffer
		tell := withheld(slog.New(slog.NewTextHandler(&got, nil)))
		for range 1000 {
			tell(redact.New(redact.Options{}).Text("gate: register.do: body"))
		}
		<-time.After(ratePeriod) // simulated
		tell(redact.Safe{})
		if n := strings.Count(got.String(), "\n"); n != rateLimit+1 {
			t.Errorf("%d lines", n)
		}
		if !strings.HasSuffix(got.String(), "before=990\n") {
			t.Errorf("the last does not tell of the others:\n%s", &got)
		}
	})
}

// Who wants to see all of them can.
func TestEveryRefusalIsLoggedAtDebug(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	log, err := newLog("debug", logJSON, &got)
	if err != nil {
		t.Fatal(err)
	}
	observe := observer(log)
	for range 100 {
		observe(proxy.Event{Kind: proxy.Refused, Problem: "framing"})
	}
	if n := strings.Count(got.String(), "\n"); n != 100 {
		t.Errorf("%d lines, want 100", n)
	}
}
