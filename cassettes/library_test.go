package cassettes_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/cassettes"
)

func TestList(t *testing.T) {
	l, dir := library(t)
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{
		"b.yaml", "a.yaml", "c.journal", "b.journal", "b.lock", "notes.txt", ".hidden.yaml",
		"a.yaml.tmp-abcdefgh", "sub/x.yaml", ".git/y.yaml", "odd name.yaml", "z.yaml.yaml",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, nil, dir, file)
	}
	if err := os.Symlink("a.yaml", filepath.Join(dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, killed(t, l, dir, 1), dir, "d.journal")
	writeFile(t, []byte("damaged"), dir, "e.journal")
	got, err := l.List()
	if diff := cmp.Diff([]string{"a", "b", "d", "e", "sub/x"}, got); diff != "" || err != nil {
		t.Errorf("error %v, names (-want +got):\n%s", err, diff)
	}
}

func TestNames(t *testing.T) {
	tests := []struct{ name, want string }{
		{"checkout", ""},
		{"Card_v1.2-b", ""},
		{"team/checkout", ""},
		{"checkout.yaml", ""},
		{"", "empty"},
		{".yaml", "empty"},
		{"a//b", "empty"},
		{"/etc/passwd", "empty"},
		{"a/", "empty"},
		{"..", "may not begin with a dot"},
		{"../a", "may not begin with a dot"},
		{"a/../../b", "may not begin with a dot"},
		{".hidden", "may not begin with a dot"},
		{"-rf", "or a dash"},
		{"a b", "only letters"},
		{"a\x00", "only letters"},
		{"a\n", "only letters"},
		{`a\b`, "only letters"},
		{"é", "only letters"},
		{"C:a", "only letters"},
		{"nul", "the name of a device"},
		{"a/COM1.old", "the name of a device"},
		{"console", ""},
		{strings.Repeat("a", 200), ""},
		{strings.Repeat("a", 201), "longer than 200"},
		{"a.journal", "may not end in .journal"},
		{"a.lock", "may not end in .lock"},
		{"a.yaml.yaml", "may not end in .yaml"},
		{"a.yaml/b", "may not end in .yaml"},
		{"a.yaml.tmp-x", "may not contain .yaml.tmp-"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, _ := library(t)
			c, err := l.Record(tt.name, &fakeCleaner{tb: t})
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				add(t, c, 1)
				finish(t, c)
				load(t, l, tt.name)
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("recording: got error %v, want one with %q", err, tt.want)
			}
			_, err = l.Load(tt.name, &fakeCleaner{tb: t})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("loading: got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestMissingCassette(t *testing.T) {
	l, dir := library(t)
	check := func(want string) {
		t.Helper()
		_, err := l.Load("checkuot", &fakeCleaner{tb: t})
		want = strings.ReplaceAll(want, "DIR", dir)
		if !errors.Is(err, cassettes.ErrNotFound) || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	check(`no such cassette: "checkuot"; the folder "DIR" holds none`)
	writeFile(t, []byte("{}"), dir, "checkout.yaml")
	writeFile(t, []byte("{}"), dir, "b.yaml")
	check(`no such cassette: "checkuot"; the folder "DIR" holds b, checkout`)
	for _, name := range strings.Split("c d e f g h i j k l", " ") {
		writeFile(t, []byte("{}"), dir, name+".yaml")
	}
	check(`no such cassette: "checkuot"; the folder "DIR" holds ` +
		`b, c, checkout, d, e, f, g, h, i, j and 2 more`)
}

func TestLinksAreNotFollowed(t *testing.T) {
	tests := []struct{ name, link, target string }{
		{"a tape outside", "a.yaml", "../outside/a.yaml"},
		{"a tape inside", "a.yaml", "real.yaml"},
		{"a journal outside", "a.journal", "../outside/a.journal"},
		{"a lock outside", "a.lock", "../outside/a.lock"},
		{"a folder outside", "a", "../outside"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, dir := library(t)
			c := record(t, l, "real")
			add(t, c, 1)
			finish(t, c)
			outside := filepath.Join(dir, "..", "outside")
			if err := os.Mkdir(outside, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(tt.target, filepath.Join(dir, tt.link)); err != nil {
				t.Fatal(err)
			}
			name := "a"
			if tt.link == name {
				name = "a/b"
			}
			if _, err := l.Record(name, &fakeCleaner{tb: t}); err == nil {
				t.Error("a recording followed the link")
			}
			if left := files(t, outside); left != nil {
				t.Errorf("written outside the folder: %q", left)
			}
			if _, err := l.Load(name, &fakeCleaner{tb: t}); err == nil {
				t.Error("loading followed the link")
			}
		})
	}
}

// TestLoadWhileRecording reads a tape whose newer part is still in the journal.
func TestLoadWhileRecording(t *testing.T) {
	l, _ := library(t)
	c := record(t, l, "a")
	_, err := l.Load("a", &fakeCleaner{tb: t})
	if !errors.Is(err, cassettes.ErrNotFound) || !strings.HasSuffix(err.Error(), " holds none") {
		t.Errorf("before anything was recorded: %v", err)
	}
	add(t, c, 2)
	got := load(t, l, "a")
	want := []string{`cassette "a": the journal of a recording that is running or was killed ` +
		`holds 2 exchanges more; the next recording folds it in`}
	if diff := cmp.Diff(want, got.Warnings); diff != "" || len(got.Exchanges) != 2 {
		t.Errorf("%d exchanges, warnings (-want +got):\n%s", len(got.Exchanges), diff)
	}
}

// TestLoadSaysThatAJournalIsTorn kills a recording in the middle of its second exchange.
func TestLoadSaysThatAJournalIsTorn(t *testing.T) {
	l, dir := library(t)
	writeFile(t, []byte(tapeOf(t, 1)), dir, "a.yaml")
	writeFile(t, []byte("paytape journal 1\nentry 2 9"), dir, "a.journal")
	got := load(t, l, "a")
	want := []string{`cassette "a": the journal of a recording that is running or was killed ` +
		`ends in 9 bytes of no whole exchange`}
	if diff := cmp.Diff(want, got.Warnings); diff != "" || len(got.Exchanges) != 1 {
		t.Errorf("%d exchanges, warnings (-want +got):\n%s", len(got.Exchanges), diff)
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, nil, dir, "file")
	if _, err := cassettes.Open(filepath.Join(dir, "file")); err == nil {
		t.Error("a file was opened as a folder")
	}
}
