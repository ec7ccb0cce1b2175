package deck

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/stable"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/renumber"
)

// Profiles are what is known of APIs: operations, and where the values of their fields come from.
// The name stands here for programs outside this module; redact.Options, match.Options and
// proxy.ReplayOptions take such a set.
type Profiles = profile.Set

// KnowledgeOptions say what there is to know beside the built-in profiles.
type KnowledgeOptions struct {
	// Profiles are names of files with profiles of your own, each one document of YAML in the
	// form that "paytape profile show gateway" prints. A file may extend a built-in profile or
	// another file (extends: ./bank.yaml, from its own folder). No two may have one name, or
	// describe one call.
	Profiles []string
	// FS holds these files. Nil: they are files of this machine.
	FS fs.FS
	// CardPrefixes are digits, 4 to 9, that the sandbox's own card numbers begin with: such a
	// number is a card whatever its checksum.
	CardPrefixes []string
	// KeepPII leaves names, addresses and other personal data on tape. Card data and credentials
	// are taken out in any case.
	KeepPII bool
}

// Knowledge is what is known of the APIs, and of what is secret in them. It does not change, and
// is safe for concurrent use. NewKnowledge makes one.
type Knowledge struct {
	profiles *Profiles
	prefixes []string
	keepPII  bool
	base     profileSources // that profiles were made of
	rewrite  string         // the rows of rules files on top of them, as rulesRead has them
}

// Bounds of CardPrefixes. Shorter ones would take too many numbers for cards, and longer ones
// leave too few digits to hide.
const minPrefix, maxPrefix = 4, 9

// NewKnowledge reads profiles. Its errors are OptionErrors: they name the file and the line of a
// profile that cannot be used.
func NewKnowledge(o KnowledgeOptions) (*Knowledge, error) {
	for _, p := range o.CardPrefixes {
		if err := checkPrefix(p); err != nil {
			return nil, wrong("CardPrefixes", err)
		}
	}
	base, err := o.sources()
	if err != nil {
		return nil, wrong("Profiles", err)
	}
	set, err := base.set()
	if err != nil {
		return nil, wrong("Profiles", err)
	}
	return &Knowledge{
		profiles: set, prefixes: o.CardPrefixes, keepPII: o.KeepPII, base: base,
	}, nil
}

// checkPrefix does not repeat digits that are enough to be a card number.
func checkPrefix(p string) error {
	const fewDigits = 12
	found := fmt.Sprintf("%q", p)
	if len(p) >= fewDigits {
		found = fmt.Sprintf("%d characters", len(p))
	}
	if len(p) < minPrefix || len(p) > maxPrefix || strings.Trim(p, "0123456789") != "" {
		return fmt.Errorf("expected %d to %d digits, found %s", minPrefix, maxPrefix, found)
	}
	return nil
}

// profileSources are the texts of the user's profiles, in the order in which they are added, and of
// the files that they extend.
type profileSources struct {
	profiles []string // names of files
	texts    map[string][]byte
}

// sources reads the files of the user's profiles.
func (o *KnowledgeOptions) sources() (profileSources, error) {
	all := profileSources{o.Profiles, map[string][]byte{}}
	open := func(file string) ([]byte, error) {
		data, err := o.read(file)
		all.texts[file] = data
		return data, err
	}
	for _, file := range o.Profiles {
		data, err := open(file)
		if err != nil {
			return all, err
		}
		if _, err := profile.ParseWith(file, data, open); err != nil {
			return all, err
		}
	}
	return all, nil
}

// text returns what a file held when the profiles were read.
func (s profileSources) text(file string) ([]byte, error) {
	if data, read := s.texts[file]; read {
		return data, nil
	}
	return nil, &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
}

// set makes the built-in profiles and the user's.
func (s profileSources) set() (*Profiles, error) {
	set, err := profile.Builtin()
	if err != nil {
		return nil, err
	}
	for _, file := range s.profiles {
		p, err := profile.ParseWith(file, s.texts[file], s.text)
		if err != nil {
			return nil, err
		}
		if err := set.Add(p); err != nil {
			return nil, err
		}
	}
	return set, nil
}

func (o *KnowledgeOptions) read(file string) ([]byte, error) {
	if o.FS != nil {
		return fs.ReadFile(o.FS, filepath.ToSlash(file))
	}
	return os.ReadFile(file)
}

// Profiles returns the built-in profiles and those of one's own.
func (k *Knowledge) Profiles() *Profiles { return k.profiles }

// Stabilise makes a stable tape of the exchanges of a cassette; it is a cassettes.Stabiliser. Surrogates
// get the numbers of the order in which the exchanges are then.
func (k *Knowledge) Stabilise(ctx context.Context, recorded []*leaf.Exchange,
) ([]*leaf.Exchange, string, error) {
	made, err := stable.Of(ctx, k.profiles, recorded)
	if err != nil {
		return nil, "", err
	}
	tape := renumber.Read(k.Redactor(nil), slices.Values(made.Exchanges))
	to, counts := map[renumber.Surrogate]int{}, map[profile.Sensitivity]int{}
	moved := false
	for _, x := range made.Exchanges {
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		_, found := tape.Outline(x)
		for _, s := range found {
			if _, known := to[s]; s.N > 0 && !known {
				counts[s.Kind]++
				to[s] = counts[s.Kind]
				moved = moved || to[s] != s.N
			}
		}
	}
	if !moved {
		return made.Exchanges, made.Kept, nil
	}
	for i, x := range made.Exchanges {
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		made.Exchanges[i] = tape.Apply(x, to)
	}
	return made.Exchanges, made.Kept, nil
}

// Redactor returns a redactor for a tape of its own: two tapes have nothing in common. report is
// told what the last search before writing withheld, by many goroutines; nil means that nobody
// is told.
func (k *Knowledge) Redactor(report func(redact.Safe)) *redact.Redactor {
	return redact.New(redact.Options{
		Profiles: k.profiles, Prefixes: k.prefixes, KeepPII: k.keepPII, Report: report,
	})
}
