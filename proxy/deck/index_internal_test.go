package deck

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/codec"
)

// TestKey changes each thing on which a tape depends, and what it does not depend on.
func TestKey(t *testing.T) {
	t.Parallel()
	options := func(change func(o *Options, seals []string)) (codec.Key, string) {
		o := Options{Dir: "d", Cassettes: []string{"a", "b"}, Knowledge: &Knowledge{rewrite: "r"}}
		o.Knowledge.base = make(profileSources, 1)
		seals := []string{"s", "t"}
		change(&o, seals)
		key, err := o.key(seals)
		if err != nil {
			t.Fatal(err)
		}
		return key, o.tapeName()
	}
	plain, name := options(func(*Options, []string) {})
	for what, change := range map[string]func(o *Options, seals []string){
		"a cassette":            func(_ *Options, seals []string) { seals[1] = "u" },
		"the order":             func(_ *Options, seals []string) { slices.Reverse(seals) },
		"the name of one":       func(o *Options, _ []string) { o.Cassettes[0] = "c" },
		"failures":              func(o *Options, _ []string) { o.Play.Failures = true },
		"dates":                 func(o *Options, _ []string) { o.Play.KeepDates = true },
		"a profile":             func(o *Options, _ []string) { o.Knowledge.base[0].data = []byte("x") },
		"the rows of rules":     func(o *Options, _ []string) { o.Knowledge.rewrite = "q" },
		"one profile more":      func(o *Options, _ []string) { o.Knowledge.base = make(profileSources, 2) },
		"where one text begins": func(_ *Options, seals []string) { seals[0], seals[1] = "st", "" },
	} {
		if key, _ := options(change); key == plain {
			t.Errorf("%s is no part of the key", what)
		}
	}
	if key, other := options(func(o *Options, _ []string) { o.Play.Seed = 3 }); key != plain || other != name {
		t.Error("what is minted is part of the key")
	}
	if _, other := options(func(o *Options, _ []string) { o.Dir = "e" }); other == name {
		t.Error("cassettes of two folders have one name")
	}
}

func TestTidy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, name := range []string{"old.tape", "half.part", "used.tape", "new.tape", "notes.txt"} {
		file := filepath.Join(dir, name)
		at := time.Unix(int64(1_000_000_000+i), 0)
		err := os.WriteFile(file, make([]byte, 100), 0o600)
		if err == nil {
			err = os.Chtimes(file, at, at)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tidy(dir, 250)
	var left []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"new.tape", "notes.txt", "used.tape"}; err != nil || !slices.Equal(left, want) {
		t.Error(fmt.Sprint(left), "are left", err)
	}
}
