package verify

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// Secrets are the values of what a tape does not hold, by the names under which a Plan asks for them.
// The zero Secrets has none.
type Secrets struct {
	leaf.Unprinted
	by   map[string]string
	used map[string]bool
}

// maxSecrets is the size of the largest file of secrets, in bytes.
const maxSecrets = 1 << 20

// ReadSecrets reads a file that its owner alone may read. Each line is NAME=VALUE; the value is all
// behind the first '='. An empty value says that there is none, and that what needs it is not to be
// played. Empty lines, and those that begin with '#', say nothing. Errors name lines, and never repeat
// one.
func ReadSecrets(file string) (*Secrets, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("reading secrets: %w", withoutPath(err, file))
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("reading secrets: %q is no regular file", file)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("reading secrets: others may read %q, whose mode is %04o: chmod 600 %s",
			file, info.Mode().Perm(), file)
	case info.Size() > maxSecrets:
		return nil, fmt.Errorf("reading secrets: %q has more than %d bytes", file, maxSecrets)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading secrets: %w", withoutPath(err, file))
	}
	s, err := ParseSecrets(data)
	if err != nil {
		return nil, fmt.Errorf("reading secrets: %s:%w", file, err)
	}
	return s, nil
}

// withoutPath returns the error of a file with its name once.
func withoutPath(err error, file string) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%q: %w", file, at.Err)
	}
	return err
}

// ParseSecrets reads the lines of a file of secrets. Its errors begin with the number of a line.
func ParseSecrets(data []byte) (*Secrets, error) {
	s := &Secrets{by: map[string]string{}, used: map[string]bool{}}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	lines.Buffer(nil, maxSecrets)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSuffix(lines.Text(), "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		switch {
		case !found || name == "":
			return nil, fmt.Errorf("%d: expected NAME=VALUE", n)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return nil, fmt.Errorf("%d: the value has a control character", n)
		}
		if _, twice := s.by[name]; twice {
			return nil, fmt.Errorf("%d: the name is there twice", n)
		}
		s.by[name] = value
	}
	if lines.Err() != nil {
		return nil, fmt.Errorf("%d: the line is too long", n+1)
	}
	return s, nil
}

// find returns the value of the first of some names that has one.
func (s *Secrets) find(names []string) (string, bool) {
	if s == nil {
		return "", false
	}
	for _, name := range names {
		if value, ok := s.by[name]; ok {
			s.used[name] = true
			return value, value != ""
		}
	}
	return "", false
}

// knows reports whether the file has one of some names, with a value or without.
func (s *Secrets) knows(names []string) bool {
	if s == nil {
		return false
	}
	for _, name := range names {
		if _, ok := s.by[name]; ok {
			s.used[name] = true
			return true
		}
	}
	return false
}

// Unused returns the names that no plan has asked for, sorted.
func (s *Secrets) Unused() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(func(yield func(string) bool) {
		for name := range s.by {
			if !s.used[name] && !yield(name) {
				return
			}
		}
	})
}

// values yields the secrets themselves: for a redactor, and nobody else.
func (s *Secrets) values(yield func(string) bool) {
	if s != nil {
		maps.Values(s.by)(yield)
	}
}
