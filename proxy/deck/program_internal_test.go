package deck

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestProgramID links programs with other texts in them. What tells them apart is what the go command says, or
// the digest of a program without a build ID.
func TestProgramID(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("not all systems have their programs in ELF files: a digest tells those apart")
	}
	dir := t.TempDir()
	seen := map[string]string{}
	for name, flags := range map[string]string{"a": "", "b": "", "bare a": "-buildid=redacted", "bare b": "-buildid=redacted"} {
		source, program := filepath.Join(dir, name+".go"), filepath.Join(dir, name)
		write(t, source, fmt.Sprintf("package main\n\nfunc main() { println(%q) }\n", name))
		output(t, "build", "-o", program, "-ldflags="+flags, source)
		want := strings.TrimSpace(output(t, "tool", "buildid", program))
		if flags != "" {
			want = digestOf(t, program)
		}
		id, err := programIDIn(program)
		if err != nil || id != want || seen[id] != "" {
			t.Errorf("%s: the ID is %q, and not %q; %q has it too; %v", name, id, want, seen[id], err)
		}
		seen[id] = name
	}
	for _, other := range []string{"", "no program", "\x7fELF", strings.Repeat("\x7fELF\x02\x01\x01\x00", 100)} {
		if id := buildID(strings.NewReader(other)); id != "" {
			t.Errorf("%.10q has the ID %q", other, id)
		}
	}
	this, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want, _ := programIDIn(this)
	if id, err := programID(); err != nil || id != want {
		t.Errorf("this program has the ID %q, and not %q; %v", id, want, err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func digestOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	return string(sum[:])
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
