package cassettes_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

// keepAll is a change that changes nothing.
func keepAll(t *cassettes.Tape) ([]redact.Clean, error) { return t.Exchanges, nil }

func TestEdit(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "a")
	add(t, c, 3)
	finish(t, c)
	before := readFile(t, dir, "a.yaml")
	file, err := l.Edit("a", &fakeCleaner{tb: t}, keepAll)
	if err != nil || file != filepath.Join(dir, "a.yaml") {
		t.Fatalf("got %q, %v", file, err)
	}
	if after := readFile(t, dir, "a.yaml"); !bytes.Equal(after, before) {
		t.Errorf("a change that changes nothing wrote\n%s", after)
	}
	_, err = l.Edit("a", &fakeCleaner{tb: t}, func(t *cassettes.Tape) ([]redact.Clean, error) {
		return slices.Delete(t.Exchanges, 1, 2), nil
	})
	if got := numbers(load(t, l, "a")); err != nil || !slices.Equal(got, []int{1, 3}) {
		t.Errorf("%v: exchanges %v", err, got)
	}
	if got := files(t, dir); !slices.Equal(got, []string{"a.yaml"}) {
		t.Errorf("left behind: %v", got)
	}
}

// TestEditRefuses wants nothing to be written where there is nothing good to write.
func TestEditRefuses(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "a")
	add(t, c, 2)
	finish(t, c)
	before := readFile(t, dir, "a.yaml")
	refused := errors.New("refused")
	for why, change := range map[string]func(*cassettes.Tape) ([]redact.Clean, error){
		"a change that fails":  func(*cassettes.Tape) ([]redact.Clean, error) { return nil, refused },
		"no exchange":          func(*cassettes.Tape) ([]redact.Clean, error) { return nil, nil },
		"what was not cleaned": func(*cassettes.Tape) ([]redact.Clean, error) { return make([]redact.Clean, 1), nil },
		"numbers that go down": func(t *cassettes.Tape) ([]redact.Clean, error) { slices.Reverse(t.Exchanges); return t.Exchanges, nil },
		"a number that recurs": func(t *cassettes.Tape) ([]redact.Clean, error) {
			return append(t.Exchanges[:1:1], t.Exchanges[0]), nil
		},
	} {
		if _, err := l.Edit("a", &fakeCleaner{tb: t}, change); err == nil {
			t.Errorf("%s: no error", why)
		}
		if after := readFile(t, dir, "a.yaml"); !bytes.Equal(after, before) {
			t.Errorf("%s: wrote\n%s", why, after)
		}
	}
	if _, err := l.Edit("missing", &fakeCleaner{tb: t}, keepAll); !errors.Is(err, cassettes.ErrNotFound) {
		t.Errorf("of a cassette that is not there: %v", err)
	}
	busy := record(t, l, "a")
	if _, err := l.Edit("a", &fakeCleaner{tb: t}, keepAll); err == nil {
		t.Error("a cassette that is being recorded was edited")
	}
	finish(t, busy)
	if got := files(t, dir); !slices.Equal(got, []string{"a.yaml"}) {
		t.Errorf("left behind: %v", got)
	}
}

// TestEditTakesTheJournal wants what a killed recording has left to be a part of what is edited.
func TestEditTakesTheJournal(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "a")
	add(t, c, 2)
	journal := readFile(t, dir, "a.journal")
	finish(t, c)
	if err := os.Remove(filepath.Join(dir, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, journal, dir, "a.journal")
	if _, err := l.Edit("a", &fakeCleaner{tb: t}, keepAll); err != nil {
		t.Fatal(err)
	}
	if got := load(t, l, "a"); got.Left != 0 || !got.Sealed || len(got.Exchanges) != 2 {
		t.Errorf("%d exchanges, %d left, sealed: %v", len(got.Exchanges), got.Left, got.Sealed)
	}
	if got := files(t, dir); !slices.Equal(got, []string{"a.yaml"}) {
		t.Errorf("left behind: %v", got)
	}
}

