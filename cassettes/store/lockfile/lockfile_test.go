package lockfile_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/cassettes/store/lockfile"
)

const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

const valid = `# paytape.lock: tapes of this folder, which lie in a store; paytape push writes it, pull reads it
version: 1
tapes:
- {name: "123", sha256: ` + hash + `, size: 8121, exchanges: 9}
- {name: checkout, sha256: ` + hash + `, size: 10240, exchanges: 12, recorded: 2026-05-17T09:30:00Z, profiles: [cardv1, gateway]}
- {name: shop/refund, sha256: ` + hash + `, size: 8121, exchanges: 9, profiles: [gateway]}
`

func parse(t *testing.T, text string) *lockfile.File {
	t.Helper()
	f, err := lockfile.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func encode(t *testing.T, f *lockfile.File) string {
	t.Helper()
	text, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestParse(t *testing.T) {
	t.Parallel()
	f := parse(t, valid)
	if got := encode(t, f); got != valid {
		t.Errorf("it is written as\n%s", got)
	}
	got, ok := f.Tape("checkout")
	want := lockfile.Tape{
		Name: "checkout", SHA256: got.SHA256, Size: 10240, Exchanges: 12,
		Recorded: time.Date(2026, 5, 17, 9, 30, 0, 0, time.UTC), Profiles: []string{"cardv1", "gateway"},
	}
	if !ok || !reflect.DeepEqual(got, want) || got.SHA256.String() != hash {
		t.Errorf("got %+v", got)
	}
	if _, ok := f.Tape("check"); ok {
		t.Error("there is no tape check")
	}
	if n := len(parse(t, "version: 1\ntapes: []\n").Tapes()); n != 0 {
		t.Errorf("%d tapes", n)
	}
}

// A tape that was recorded anew changes one line.
func TestOneLineChanges(t *testing.T) {
	t.Parallel()
	f := parse(t, valid)
	tape, _ := f.Tape("checkout")
	tape.SHA256, tape.Size, tape.Profiles = blob.DigestOf(nil), 3, []string{"a, b]", "null", strings.Repeat("long ", 40)}
	f.Set(tape)
	got, before := strings.Split(encode(t, f), "\n"), strings.Split(valid, "\n")
	if len(got) != len(before) {
		t.Fatalf("%d lines of %d", len(got), len(before))
	}
	changed := 0
	for i := range got {
		if got[i] != before[i] {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("%d lines changed:\n%s", changed, strings.Join(got, "\n"))
	}
	if back, _ := parse(t, strings.Join(got, "\n")).Tape("checkout"); !reflect.DeepEqual(back, tape) {
		t.Errorf("read back as %+v", back)
	}
	f.Set(lockfile.Tape{Name: "a"})
	if first := f.Tapes()[1].Name; first != "a" {
		t.Errorf("the second is %q", first)
	}
	f.Set(lockfile.Tape{Name: "b", Profiles: []string{"a\nb"}})
	if _, err := f.Encode(); err != nil && !strings.Contains(err.Error(), `"b"`) {
		t.Error(err)
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	row := "- {name: a, sha256: " + hash + ", size: 1, exchanges: 1}\n"
	with := func(rows string) string { return "version: 1\ntapes:\n" + rows }
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "1:1: it is empty"},
		{"a comment", "# lock\n", "1:1: it is empty"},
		{"a list", "- a\n", "1:1: expected keys with values"},
		{"not YAML", "version: 1\ntapes:\n- {name: a\n", "not valid YAML"},
		{"two documents", valid + "---\na: b\n", "7:1: a second document"},
		{"another version", "version: 2\ntapes: []\n", "1:10: expected version: 1"},
		{"no version", "tapes: []\n", `1:1: key "version" is missing`},
		{"no tapes", "version: 1\n", `1:1: key "tapes" is missing`},
		{"a mistyped key", "version: 1\ntape: []\n", `2:1: unknown key "tape": tapes is meant, perhaps`},
		{"a key twice", "version: 1\nversion: 1\ntapes: []\n", "2:1:"},
		{"no list", "version: 1\ntapes: {}\n", "2:8: tapes: expected a list"},
		{"a mistyped key of a row", with(strings.Replace(row, "size", "sise", 1)),
			`3:87: unknown key "sise": size is meant, perhaps`},
		{"no name", with("- {sha256: " + hash + ", size: 1, exchanges: 1}\n"), `3:3: key "name" is missing`},
		{"a name outside", with(strings.Replace(row, "name: a", "name: ../a", 1)), "3:10: name: cassette name"},
		{"the name of the lock", with(strings.Replace(row, "name: a", "name: shop/paytape", 1)), "3:10: name: cassette name"},
		{"a file name", with(strings.Replace(row, "name: a", "name: a.yaml", 1)), "3:10: name:"},
		{"a short hash", with("- {name: a, sha256: 9f86, size: 1, exchanges: 1}\n"), "3:21: sha256: expected a SHA-256"},
		{"an upper-case hash", with(strings.Replace(row, hash, strings.ToUpper(hash), 1)), "3:21: sha256:"},
		{"a negative size", with(strings.Replace(row, "size: 1", "size: -1", 1)), "size: expected a number"},
		{"a size that is none", with(strings.Replace(row, "size: 1", "size: [1]", 1)), "size: expected a value"},
		{"a time that is none", with(strings.Replace(row, "size", "recorded: yesterday, size", 1)),
			"recorded: expected a time such as"},
		{"profiles that are no list", with(strings.Replace(row, "size", "profiles: a, size", 1)),
			"profiles: expected a list"},
		{"a profile twice", with(strings.Replace(row, "size", "profiles: [a, a], size", 1)),
			`profiles: "a" is there twice`},
		{"a row twice", with(row + row), `4:3: tape "a" stands behind "a"`},
		{"rows out of order", with(strings.Replace(row, "name: a", "name: b", 1) + row), `4:3: tape "a" stands behind "b"`},
		{"a conflict", with("<<<<<<< ours\n" + row + "=======\n" + row + ">>>>>>> theirs\n"),
			"3:1: a merge has left a conflict"},
	} {
		_, err := lockfile.Parse([]byte(test.text))
		if _, ok := errors.AsType[*lockfile.Error](err); !ok ||
			!strings.HasPrefix(err.Error(), "paytape.lock:") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

// FuzzParse writes what it has read, and reads it again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(valid))
	f.Add([]byte("version: 1\ntapes:\n- &a {name: b, sha256: *a}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := lockfile.Parse(data)
		if err != nil {
			if _, ok := errors.AsType[*lockfile.Error](err); !ok {
				t.Errorf("an error of another type: %v", err)
			}
			return
		}
		text, err := file.Encode()
		if err != nil {
			return // a name of a profile has more than a line
		}
		back, err := lockfile.Parse(text)
		if err != nil || !reflect.DeepEqual(back.Tapes(), file.Tapes()) {
			t.Errorf("%v:\n%s", err, text)
		}
	})
}
