package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/pflag"
)

// knowledge is what a command knows of the APIs and of what is secret in them.
type knowledge struct {
	files    []string // profiles of the user's
	prefixes []string // of the sandbox's own card numbers
	pii      string   // fake or keep

	profiles *profile.Set // made by check
}

// flags adds the flags of commands that handle traffic but write and show none of it.
func (k *knowledge) flags(fs *pflag.FlagSet) {
	fs.StringArrayVar(&k.files, "profile", nil, "`FILE` with a profile of your own; repeatable")
	fs.StringSliceVar(&k.prefixes, "card-prefix", nil, "`DIGITS` that the sandbox's own card "+
		"numbers begin with; repeatable")
}

// piiFlag adds the flag of commands that write or show personal data.
func (k *knowledge) piiFlag(fs *pflag.FlagSet) {
	fs.StringVar(&k.pii, "pii", "fake", "do `WORD` with personal data: fake or keep")
}

// Bounds of --card-prefix. Shorter ones would take too many numbers for cards, and longer
// ones leave too few digits to hide.
const minPrefix, maxPrefix = 4, 9

// check looks at the flags and reads the profiles.
func (k *knowledge) check() error {
	for _, p := range k.prefixes {
		if len(p) < minPrefix || len(p) > maxPrefix || strings.Trim(p, "0123456789") != "" {
			return misused(fmt.Errorf("--card-prefix: expected %d to %d digits, found %q",
				minPrefix, maxPrefix, p))
		}
	}
	if k.pii != "" && k.pii != "fake" && k.pii != "keep" {
		return misused(fmt.Errorf("--pii: expected fake or keep, found %q", k.pii))
	}
	var err error
	k.profiles, err = loadProfiles(k.files)
	return misused(err)
}

// loadProfiles returns the built-in profiles and those in files.
func loadProfiles(files []string) (*profile.Set, error) {
	set, err := profile.Builtin()
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("--profile: %w", err)
		}
		p, err := profile.Parse(file, data)
		if err != nil {
			return nil, fmt.Errorf("--profile: %w", err)
		}
		if err := set.Add(p); err != nil {
			return nil, fmt.Errorf("--profile: %w", err)
		}
	}
	return set, nil
}

// redactor returns one for a tape. report is told of what the gate withheld; nil means that
// nobody is told.
func (k *knowledge) redactor(report func(redact.Safe)) *redact.Redactor {
	return redact.New(redact.Options{
		Profiles: k.profiles, Prefixes: k.prefixes, KeepPII: k.pii == "keep", Report: report,
	})
}
