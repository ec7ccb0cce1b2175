package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestCallbacksOfASilentDeck tells whose callbacks the list lacks. The other deck may be called anything.
func TestCallbacksOfASilentDeck(t *testing.T) {
	t.Parallel()
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"counts":{},"callbacks":[],"silent":["http://127.0.0.1:7002\u001b[2J"]}`)
	}))
	t.Cleanup(admin.Close)
	code, stdout, stderr := command("callbacks", "--admin-url", admin.URL)
	if code != 0 || !strings.HasPrefix(stdout, "NUMBER") || strings.Contains(stderr, "\x1b") ||
		!strings.Contains(stderr, "warning: the callbacks of the deck at http://127.0.0.1:7002") {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
}
