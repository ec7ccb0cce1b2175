package main

import (
	"context"
	"errors"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/paytape/paytape/cassettes/store"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/redact"
)

const pushLong = `push puts cassettes into the store, and notes each in paytape.lock beside them: name,
hash, size, exchanges, when it was recorded, profiles. That file is committed, the
cassettes need not be. What the store has is not moved again: of a large cassette in
which one flow has changed only the pieces with that flow are.

A cassette is searched for secrets as check does, and must have its seal; if anything is
found, nothing of it is pushed. The store gets cassettes by their hashes, without names.

push asks the store what it has, and believes it. If a pull says that the store gave other
bytes than were put, --again puts all of the cassette anew.

--store says where the store is: dir:PATH, oci://REGISTRY/REPOSITORY or
s3://BUCKET/PREFIX. Credentials are those that docker and aws have.`

// pusher is the command "push" with its flags.
type pusher struct {
	*app
	knowledge
	dir, location string
	again         bool
}

func pushCommand(a *app) *cobra.Command {
	p := &pusher{app: a}
	cmd := &cobra.Command{
		Use:   "push NAME...",
		Short: "put cassettes into a store, and note them in paytape.lock",
		Long:  pushLong,
		Example: `  paytape push --store dir:/mnt/tapes checkout
  paytape push --store oci://registry.example/shop/tapes checkout refund
  paytape push --store 's3://tapes/shop?region=eu-central-1' checkout`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	storeFlag(fs, &p.location)
	fs.BoolVar(&p.again, "again", false, "put all pieces again, also those that the store says it has")
	dirFlag(fs, &p.dir)
	p.knowledge.flags(fs)
	p.piiFlag(fs)
	return cmd
}

func (p *pusher) run(ctx context.Context, names []string) error {
	if err := p.check(); err != nil {
		return err
	}
	o := p.storeOptions(p.dir, p.location)
	o.Secrets = redact.Options{Profiles: p.profiles(), Prefixes: p.prefixes, KeepPII: p.pii == keepPII}
	o.Again = p.again
	t := &tapeTeller{app: p.app, say: p.line, patient: "pushing"}
	err := t.tell(&o, func() error { return store.Push(ctx, names, o) })
	p.warnOfSecrets(err)
	t.total("in the store already")
	return hintStore(err, names...)
}

// line prints a line for a tape.
func (a *app) line(format string, args ...any) { a.print(format+"\n", args...) }

// total tells of tapes that had not to be moved, and what went over for all.
func (t *tapeTeller) total(where string) {
	switch {
	case t.idle > 0 && t.moved > 0:
		t.print("%s %s; %s moved in all\n", count.Of(t.idle, "cassette"), where, humanize.Bytes(uint64(t.moved)))
	case t.idle > 0:
		t.print("%s %s\n", count.Of(t.idle, "cassette"), where)
	}
}

// warnOfSecrets tells what was found in tapes that were not pushed: where it is, and never what.
func (p *pusher) warnOfSecrets(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			p.warnOfSecrets(one)
		}
		return
	}
	found, ok := errors.AsType[*store.SecretsError](err)
	if !ok {
		return
	}
	for _, f := range found.Findings[:min(len(found.Findings), mostFindings)] {
		p.voice.warn(f.String())
	}
}
