package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/paytape/paytape/match"
)

// maxCredentials bounds a file of credentials, in bytes: whoever names another file by mistake is
// told so.
const maxCredentials = 1 << 20

// readCredentials reads the file of --credentials: a line NAME=VALUE for a credential that is good,
// NAME!=VALUE for one that is bad, # before a comment. What is read stays in memory; errors tell
// the file and the line, and never a value. A file that others can read is refused, as that of the
// certificate authority is.
func readCredentials(file string) (match.Credentials, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, misused(fmt.Errorf("--credentials: reading the file it names: %w", unnamed(err)))
	case !info.Mode().IsRegular():
		return nil, misused(errors.New("--credentials: expected the name of a regular file"))
	case info.Size() > maxCredentials:
		return nil, misused(fmt.Errorf("--credentials: %s is too large for a file of credentials",
			word(file)))
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, withHint(misused(fmt.Errorf("--credentials: others may read %s: it has mode %04o",
			word(file), info.Mode().Perm())), "chmod 600 %s", word(file))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, misused(fmt.Errorf("--credentials: reading the file it names: %w", unnamed(err)))
	}
	cs, err := parseCredentials(file, string(data))
	if err != nil {
		return nil, withHint(misused(fmt.Errorf("--credentials: %w", err)),
			"a line is NAME=VALUE for a good one, NAME!=VALUE for a bad one, or begins with #")
	}
	return cs, nil
}

// parseCredentials reads the text of a file of credentials.
func parseCredentials(file, text string) (match.Credentials, error) {
	var cs match.Credentials
	line := 0
	wrong := func(what string) error { return fmt.Errorf("%s:%d: %s", file, line, what) }
	for raw := range strings.Lines(text) {
		line++
		raw = strings.TrimSpace(raw)
		if raw == "" || strings.HasPrefix(raw, "#") {
			continue
		}
		name, value, found := strings.Cut(raw, "=")
		name, bad := strings.CutSuffix(name, "!")
		c := match.Credential{
			Name: strings.TrimSpace(name), Value: strings.TrimSpace(value), Bad: bad,
		}
		switch {
		case !found:
			return nil, wrong("expected NAME=VALUE or NAME!=VALUE")
		case c.Name == "":
			return nil, wrong("expected the name of a field before the =")
		case c.Value == "":
			return nil, wrong("expected a value behind the =")
		}
		for _, o := range cs {
			if strings.EqualFold(o.Name, c.Name) && o.Value == c.Value && o.Bad != c.Bad {
				return nil, wrong("the same value is good in one line and bad in another")
			}
		}
		cs = append(cs, c)
	}
	if len(cs) == 0 {
		return nil, fmt.Errorf("%s: expected credentials, found none", file)
	}
	return cs, nil
}
