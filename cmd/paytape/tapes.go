package main

import (
	"errors"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/match"
)

// shelf is a folder of cassettes, and what is known of the traffic in them.
type shelf struct {
	*knowledge
	dir string
}

// loadTapes loads cassettes of a folder, each with a redactor of its own: two tapes have
// nothing in common. warn is told what the operator should know of them.
func loadTapes(s shelf, names []string, warn func(string)) ([]*cassettes.Tape, error) {
	library, err := cassettes.OpenExisting(s.dir)
	if err != nil {
		return nil, hintFolder(err)
	}
	defer library.Close()
	var tapes []*cassettes.Tape
	for _, name := range names {
		t, err := library.Load(name, s.redactor())
		if err != nil {
			return nil, err
		}
		for _, w := range t.Warnings {
			warn(w)
		}
		tapes = append(tapes, t)
	}
	return tapes, nil
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
