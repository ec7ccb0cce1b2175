package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
)

const importLong = `import cleans what another program has recorded and puts it on the cassette
NAME: an HTTP archive (HAR 1.2) or a cassette of go-vcr, of any of its formats. FILE
may be - for standard input.

All of FILE is read before anything is written, and what an exchange teaches to be
secret is taken out of all of them. Times are kept. An exchange without an answer,
or with a body that the archive was saved without, is kept for reading and not
replayed. A cassette that exists is refused; with --append the exchanges go behind
those that it holds.

With --callbacks FILE is what a tunnel has exported of the requests that it brought to
the shop: an HTTP archive, or a line of JSON for each, with the keys method, url,
headers, body, status, responseHeaders, responseBody and at (RFC 3339). Those that
carry an id of an order on the cassette are its callbacks and go behind the exchanges
that it holds. All others are skipped and counted.`

// importer is the command "import" with its flags.
type importer struct {
	*app
	knowledge
	dir    string
	append bool
	graft  bool // what is read are callbacks
	in     io.Reader
}

func importCommand(a *app) *cobra.Command {
	i := &importer{app: a}
	cmd := &cobra.Command{
		Use:   "import FILE NAME",
		Short: "clean a HAR or a go-vcr file into a cassette",
		Long:  importLong,
		Example: `  paytape import checkout.har checkout
  paytape import --append fixtures/refund.yaml checkout
  paytape import --callbacks tunnel.har checkout
  paytape import --card-prefix 427600 - checkout   # from standard input`,
		Args: arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			i.in = cmd.InOrStdin()
			return i.run(args[0], args[1])
		},
	}
	fs := cmd.Flags()
	dirFlag(fs, &i.dir)
	fs.BoolVar(&i.append, "append", false, "add to a cassette that exists")
	fs.BoolVar(&i.graft, "callbacks", false, "add the callbacks of a tunnel's export to a cassette")
	i.knowledge.flags(fs)
	i.piiFlag(fs)
	return cmd
}

func (i *importer) run(file, name string) error {
	if err := i.check(); err != nil {
		return err
	}
	data, err := i.read(file)
	if err != nil {
		return fmt.Errorf("importing: %w", err)
	}
	read := cassettes.ReadRecording
	if i.graft {
		read = cassettes.ReadCallbacks
	}
	r, err := read(data)
	if err != nil {
		return fmt.Errorf("importing %s: %w", file, err)
	}
	library, err := cassettes.Open(i.dir)
	if err != nil {
		return err
	}
	defer library.Close()
	if i.graft {
		if r, err = i.callbacks(library, name, r); err != nil || r.Len() == 0 {
			return err
		}
	} else if err := i.free(library, name); err != nil {
		return err
	}
	cleaner := i.redactor()
	done, err := library.Import(name, r, cleaner)
	if done.Recovered != "" {
		i.voice.warn(done.Recovered)
	}
	if err != nil {
		return err
	}
	i.tell(done.Exchanges, done.Summary)
	i.warnOfIdle(cleaner.Rules())
	return nil
}

// callbacks returns those of the exchanges that are callbacks of what is on a cassette, and tells how
// many are not.
func (i *importer) callbacks(library *cassettes.Library, name string, r cassettes.Recording,
) (cassettes.Recording, error) {
	tape, err := library.Read(name, i.redactor())
	if err != nil {
		return r, hintFolder(err)
	}
	defer tape.Close()
	graft := callback.NewGraft(i.profiles())
	for c := range tape.All {
		graft.OnTape(c.Exchange())
	}
	if err := tape.Err(); err != nil {
		return r, err
	}
	kept := r.Keep(graft.Mark)
	if n := r.Len() - kept.Len(); n > 0 {
		i.print("skipped %s: no callback of anything on the cassette\n", count.Of(n, "exchange"))
	}
	return kept, nil
}

// maxImported bounds a file that is imported, in bytes: it is held in memory as a whole.
const maxImported = 512 << 20

func (i *importer) read(file string) ([]byte, error) {
	in := i.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxImported+1))
	if err == nil && len(data) > maxImported {
		err = errors.New("the file is too large")
	}
	return data, err
}

// free refuses a cassette that exists, unless it is to be added to.
func (i *importer) free(library *cassettes.Library, name string) error {
	names, err := library.List()
	if err != nil {
		return err
	}
	if i.append || !slices.Contains(names, strings.TrimSuffix(name, ".yaml")) {
		return nil
	}
	return withHint(fmt.Errorf("importing: cassette %q exists in %q", name, i.dir),
		"choose another name, or add to it with --append")
}

// tell says what was imported, what was taken out, and what is not replayed and why.
func (i *importer) tell(all []redact.Clean, s cassettes.Summary) {
	taken := map[string]int{}
	idle := 0
	for _, c := range all {
		x := c.Exchange()
		for _, note := range x.Meta.Redactions {
			kind := note[strings.LastIndex(note, ": ")+1:]
			taken[strings.Fields(kind + " other")[0]]++
		}
		if x.Meta.Callback != nil && x.Meta.Withheld == "" {
			continue // an attempt without an answer is an attempt
		}
		for _, reason := range []string{x.Meta.Withheld, x.Meta.Failure} {
			if reason != "" {
				i.voice.warn(fmt.Sprintf("exchange %d is not replayed: %s", x.Meta.Number, reason))
			}
		}
		if !x.Replayable() {
			idle++
		}
	}
	i.print("imported %s to %s", count.Of(s.New, "exchange"), s.File)
	if s.New < s.Exchanges {
		i.print(", which holds %d", s.Exchanges)
	}
	if idle > 0 {
		i.print("; not replayed: %d of them", idle)
	}
	i.print("\n")
	if len(taken) == 0 {
		return
	}
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(taken)) {
		list = append(list, fmt.Sprintf("%s %d", kind, taken[kind]))
	}
	i.print("took out: %s\n", strings.Join(list, ", "))
}
