package cassettes

import (
	"strings"
	"testing"
)

// FuzzReadRecording wants no panic of what import reads, and no value in its errors.
func FuzzReadRecording(f *testing.F) {
	const card = "411111" + "1111111111"
	f.Add([]byte(`{"log":{"entries":[{"request":{"method":"GET","url":"/a"},` +
		`"response":{"status":200,"content":{"text":"e30=","encoding":"base64"}}}]}}`))
	f.Add([]byte("version: 2\ninteractions:\n- request: {url: /a, method: GET}\n" +
		"  response: {code: 200}\n"))
	f.Add([]byte("interactions: " + card))
	f.Add([]byte(`{"log":{"entries":[{"request":{"method":"` + card + `"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadRecording(data)
		if err != nil && strings.Contains(err.Error(), card) {
			t.Error("an error quotes the file")
		}
		for _, x := range r.exchanges {
			if x.Request.Method == "" || x.Request.URL == "" {
				t.Error("an exchange has no request")
			}
		}
	})
}
