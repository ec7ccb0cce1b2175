package lockfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/internal/similar"
	"go.yaml.in/yaml/v3"
)

// Error is a mistake in a lock. It holds nothing of the file but names of keys.
type Error struct {
	Line, Column int // from 1
	What         string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", Name, e.Line, e.Column, e.What) }

func wrong(n *yaml.Node, format string, args ...any) error {
	return &Error{n.Line, n.Column, fmt.Sprintf(format, args...)}
}

// conflict is how git marks two sides of a merge.
var conflict = regexp.MustCompile(`(?m)^(<<<<<<<|=======|>>>>>>>)( |$)`)

// yamlLine is the place that the YAML library's errors name, unless it is the first line.
var yamlLine = regexp.MustCompile(`line (\d+)`)

// Parse reads a lock. Its errors are of type *Error.
func Parse(data []byte) (*File, error) {
	if at := conflict.FindIndex(data); at != nil {
		return nil, &Error{1 + bytes.Count(data[:at[0]], []byte("\n")), 1,
			"a merge has left a conflict: keep the row of the tape that is meant"}
	}
	top, err := document(data)
	if err != nil {
		return nil, err
	}
	keys, err := fields(top, "version", "tapes")
	if err != nil {
		return nil, err
	}
	if v := keys["version"]; v.Kind != yaml.ScalarNode || v.Value != "1" {
		return nil, wrong(v, "expected version: 1, the only version that this paytape knows")
	}
	list := keys["tapes"]
	if list.Kind != yaml.SequenceNode {
		return nil, wrong(list, "tapes: expected a list")
	}
	f := &File{}
	for _, n := range list.Content {
		t, err := parseTape(n)
		if err != nil {
			return nil, err
		}
		if last := len(f.tapes) - 1; last >= 0 && f.tapes[last].Name >= t.Name {
			return nil, wrong(n, "tape %q stands behind %q: names go up, and each is there once",
				t.Name, f.tapes[last].Name)
		}
		f.tapes = append(f.tapes, t)
	}
	return f, nil
}

// document returns the one document of a file.
func document(data []byte) (*yaml.Node, error) {
	var doc, second yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(data))
	err := in.Decode(&doc)
	if err == io.EOF {
		return nil, &Error{1, 1, "it is empty: expected version: 1 and tapes:"}
	}
	if err == nil {
		err = in.Decode(&second)
	}
	switch {
	case err == nil:
		return nil, wrong(&second, "a second document: expected one")
	case !errors.Is(err, io.EOF):
		line := 1 // its own words may quote what is in the file
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			line, _ = strconv.Atoi(m[1])
		}
		return nil, &Error{line, 1, "not valid YAML"}
	}
	return doc.Content[0], nil
}

// fields returns the values of a mapping by their keys. Keys that end in ? need not be there, and have
// no value then.
func fields(n *yaml.Node, keys ...string) (map[string]*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return nil, wrong(n, "expected keys with values")
	}
	known, all := map[string]bool{}, map[string]*yaml.Node{}
	for _, k := range keys {
		known[strings.TrimSuffix(k, "?")] = true
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			return nil, wrong(key, "expected the name of a key")
		case !known[key.Value]:
			return nil, unknownKey(key, known)
		case all[key.Value] != nil:
			return nil, wrong(key, "key %q is there twice", key.Value)
		}
		all[key.Value] = value
	}
	for _, k := range keys {
		if !strings.HasSuffix(k, "?") && all[k] == nil {
			return nil, wrong(n, "key %q is missing", k)
		}
	}
	return all, nil
}

func unknownKey(key *yaml.Node, known map[string]bool) error {
	near := similar.Most(key.Value, known)
	if near == "" {
		return wrong(key, "unknown key %.40q", key.Value)
	}
	return wrong(key, "unknown key %.40q: %s is meant, perhaps", key.Value, near)
}

func parseTape(n *yaml.Node) (Tape, error) {
	keys, err := fields(n, "name", "sha256", "size", "exchanges", "recorded?", "profiles?")
	if err != nil {
		return Tape{}, err
	}
	var t Tape
	for _, part := range []func() error{
		func() error { return t.parseName(keys["name"]) },
		func() (err error) {
			t.SHA256, err = parse(keys["sha256"], "sha256", blob.ParseDigest)
			return err
		},
		func() (err error) {
			t.Size, err = parse(keys["size"], "size", natural)
			return err
		},
		func() error {
			count, err := parse(keys["exchanges"], "exchanges", natural)
			t.Exchanges = int(count)
			return err
		},
		func() (err error) {
			if at := keys["recorded"]; at != nil {
				t.Recorded, err = parse(at, "recorded", moment)
			}
			return err
		},
		func() error { return t.parseProfiles(keys["profiles"]) },
	} {
		if err := part(); err != nil {
			return Tape{}, err
		}
	}
	return t, nil
}

func (t *Tape) parseName(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return wrong(n, "name: expected a name")
	}
	if err := cassettes.CheckNewName(n.Value); err != nil {
		return wrong(n, "name: %v", err)
	}
	if strings.HasSuffix(n.Value, ".yaml") {
		return wrong(n, "name: %q: expected the name of a cassette, which has no .yaml", n.Value)
	}
	t.Name = n.Value
	return nil
}

// parse reads a scalar.
func parse[T any](n *yaml.Node, key string, read func(string) (T, error)) (T, error) {
	var none T
	if n.Kind != yaml.ScalarNode {
		return none, wrong(n, "%s: expected a value", key)
	}
	v, err := read(n.Value)
	if err != nil {
		return none, wrong(n, "%s: %v", key, err)
	}
	return v, nil
}

func natural(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		return 0, errors.New("expected a number")
	}
	return n, nil
}

func moment(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.IsZero() {
		return time.Time{}, errors.New("expected a time such as 2026-05-17T09:30:00Z")
	}
	return at.UTC(), nil
}

// parseProfiles reads a list of names; nil if it is not there.
func (t *Tape) parseProfiles(list *yaml.Node) error {
	if list == nil {
		return nil
	}
	if list.Kind != yaml.SequenceNode {
		return wrong(list, "profiles: expected a list")
	}
	for _, n := range list.Content {
		if n.Kind != yaml.ScalarNode || n.Value == "" {
			return wrong(n, "profiles: expected names")
		}
		if slices.Contains(t.Profiles, n.Value) {
			return wrong(n, "profiles: %.40q is there twice", n.Value)
		}
		t.Profiles = append(t.Profiles, n.Value)
	}
	return nil
}
