package main

import (
	"strings"
	"testing"
)

// FuzzReadRecording wants no panic of what import reads, and no value in its errors.
func FuzzReadRecording(f *testing.F) {
	f.Add(harOf(harPolls))
	f.Add([]byte("version: 2\ninteractions:\n- request: {url: /a, method: GET}\n" +
		"  response: {code: 200}\n"))
	f.Add([]byte(`{"log":{"entries":[{"request":{"method":"` + paidCard + `"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := readRecording(data)
		if err != nil && strings.Contains(err.Error(), paidCard) {
			t.Error("an error quotes the file")
		}
		for _, x := range r.exchanges {
			if x.Request.Method == "" || x.Request.URL == "" {
				t.Error("an exchange has no request")
			}
		}
	})
}
