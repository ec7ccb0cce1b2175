package kinds

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// login is a user and a password.
type login struct{ user, password string }

// netrc returns what the .netrc of the user says of a host; an empty login if it says nothing. The file
// is that which NETRC names, or the one that git and curl read.
func (c *client) netrc(host string) (login, error) {
	file := c.env("NETRC")
	if file == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return login{}, nil
		}
		name := ".netrc"
		if runtime.GOOS == "windows" {
			name = "_netrc"
		}
		file = filepath.Join(home, name)
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return login{}, nil
	}
	if err != nil {
		return login{}, fmt.Errorf("reading credentials: %w", err)
	}
	return parseNetrc(string(data), host), nil
}

// parseNetrc returns the first login for a host, or that of "default". Words may be in double quotes, as
// curl has them. What is no netrc says nothing.
func parseNetrc(text, host string) login {
	words := netrcWords(text)
	var found login
	matches, done := false, false
	for i := 0; i < len(words) && !done; i++ {
		value := ""
		if i+1 < len(words) {
			value = words[i+1]
		}
		switch words[i] {
		case "machine":
			done = matches
			matches = !done && strings.EqualFold(value, host)
			i++
		case "default":
			done = matches
			matches = true
		case "login":
			if matches {
				found.user = value
			}
			i++
		case "password":
			if matches {
				found.password = value
			}
			i++
		case "account":
			i++
		}
	}
	return found
}

// netrcWords cuts a text into words. A macro goes on to the next empty line, and a comment to the end of
// its line.
func netrcWords(text string) []string {
	var words []string
	macro := false
	for line := range strings.Lines(text) {
		rest := strings.TrimSpace(line)
		if macro {
			macro = rest != ""
			continue
		}
		for rest != "" && rest[0] != '#' {
			var word string
			word, rest = netrcWord(rest)
			if word == "macdef" {
				macro, rest = true, ""
				continue
			}
			words = append(words, word)
		}
	}
	return words
}

// netrcWord cuts the first word off a line that begins with one.
func netrcWord(line string) (word, rest string) {
	if line[0] != '"' {
		if at := strings.IndexAny(line, " \t"); at >= 0 {
			return line[:at], strings.TrimSpace(line[at:])
		}
		return line, ""
	}
	var b strings.Builder
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '"':
			return b.String(), strings.TrimSpace(line[i+1:])
		case line[i] == '\\' && i+1 < len(line):
			i++
		}
		b.WriteByte(line[i])
	}
	return b.String(), ""
}
