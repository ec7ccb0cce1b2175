// Package lockfile reads and writes paytape.lock, which says which tapes a folder of cassettes has,
// each by its hash. The tapes themselves lie in a store. The file belongs in the repository, so that a
// review sees one changed line for a tape that was recorded anew:
//
//	# paytape.lock: tapes of this folder, which lie in a store; paytape push writes it, pull reads it
//	version: 1
//	tapes:
//	- {name: checkout, sha256: 9f86..., size: 10240, exchanges: 12, recorded: 2026-05-17T09:30:00Z, profiles: [gateway]}
//	- {name: refund, sha256: 60f3..., size: 8121, exchanges: 9, recorded: 2026-05-18T11:02:41Z, profiles: [gateway]}
//
// Only name, sha256 and size decide anything. The other keys are for people who review: how many
// exchanges the tape has, when the last of them began, and which profiles know them. The rows are
// sorted by name. The file holds no address of a store and no credentials.
//
// The parser is strict, because a row that is read wrongly replays a wrong tape: unknown keys, keys that
// are missing or there twice, rows out of order and names that no cassette can have are errors, with
// line and column.
package lockfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store/blob"
	"go.yaml.in/yaml/v3"
)

// Name is what the file is called in a folder of cassettes.
const Name = "paytape.lock"

// Tape is a row.
type Tape struct {
	Name      string      // of the cassette in the folder
	SHA256    blob.Digest // of its file
	Size      int64       // of its file, in bytes
	Exchanges int
	Recorded  time.Time // when its last exchange began; zero if the tape does not tell
	Profiles  []string  // that know its exchanges, sorted; nil for none
}

// File is a lock. Its zero value has no tapes.
type File struct {
	tapes []Tape // sorted by name, each name once
}

// Tapes returns all rows, sorted by name.
func (f *File) Tapes() []Tape { return slices.Clone(f.tapes) }

// Tape returns the row of a name, and whether there is one.
func (f *File) Tape(name string) (Tape, bool) {
	at, found := f.find(name)
	if !found {
		return Tape{}, false
	}
	return f.tapes[at], true
}

// Set puts a row in the place of that of the same name, or adds it.
func (f *File) Set(t Tape) {
	at, found := f.find(t.Name)
	if found {
		f.tapes[at] = t
		return
	}
	f.tapes = slices.Insert(f.tapes, at, t)
}

func (f *File) find(name string) (int, bool) {
	return slices.BinarySearchFunc(f.tapes, name, func(t Tape, name string) int {
		return strings.Compare(t.Name, name)
	})
}

// Read reads the lock of a folder, which has no rows if it is not there.
func Read(library *cassettes.Library) (*File, error) {
	data, err := library.ReadSidecar(Name)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{}, nil
	}
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

const head = "# paytape.lock: tapes of this folder, which lie in a store; paytape push writes it, " +
	"pull reads it\nversion: 1\n"

// Encode returns the text of the file.
func (f *File) Encode() ([]byte, error) {
	if len(f.tapes) == 0 {
		return []byte(head + "tapes: []\n"), nil
	}
	var b bytes.Buffer
	b.WriteString(head + "tapes:\n")
	for _, t := range f.tapes {
		row, err := t.row()
		if err != nil {
			return nil, fmt.Errorf("writing tape %q into %s: %w", t.Name, Name, err)
		}
		b.WriteString("- " + row + "\n")
	}
	return b.Bytes(), nil
}

// errLines is returned for a row that has more than a line, which no name of ours makes.
var errLines = errors.New("a name of a profile has more than a line")

// row returns the row in one line.
func (t *Tape) row() (string, error) {
	name, err1 := list([]string{t.Name})
	sum, err2 := list([]string{t.SHA256.String()}) // it may be all digits
	row := fmt.Sprintf("{name: %s, sha256: %s, size: %d, exchanges: %d", strings.Trim(name, "[]"),
		strings.Trim(sum, "[]"), t.Size, t.Exchanges)
	if !t.Recorded.IsZero() {
		row += ", recorded: " + t.Recorded.UTC().Format(time.RFC3339)
	}
	var err3 error
	if len(t.Profiles) > 0 {
		var profiles string
		profiles, err3 = list(t.Profiles)
		row += ", profiles: " + profiles
	}
	return row + "}", errors.Join(err1, err2, err3)
}

// list returns texts as a list in one line, in quotes where YAML would take a text for something else.
func list(texts []string) (string, error) {
	all := yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, text := range texts {
		all.Content = append(all.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
	}
	data, err := yaml.Marshal(&all)
	line := strings.TrimSuffix(string(data), "\n")
	if err == nil && strings.Contains(line, "\n") {
		err = errLines
	}
	return line, err
}
