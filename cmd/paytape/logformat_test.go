package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Whoever asks for JSON gets JSON alone, also of what keeps a command from starting.
func TestErrorsAtStartAreJSON(t *testing.T) {
	for _, test := range []struct {
		name, args, env, file string
	}{
		{"an unknown flag", "replay --log-format json --bogus tape", "", ""},
		{"an unknown flag before", "replay --bogus --log-format=json tape", "", ""},
		{"too few arguments", "replay --log-format json", "", ""},
		{"a value that is not valid", "replay --seed x --log-format json tape", "", ""},
		{"an address that is none", "replay --log-format json --listen x tape", "", ""},
		{"a log level that is none", "replay --log-format json --log-level x tape", "", ""},
		{"a variable that is not valid", "replay --log-format json tape", "PAYTAPE_STRICT=x", ""},
		{"a stray variable", "replay --log-format json tape", "PAYTAPE_STRAY=x", ""},
		{"asked for by a variable", "replay --bogus tape", "PAYTAPE_LOG_FORMAT=json", ""},
		{"a file with an unknown key", "replay --log-format json tape", "", "lisen: a\n"},
		{"a file that is no YAML", "replay --log-format json tape", "", "listen: [a\n"},
		{"asked for by the file", "replay --bogus tape", "", "log-format: json\n"},
		{"no cassette", "replay --log-format json tape", "", ""},
		{"no command", "run --log-format json tape", "", ""},
		{"a command that is not there", "run --log-format json tape -- no-such-command", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile(settingsFile, []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
			code, said := startWith(test.args, test.env)
			if code == exitDone || len(said) == 0 {
				t.Fatalf("exit code %d, said %q", code, said)
			}
			for line := range strings.Lines(said) {
				if !json.Valid([]byte(line)) {
					t.Errorf("said %q", line)
				}
			}
		})
	}
}

// What a command that is run is told is not for us, and who wants text gets it.
func TestErrorsAtStartAreText(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, args := range map[string]string{
		"for another":   "run tape -- no-such-command --log-format json",
		"not asked for": "replay --bogus tape",
		"no such flag":  "show --bogus tape",
	} {
		env := "PAYTAPE_LOG_FORMAT="
		if name == "no such flag" {
			env += "json"
		}
		if _, said := startWith(args, env); !strings.HasPrefix(said, "paytape: error: ") {
			t.Errorf("%s: said %q", name, said)
		}
	}
}

// startWith runs a command line with one variable set and returns what it says on stderr.
func startWith(args, variable string) (code int, said string) {
	var stderr bytes.Buffer
	code = run(context.Background(), Env{
		Args: strings.Fields(args), Stdin: strings.NewReader(""),
		Stdout: &bytes.Buffer{}, Stderr: &stderr, Environ: strings.Fields(variable),
		Lookup: func(name string) (string, bool) {
			key, value, ok := strings.Cut(variable, "=")
			return value, ok && key == name
		},
	})
	return code, stderr.String()
}