func TestCreate(t *testing.T) {
	l, dir := library(t)
	all := []redact.Clean{cleaned(t, sample(1)), cleaned(t, sample(4))}
	if _, err := l.Create("shop/a", all); err != nil {
		t.Fatal(err)
	}
	if got := load(t, l, "shop/a"); !got.Sealed || !slices.Equal(numbers(got), []int{1, 4}) {
		t.Errorf("exchanges %v, sealed: %v", numbers(got), got.Sealed)
	}
	if _, err := l.Create("shop/a", all); !errors.Is(err, cassettes.ErrExists) {
		t.Errorf("a second time: %v", err)
	}
	if _, err := l.Create("other/b", nil); err == nil {
		t.Error("a cassette without exchanges was made")
	}
	if got := files(t, dir); !slices.Equal(got, []string{"shop"}) {
		t.Errorf("left behind: %v", got)
	}
}

// TestFilesOfAnyName wants a file to be read and written that has no name of a cassette, as git makes
// them.
func TestFilesOfAnyName(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".merge_file_a1")
	writeFile(t, nil, path)
	if got, err := cassettes.ReadFile(path, &fakeCleaner{tb: t}); err != nil || len(got.Exchanges) != 0 {
		t.Errorf("an empty file: %v, %v", got, err)
	}
	text, err := cassettes.Encode([]redact.Clean{cleaned(t, sample(1)), cleaned(t, sample(2))})
	if err == nil {
		err = cassettes.WriteFile(path, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := cassettes.ReadFile(path, &fakeCleaner{tb: t})
	if err != nil || !got.Sealed || !slices.Equal(numbers(got), []int{1, 2}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := cassettes.ReadFile(path+"x", &fakeCleaner{tb: t}); err == nil {
		t.Error("a file that is not there was read")
	}
}

// TestConflicts wants a file with a conflict to be refused where it begins, and to be whole again when
// somebody has chosen.
func TestConflicts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	text, err := cassettes.EncodeConflicts([]cassettes.Piece{
		{Exchange: cleaned(t, sample(1))},
		{Ours: []redact.Clean{cleaned(t, sample(2))}, Theirs: []redact.Clean{cleaned(t, sample(2))}},
		{Theirs: []redact.Clean{cleaned(t, sample(3))}},
	})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, text, path)
	_, err = cassettes.ReadFile(path, &fakeCleaner{tb: t})
	if err == nil || !strings.Contains(err.Error(), "line 28 begins a conflict") {
		t.Errorf("got %v", err)
	}
	var chosen []string
	ours := true
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "<<<<<<< "), strings.HasPrefix(line, ">>>>>>> "):
			ours = true
		case line == "=======\n":
			ours = false
		case ours:
			chosen = append(chosen, line)
		}
	}
	writeFile(t, []byte(strings.Join(chosen, "")), path)
	got, err := cassettes.ReadFile(path, &fakeCleaner{tb: t})
	if err != nil || !slices.Equal(numbers(got), []int{1, 2}) {
		t.Errorf("ours was chosen: %v", err)
	}
}

// TestTaken wants a tape to tell what cleaning took out of a file that somebody has edited, and nothing
// of what was taken out before.
func TestTaken(t *testing.T) {
	l, dir := library(t)
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	r := redact.New(redact.Options{Profiles: set})
	x := sample(1)
	x.Request.Body += "&password=hunter2-Secret"
	if _, err := l.Create("a", []redact.Clean{r.Clean(x), r.Clean(sample(2))}); err != nil {
		t.Fatal(err)
	}
	file := readFile(t, dir, "a.yaml")
	typed := bytes.Replace(file, []byte("orderNumber=n2&"), []byte("password=another-0ne&orderNumber=n2&"), 1)
	writeFile(t, typed, dir, "a.yaml")
	got, err := l.Load("a", redact.New(redact.Options{Profiles: set}))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Taken) != 1 || got.Taken[0].Exchange != 2 ||
		!slices.Equal(got.Taken[0].Lines, []string{"request form password: token 2"}) {
		t.Errorf("got %v", got.Taken)
	}
	if bytes.Contains([]byte(got.Exchanges[1].Exchange().Request.Body), []byte("another")) {
		t.Error("what was typed is still there")
	}
}
