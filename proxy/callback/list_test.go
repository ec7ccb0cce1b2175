package callback_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy/callback"
)

// TestCountsInALog wants the same of counts in a log of JSON as JSON has of them, and words in one of text.
func TestCountsInALog(t *testing.T) {
	t.Parallel()
	c := callback.Counts{}
	for i := range reflect.TypeFor[callback.Counts]().NumField() {
		reflect.ValueOf(&c).Elem().Field(i).SetInt(int64(i + 1))
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("summary", "callbacks", c)
	var got struct{ Callbacks callback.Counts }
	if err := json.Unmarshal(log.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got.Callbacks); diff != "" {
		t.Errorf("of JSON (-want +got):\n%s", diff)
	}
	log.Reset()
	slog.New(slog.NewTextHandler(&log, nil)).Info("summary", "callbacks", c)
	if text := log.String(); !strings.Contains(text, " callbacks.events=1 ") || strings.Contains(text, "{") {
		t.Errorf("of text: %s", text)
	}
}
