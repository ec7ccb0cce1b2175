package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf/leaftest"
	"github.com/paytape/paytape/match"
)

func TestParseCredentials(t *testing.T) {
	t.Parallel()
	const secret = "s3cret"
	for _, test := range []struct {
		name, text string
		want       match.Credentials
		wrong      string // the error; none of them repeats a value
	}{
		{"good and bad", "password=" + secret + "\nX-API-KEY!=k\n", match.Credentials{
			{Name: "password", Value: secret}, {Name: "X-API-KEY", Value: "k", Bad: true}}, ""},
		{"comments, blanks and line ends of another system",
			"# mine\r\n\r\n  password = " + secret + " \r\n",
			match.Credentials{{Name: "password", Value: secret}}, ""},
		{"signs in a value", "token=a=b!=c#d", match.Credentials{{Name: "token", Value: "a=b!=c#d"}}, ""},
		{"several of one name", "password=a\npassword=b\npassword!=c", match.Credentials{
			{Name: "password", Value: "a"}, {Name: "password", Value: "b"},
			{Name: "password", Value: "c", Bad: true}}, ""},
		{"no sign", "password=a\n" + secret, nil, "f:2: expected NAME=VALUE or NAME!=VALUE"},
		{"no name", "=" + secret, nil, "f:1: expected the name of a field before the ="},
		{"no name, bad", "!=" + secret, nil, "f:1: expected the name of a field before the ="},
		{"no value", "# x\npassword=", nil, "f:2: expected a value behind the ="},
		{"good and bad at once", "password=" + secret + "\nPassword!=" + secret, nil,
			"f:2: the same value is good in one line and bad in another"},
		{"nothing", "# nothing\n", nil, "f: expected credentials, found none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseCredentials("f", test.text)
			if test.wrong != "" {
				if err == nil || err.Error() != test.wrong {
					t.Errorf("got error %v, want %s", err, test.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(test.want) {
				t.Fatalf("got %d credentials, want %d", len(got), len(test.want))
			}
			for i, c := range got {
				if c != test.want[i] {
					t.Errorf("credential %d is another", i)
				}
			}
		})
	}
}

func TestReadCredentials(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const text = "password=hunter2\n"
	if cs, err := readCredentials(write("own", text, 0o600)); err != nil || len(cs) != 1 {
		t.Errorf("a file of one's own: %d credentials, %v", len(cs), err)
	}
	large := strings.Repeat("#", maxCredentials) + "\n" + text
	for name, file := range map[string]string{
		"is too large":           write("large", large, 0o600),
		"expected the name of a": dir,
		"no such file":           filepath.Join(dir, "password=hunter2"),
		"others may read":        write("open", text, 0o640),
		"expected NAME=VALUE":    write("broken", "hunter2", 0o600),
	} {
		if runtime.GOOS == "windows" && name == "others may read" {
			continue
		}
		_, err := readCredentials(file)
		wrong, usage := errors.AsType[*usageError](err)
		if !usage || !strings.Contains(wrong.Error(), name) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Whatever stands in the file, no error repeats a line of it.
func FuzzParseCredentials(f *testing.F) {
	f.Add("password=a\n# b\nkey!=c")
	f.Add("=\n!=\nx")
	f.Fuzz(func(t *testing.T, text string) {
		cs, err := parseCredentials("f", text)
		if err == nil {
			for _, c := range cs {
				if c.Name == "" || c.Value == "" || strings.ContainsAny(c.Value, "\n") {
					t.Error("a credential without a name or a value, or of two lines")
				}
			}
			return
		}
		if cs != nil {
			t.Error("an error comes with something else")
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) > 20 && strings.Contains(err.Error(), line) {
				t.Error("an error repeats a line")
			}
		}
	})
}

func TestCredentialsDoNotPrint(t *testing.T) {
	t.Parallel()
	leaftest.Unprinted(t, match.Credential{})
}
