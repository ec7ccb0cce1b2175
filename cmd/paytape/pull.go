package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/paytape/paytape/cassettes/store"
	"github.com/paytape/paytape/cassettes/store/lockfile"
)

const pullLong = `pull brings the cassettes that paytape.lock names out of the store into the folder, or
only those that are named. What comes is compared with the hash in paytape.lock, and then
its seal is looked at. What the folder has of a cassette is not fetched, and a pull that
broke off goes on where it was.

A cassette that is here and differs from paytape.lock is replaced if the store has it.
If not, it is work that nobody has pushed, and stays: --force gives it up. run, replay,
spy and proxytest pull what they need and lack by themselves, unless --offline is given;
they replace nothing.`

// puller is the command "pull" with its flags.
type puller struct {
	*app
	dir, location string
	force         bool
}

func pullCommand(a *app) *cobra.Command {
	p := &puller{app: a}
	cmd := &cobra.Command{
		Use:   "pull [NAME...]",
		Short: "bring the cassettes that paytape.lock names out of a store",
		Long:  pullLong,
		Example: `  paytape pull --store oci://registry.example/shop/tapes
  paytape pull --store https://tapes.example/shop checkout
  paytape pull --force checkout`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	storeFlag(fs, &p.location)
	fs.BoolVar(&p.force, "force", false, "replace cassettes that nobody has pushed, too")
	dirFlag(fs, &p.dir)
	return cmd
}

func (p *puller) run(ctx context.Context, names []string) error {
	o := p.storeOptions(p.dir, p.location)
	o.Force = p.force
	t := &tapeTeller{app: p.app, say: p.line, patient: "pulling"}
	err := t.tell(&o, func() error { return store.Pull(ctx, names, o) })
	t.total("here already")
	if err == nil && !t.told {
		p.voice.say("%s in %q names no cassette: there is nothing to pull; paytape push puts cassettes into "+
			"a store, and names them there", lockfile.Name, p.dir)
	}
	return hintStore(err, names...)
}
