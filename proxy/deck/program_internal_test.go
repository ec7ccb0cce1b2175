package deck

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestProgramSum links a program twice, with another text in it: what tells the two apart is what the go
// command says, and a program without a build ID is summed up.
func TestProgramSum(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("programs of this system have their build ID elsewhere, and are summed up")
	}
	dir := t.TempDir()
	seen := map[string]string{}
	for name, text := range map[string]string{"a": "one", "b": "two"} {
		source, program := filepath.Join(dir, name+".go"), filepath.Join(dir, name)
		write(t, source, "package main\n\nfunc main() { println(\""+text+"\") }\n")
		output(t, "build", "-o", program, source)
		id := idOf(t, program)
		if want := strings.TrimSpace(output(t, "tool", "buildid", program)); id != want || !goBuildID.MatchString(id) {
			t.Errorf("%s: the build ID is %q, and the go command says %q", name, id, want)
		}
		if seen[id] != "" {
			t.Errorf("%s and %s have one ID", name, seen[id])
		}
		seen[id] = name
	}
	bare := filepath.Join(dir, "bare")
	output(t, "build", "-o", bare, "-ldflags=-buildid=redacted", filepath.Join(dir, "a.go"))
	if id := idOf(t, bare); goBuildID.MatchString(id) {
		t.Errorf("a program without an ID has %q", id)
	}
	for _, other := range []string{"", "no program", "\x7fELF", strings.Repeat("\x7fELF\x02\x01\x01\x00", 100)} {
		if id := buildID(strings.NewReader(other)); id != "" {
			t.Errorf("%.10q has the ID %q", other, id)
		}
	}
	if sum, err := programSum(); err != nil || sum == "" {
		t.Errorf("this program: %q, %v", sum, err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func idOf(t *testing.T, program string) string {
	t.Helper()
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	return buildID(bytes.NewReader(text))
}

// output runs the go command.
func output(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}
