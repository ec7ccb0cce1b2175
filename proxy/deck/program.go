package deck

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"io"
	"os"
	"regexp"
	"runtime"
)

// goBuildID is the ID of a program as the go command writes it (go tool buildid): digests of all that the
// program is linked of. Whoever links without the go command may write anything, or the same into each
// program.
var goBuildID = regexp.MustCompile(`^[A-Za-z0-9_-]{20}(/[A-Za-z0-9_-]{20}){3}$`)

// programID tells two builds of the program that runs from one another. The number of its version would not
// tell two builds of one day.
func programID() (string, error) {
	name := "/proc/self/exe" // even if another program has its name by now
	if runtime.GOOS != "linux" {
		var err error
		if name, err = os.Executable(); err != nil {
			return "", err
		}
	}
	return programIDIn(name)
}

// programIDIn returns the build ID of the program in a file, or the digest of the file, which takes 50 ms, if
// the program has none. A file that was changed after it was linked keeps its build ID.
func programIDIn(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if id := buildID(f); goBuildID.MatchString(id) {
		return id, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return string(sum.Sum(nil)), nil
}

// buildID returns the build ID of a program; "" for one that is no ELF file, or has none. The note that holds
// the ID begins with three numbers and the name "Go".
func buildID(program io.ReaderAt) string {
	f, err := elf.NewFile(program)
	if err != nil {
		return ""
	}
	section := f.Section(".note.go.buildid")
	if section == nil {
		return ""
	}
	note, err := section.Data()
	if err != nil {
		return ""
	}
	_, id, _ := bytes.Cut(note, []byte("Go\x00\x00"))
	return string(bytes.TrimRight(id, "\x00")) // it is filled up to whole words
}
