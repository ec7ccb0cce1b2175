package cassettes

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// A tape tells with which profiles it was recorded, as package profile writes their editions. The
// first exchange of each API tells it while a tape is recorded, so it survives whatever its
// exchange survives. On a stable tape no exchange is the first: the flows may come in another order
// the next time. There the head of the file tells it, in a comment of its own:
//
//	# paytape cassette, ...
//	# profiles: gateway@1a2b3c4d5e6f; mine@98fe76dc54ba on gateway@1a2b3c4d5e6f: team/mine.yaml
//	---

// editionsStart is how the line begins.
const editionsStart = "# profiles: "

// edition is what a head may tell of one profile: a name, the digits of a digest, bases, and a
// file. A longer run of digits is none of a name that people give to files.
var (
	edition = regexp.MustCompile(`^[a-z0-9-]+@[0-9a-f]+( on [a-z0-9-]+@[0-9a-f]+)*(: [\pL\pN._/ -]+)?$`)
	longRun = regexp.MustCompile(`\d{8}`)
)

// longestEdition is how long an edition may be for a head to tell it, in bytes.
const longestEdition = 500

// speakable returns an edition as a head may tell it: without the file, if its name is no usual
// one. It is empty for a text that is no edition.
func speakable(text string) string {
	said, file, _ := strings.Cut(text, ": ")
	if !edition.MatchString(text) || longRun.MatchString(file) {
		text = said
	}
	if !edition.MatchString(text) || len(text) > longestEdition {
		return ""
	}
	return text
}

// latest returns the last edition of each profile, in the order of their names.
func latest(editions []string) []string {
	last := map[string]string{}
	var names []string
	for _, text := range editions {
		if text = speakable(text); text == "" {
			continue
		}
		name, _, _ := strings.Cut(text, "@")
		if last[name] == "" {
			names = append(names, name)
		}
		last[name] = text
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = last[name]
	}
	return names
}

// editionsLine is the line of a head; empty for no editions.
func editionsLine(editions []string) string {
	all := latest(editions)
	if len(all) == 0 {
		return ""
	}
	return editionsStart + strings.Join(all, "; ") + "\n"
}

// editionsOf returns what the head of a file tells.
func editionsOf(f io.ReaderAt) []string {
	const enough = 4 << 10
	start := make([]byte, enough)
	n, _ := f.ReadAt(start, 0) // whoever reads the file tells what is wrong with it
	_, rest, _ := strings.Cut(string(start[:n]), "\n")
	line, _, whole := strings.Cut(rest, "\n")
	told, found := strings.CutPrefix(line, editionsStart)
	if !found || !whole {
		return nil
	}
	return latest(strings.Split(told, "; "))
}

// hoist takes the editions out of exchanges, for the head. The exchanges are copies, of which
// nobody else has one.
func hoist(xs []*leaf.Exchange) []string {
	var all []string
	for _, x := range xs {
		all = append(all, x.Meta.Profiles...)
		x.Meta.Profiles = nil
	}
	return all
}

// Profiles returns what the tape tells of the profiles that it was recorded with, in the order in
// which it tells it: see leaf.Meta.Profiles. Nil: nobody knows.
func (t *Tape) Profiles() []string {
	all := slices.Clone(t.head)
	for _, x := range t.Exchanges {
		all = append(all, x.Exchange().Meta.Profiles...)
	}
	return all
}

// TellProfiles has the head of the file that Library.Edit writes tell editions, beside those that it has
// told: those of exchanges that go, or of another tape.
func (t *Tape) TellProfiles(editions ...string) { t.head = append(slices.Clone(t.head), editions...) }

// HeadProfiles returns what the head of the file tells, for Encode: a stable tape has nothing in its
// exchanges.
func (t *Tape) HeadProfiles() []string { return t.head }

// HeadProfiles is Tape.HeadProfiles.
func (r *Reader) HeadProfiles() []string { return r.contents.head }

// noting returns exchanges that note what they tell.
func (c *Recorder) noting(all func(func(redact.Clean) bool)) func(func(redact.Clean) bool) {
	return func(yield func(redact.Clean) bool) {
		all(func(x redact.Clean) bool {
			c.editions = append(c.editions, x.Exchange().Meta.Profiles...)
			return yield(x)
		})
	}
}
