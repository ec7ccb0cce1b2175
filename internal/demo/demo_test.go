package demo_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/paytape/paytape/internal/demo"
	"github.com/paytape/paytape/redact/audit"
)

// TestRun wants the demo to hold, and nothing secret in what it prints and keeps.
func TestRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	kept, err := demo.Run(t.Context(), demo.Options{
		Dir: t.TempDir(), Out: &out, Warn: func(w string) { t.Errorf("warning: %s", w) },
	})
	if err != nil {
		t.Fatal(err)
	}
	tape, err := os.ReadFile(kept.File)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"story": out.String(), "tape": string(tape)} {
		for _, found := range audit.Find(text) {
			t.Errorf("the %s holds a %s at byte %d", what, found.Kind, found.Offset)
		}
	}
}
