package deck

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/codec"
)

// TestKey changes each thing on which a tape depends, and what it does not depend on.
func TestKey(t *testing.T) {
	t.Parallel()
	options := func(change func(o *Options, seals []string)) (codec.Key, string) {
		o := Options{Dir: "d", Cassettes: []string{"a", "b"}, Knowledge: &Knowledge{rewrite: "r"}}
		o.Knowledge.base = profileSources{[]string{"p"}, map[string][]byte{"p": nil, "base": nil}}
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
		"a profile":             func(o *Options, _ []string) { o.Knowledge.base.texts["p"] = []byte("x") },
		"what it extends":       func(o *Options, _ []string) { o.Knowledge.base.texts["base"] = []byte("x") },
		"the rows of rules":     func(o *Options, _ []string) { o.Knowledge.rewrite = "q" },
		"one profile more":      func(o *Options, _ []string) { o.Knowledge.base.profiles = []string{"p", "base"} },
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
	const large = mostKept/2 - 1
	now := time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		files []string // the first was used now, and each next one ten minutes before
		size  int64    // of each; they take no room on the disk
		gone  []string
	}{
		"few":                {[]string{"a-1.tape", "b-1.tape", "a-2.part", "c-1.tape"}, large / 2, nil},
		"too much":           {[]string{"a-1.tape", "b-1.tape", "c-1.tape", "d-1.tape"}, large, []string{"c-1.tape", "d-1.tape"}},
		"files of others":    {[]string{"a-1.tape", "notes.txt", "b-1.tape", "song.mp3"}, large, nil},
		"too many of a tape": {[]string{"a-1.tape", "a-2.tape", "b-1.tape", "a-3.tape", "a-4.tape", "a-5.tape", "b-2.tape"}, 9, []string{"a-5.tape"}},
		"many of another":    {[]string{"b-1.tape", "b-2.tape", "b-3.tape", "b-4.tape", "b-5.tape"}, 9, nil},
		"abandoned": {[]string{"a-1.tape", "a-2.part", "b-1.part", "a-3.part", "a-4.part", "a-5.part", "a-6.part",
			"a-7.part", "b-2.part"}, 9, []string{"a-7.part", "b-2.part"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var want []string
			for i, name := range test.files {
				file, at := filepath.Join(dir, name), now.Add(-time.Duration(i)*10*time.Minute)
				err := os.WriteFile(file, nil, 0o600)
				if err == nil {
					err = os.Truncate(file, test.size)
				}
				if err == nil {
					err = os.Chtimes(file, at, at)
				}
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Contains(test.gone, name) {
					want = append(want, name)
				}
			}
			tidy(dir, "a", now)
			slices.Sort(want)
			if left := filesIn(dir); !slices.Equal(left, want) {
				t.Errorf("%q are left, want %q", left, want)
			}
		})
	}
}

// filesIn returns the names of the files of a folder, sorted; none if it is no folder.
func filesIn(dir string) []string {
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestKeep keeps a tape where others have left files, and where it cannot be kept.
func TestKeep(t *testing.T) {
	t.Parallel()
	known, err := NewKnowledge(KnowledgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: filepath.Join("..", "..", "testdata"), Cassettes: []string{"stories"}, Knowledge: known}
	tape, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for what, test := range map[string]struct {
		ctx    context.Context
		before []string // files in the folder
		dir    string   // of the tape, below the folder
		want   []string
	}{
		"nothing there":   {t.Context(), nil, "", []string{"NAME.tape"}},
		"no folder there": {t.Context(), nil, "a/b", []string{"NAME.tape"}},
		"an older tape, and one that was not written to the end": {t.Context(),
			[]string{"name-01.tape", "name-17.part", "other-01.tape"}, "",
			[]string{"NAME.tape", "name-01.tape", "name-17.part", "other-01.tape"}},
		"the same tape, damaged":        {t.Context(), []string{"NAME.tape"}, "", []string{"NAME.tape"}},
		"writing ends before its time":  {ended, []string{"other-01.tape"}, "", []string{"other-01.tape"}},
		"a file in place of the folder": {t.Context(), []string{"file"}, "file", nil},
		"a folder in place of the file": {t.Context(), []string{"NAME.tape/x"}, "", []string{"NAME.tape"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := derivation{dir: filepath.Join(dir, filepath.FromSlash(test.dir)), name: "name", key: codec.Key{1}}
			named := func(name string) string {
				return strings.Replace(name, "NAME.tape", filepath.Base(d.file()), 1)
			}
			for _, name := range test.before {
				file := filepath.Join(dir, filepath.FromSlash(named(name)))
				err := os.MkdirAll(filepath.Dir(file), 0o700)
				if err == nil {
					err = os.WriteFile(file, []byte("left by somebody"), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			d.keep(test.ctx, tape.compiled)
			var want []string
			for _, name := range test.want {
				want = append(want, named(name))
			}
			slices.Sort(want)
			if left := filesIn(d.dir); !slices.Equal(left, want) {
				t.Errorf("%q are left, want %q", left, want)
			}
			_, err := d.read(o.compiling(time.Now))
			whole := slices.Contains(test.want, "NAME.tape") && !slices.Contains(test.before, "NAME.tape/x")
			if whole != (err == nil) {
				t.Errorf("the tape is read: %v", err)
			}
		})
	}
}
