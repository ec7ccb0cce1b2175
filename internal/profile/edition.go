package profile

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// An edition tells on a tape with which profile an API was recorded: its name, the beginning of its
// digest, the bases on top of which it lies, and its file if it is one of the user's.
//
//	gateway@1a2b3c4d5e6f
//	mine@98fe76dc54ba on gateway@1a2b3c4d5e6f: profiles/mine.yaml
//
// The digest is that of the meaning, so a comment more, or another layout, changes no tape. The
// file is told from the folder in which the recording was started: who has the tape and the
// repository finds it. The first exchange of each API has the edition, and a later one only if the
// profile is another by then.

// Edition is what a tape tells of a profile.
type Edition struct {
	Name, Digest string
	// File is where the profile of a user's lay. Empty: it is one of ours.
	File  string
	Bases []Base // without their files
}

// editionDigits are how many digits of a digest an edition has.
const editionDigits = 12

// EditionOf returns the edition of a profile of the set.
func (s *Set) EditionOf(p *Profile) Edition {
	st := Edition{Name: p.Name, Digest: short(p.Digest)}
	if slices.Contains(s.GivenProfiles(), p) {
		st.File = portable(p.Origin.File)
	}
	for _, b := range p.Bases {
		st.Bases = append(st.Bases, Base{Name: b.Name, Digest: short(b.Digest)})
	}
	return st
}

func short(digest string) string { return digest[:min(len(digest), editionDigits)] }

// portable returns the name of a file as it may stand on a tape: below the folder of this process,
// or the name alone. Who else is on this machine is no matter of a tape.
func portable(file string) string {
	if filepath.IsAbs(file) {
		below, err := filepath.Abs(".")
		if err == nil {
			below, err = filepath.Rel(below, file)
		}
		if err != nil || !filepath.IsLocal(below) {
			below = filepath.Base(file)
		}
		file = below
	}
	return filepath.ToSlash(filepath.Clean(file))
}

// String writes the edition as a tape has it.
func (st Edition) String() string {
	text := st.Name + "@" + st.Digest
	for _, b := range st.Bases {
		text += " on " + b.Name + "@" + b.Digest
	}
	if st.File != "" {
		text += ": " + st.File
	}
	return text
}

// ParseEdition reads an edition, and reports whether the text is one.
func ParseEdition(text string) (Edition, bool) {
	said, file, _ := strings.Cut(text, ": ")
	st := Edition{File: file}
	for i, one := range strings.Split(said, " on ") {
		name, digest, ok := strings.Cut(one, "@")
		if !ok || !isWord(name) || digest == "" || strings.Trim(digest, "0123456789abcdef") != "" {
			return Edition{}, false
		}
		if i == 0 {
			st.Name, st.Digest = name, digest
			continue
		}
		st.Bases = append(st.Bases, Base{Name: name, Digest: digest})
	}
	return st, true
}

// LatestEditions returns the last edition of each profile, by their names, of those that a tape has
// in its order. What is no edition is left out.
func LatestEditions(texts []string) []Edition {
	latest := map[string]Edition{}
	for _, text := range texts {
		if st, ok := ParseEdition(text); ok {
			latest[st.Name] = st
		}
	}
	var all []Edition
	for _, name := range slices.Sorted(maps.Keys(latest)) {
		all = append(all, latest[name])
	}
	return all
}

// Editions says which exchanges of a recording get an edition. It may be used by many goroutines.
type Editions struct {
	set *Set

	mu    sync.Mutex        // guards tape
	given map[string]string // by name of the profile: the last edition on tape
}

// NewEditions returns the editions of a recording with a set of profiles, of which a tape has some
// already.
func NewEditions(set *Set, tape []string) *Editions {
	s := &Editions{set: set, given: map[string]string{}}
	for _, st := range LatestEditions(tape) {
		s.given[st.Name] = st.String()
	}
	return s
}

// For returns the editions that an exchange gets that is recognised as a call; nil for most.
// Whoever cannot record the exchange says so to Lost.
func (s *Editions) For(c Call) []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var fresh []string
	for _, p := range [...]*Profile{c.Profile, s.set.http} {
		if p == nil || p == s.set.http && !s.set.givenHTTP() {
			continue // the rows for all APIs change with each paytape, and few calls depend on them
		}
		if text := s.set.EditionOf(p).String(); s.given[p.Name] != text {
			s.given[p.Name] = text
			fresh = append(fresh, text)
		}
	}
	return fresh
}

// Lost takes back editions of an exchange that is not on tape.
func (s *Editions) Lost(texts []string) {
	if s == nil || len(texts) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range LatestEditions(texts) {
		delete(s.given, st.Name)
	}
}
