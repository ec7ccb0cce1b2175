package redact_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/check"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/audit"
)

// TestCheckFindsNothingOnTape records hostile traffic and looks into the tape as the command "check"
// does: nothing is found on what we wrote, whatever is found in the traffic itself.
func TestCheckFindsNothingOnTape(t *testing.T) {
	set, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	options := redact.Options{Profiles: set}
	dir := filepath.Join(t.TempDir(), "cassettes")
	library, err := cassettes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	cleaner := redact.New(options)
	tape, err := library.Record("hostile", cleaner)
	if err != nil {
		t.Fatal(err)
	}
	d, fields := draw{rand.New(rand.NewPCG(15, 9))}, calls(t)
	live := 0 // exchanges in which an audit finds something
	const rounds = 400
	for i := range rounds {
		x := d.hiding(fields).exchange()
		if i%2 == 0 {
			x = attacks[i/2%len(attacks)](d).x
		}
		if len(audit.Find(saved(t, x))) > 0 || len(audit.Fields(cleaner, x)) > 0 {
			live++
		}
		x.Meta.Number = tape.Next()
		if err := tape.Append(cleaner.Clean(x)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	if live < rounds/2 {
		t.Errorf("an audit finds something in %d of %d exchanges as they were sent", live, rounds)
	}
	file := filepath.Join(dir, "hostile.yaml")
	found, errs := check.New(options, 2).Files(t.Context(), []string{file})
	if errs[0] != nil {
		t.Fatal(errs[0])
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(content), "\n")
	for _, f := range found[0] {
		t.Errorf("exchange %d: %s: %s in %s", f.Exchange, f.Field, f.Kind, lines[f.Line-1])
	}
}
