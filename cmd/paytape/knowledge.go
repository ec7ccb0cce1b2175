package main

import (
	"errors"
	"fmt"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/pflag"
)

// knowledge is what a command knows of the APIs and of what is secret in them.
type knowledge struct {
	files    []string // profiles of the user's
	prefixes []string // of the sandbox's own card numbers
	pii      string   // fake or keep

	known *deck.Knowledge // made by check
}

// flags adds the flags of commands that handle traffic but write and show none of it.
func (k *knowledge) flags(fs *pflag.FlagSet) {
	fs.StringArrayVar(&k.files, "profile", nil, "`FILE` with a profile of your own; repeatable")
	fs.StringSliceVar(&k.prefixes, "card-prefix", nil, "`DIGITS` that the sandbox's own card "+
		"numbers begin with; repeatable")
}

// piiFlag adds the flag of commands that write or show personal data.
func (k *knowledge) piiFlag(fs *pflag.FlagSet) {
	fs.StringVar(&k.pii, "pii", fakePII, "do `WORD` with personal data: fake or keep")
}

// Words of --pii.
const (
	fakePII = "fake"
	keepPII = "keep"
)

// check looks at the flags and reads the profiles.
func (k *knowledge) check() error {
	if k.pii != "" && k.pii != fakePII && k.pii != keepPII {
		return misused(fmt.Errorf("--pii: expected fake or keep, found %q", k.pii))
	}
	var err error
	k.known, err = deck.NewKnowledge(deck.KnowledgeOptions{
		Profiles: k.files, CardPrefixes: k.prefixes, KeepPII: k.pii == keepPII,
	})
	return byFlag(err)
}

// profiles returns the built-in profiles and the user's.
func (k *knowledge) profiles() *deck.Profiles { return k.known.Profiles() }

// redactor returns one for a tape.
func (k *knowledge) redactor() *redact.Redactor { return k.known.Redactor(nil) }

// loadTape loads a cassette of a folder. warn is told what the operator should know of it.
func (k *knowledge) loadTape(dir, name string, warn func(string)) (*cassettes.Tape, error) {
	library, err := cassettes.OpenExisting(dir)
	if err != nil {
		return nil, hintFolder(err)
	}
	defer library.Close()
	t, err := library.Load(name, k.redactor())
	if err != nil {
		return nil, err
	}
	for _, w := range t.Warnings {
		warn(w)
	}
	return t, nil
}

// hintFolder says how to come by a folder of cassettes, if that is what is missing.
func hintFolder(err error) error {
	if errors.Is(err, cassettes.ErrNoFolder) {
		return withHint(err, "name the folder with --dir, or record with paytape record")
	}
	return err
}

// cassetteOf returns a tape as replay takes it.
func cassetteOf(t *cassettes.Tape) match.Cassette {
	c := match.Cassette{Name: t.Name}
	for _, x := range t.Exchanges {
		c.Exchanges = append(c.Exchanges, x.Exchange())
	}
	return c
}
