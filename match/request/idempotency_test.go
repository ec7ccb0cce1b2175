package request

import (
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

// TestIdempotencyKeysHaveRows looks whether http.yaml leaves out of the comparison what clients send as keys.
func TestIdempotencyKeysHaveRows(t *testing.T) {
	t.Parallel()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	call := set.Find("POST", "/unknown")
	for _, name := range idempotencyHeaders {
		if f, known := set.HeaderField(call, profile.Request, name); !known || f.From != profile.Ignored {
			t.Errorf("%s: %v, known: %v", name, f, known)
		}
	}
	for _, name := range idempotencyParams {
		f, known := set.Meaning(call, profile.Request, profile.At{Key: name, Shape: name})
		if !known || f.From != profile.Shared {
			t.Errorf("%s: %v, known: %v", name, f, known)
		}
	}
}

// TestSameness compares two writes under one key: what differs makes them two, but for what clients make anew for each
// attempt, and in whatever order the rest comes.
func TestSameness(t *testing.T) {
	t.Parallel()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	of := func(body string) uint64 {
		r := New(set, "POST", "/api/charges", nil, body)
		return Sameness(r.Params)
	}
	const first = `{"amount":100,"order":"A-1","nonce":"x1"}`
	for _, test := range []struct {
		body string
		same bool
	}{
		{`{"order":"A-1","nonce":"x2","amount":100}`, true},
		{`{"amount":101,"order":"A-1","nonce":"x1"}`, false},
		{`{"amount":100,"nonce":"x1"}`, false},
		{`{"amount":100,"order":"A-1","nonce":"x1","more":""}`, false},
		{`{"amount":"A-1","order":100,"nonce":"x1"}`, false},
	} {
		if got := of(test.body) == of(first); got != test.same {
			t.Errorf("%s is the same: %v", test.body, got)
		}
	}
}
