package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
)

const importLong = `import cleans what another program has recorded and puts it on the cassette
NAME: an HTTP archive (HAR 1.2) or a cassette of go-vcr, of any of its formats. FILE
may be - for standard input.

A browser records all that it loads: --only-host takes the exchanges of the hosts that
you name alone, which may be patterns, and says how many of which hosts were left out.

All of FILE is read before anything is written, and what an exchange teaches to be
secret is taken out of all of them. Times are kept. An exchange without an answer,
or with a body that the archive was saved without, is kept for reading and not
replayed. A cassette that exists is refused; with --append the exchanges go behind
those that it holds. A large one is made ready for replay (paytape help performance).

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
	graft  bool     // what is read are callbacks
	hosts  []string // patterns of those that are taken; none: all are
	stable bool
	index  indexFlag
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
  paytape import --only-host 'pay.example,*.acs.example' browser.har checkout
  paytape import --card-prefix 427600 - checkout   # from standard input`,
		Args: arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			i.in = cmd.InOrStdin()
			return i.run(cmd.Context(), args[0], args[1])
		},
	}
	fs := cmd.Flags()
	dirFlag(fs, &i.dir)
	fs.BoolVar(&i.append, "append", false, "add to a cassette that exists")
	stableFlag(fs, &i.stable)
	fs.BoolVar(&i.graft, "callbacks", false, "add the callbacks of a tunnel's export to a cassette")
	fs.StringSliceVar(&i.hosts, "only-host", nil, "take the exchanges of this `HOST` alone, which may be "+
		"a pattern\n(*.example); repeatable")
	i.index.flag(fs, "leave it to the first replay to make a large cassette ready")
	i.knowledge.flags(fs)
	i.piiFlag(fs)
	return cmd
}

func (i *importer) run(ctx context.Context, file, name string) error {
	if err := firstError(i.checkHosts, i.check); err != nil {
		return err
	}
	if err := i.put(file, name); err != nil {
		return err
	}
	return i.prepare(ctx, strings.TrimSuffix(name, tapeSuffix))
}

// prepare makes a large cassette ready for replay without special flags, which is the usual one. The
// cassette is there, whatever comes of it. What is under way when ctx ends ends with the process.
func (i *importer) prepare(ctx context.Context, name string) error {
	if i.index.off {
		return nil
	}
	err := interruptibly(ctx, func() error {
		return deck.Prepare(ctx, deck.Options{
			Dir: i.dir, Cassettes: []string{name}, Knowledge: i.known, Index: i.index.folder(), Alone: true,
		})
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errInterrupted
	}
	i.voice.warn(fmt.Sprintf("%s is not made ready for replay: %v", name, err))
	return nil
}

// put reads a file, cleans what it holds and puts it on a cassette.
func (i *importer) put(file, name string) error {
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
	for _, w := range r.Warnings {
		i.voice.warn(fmt.Sprintf("%s: %s", file, w))
	}
	if r, err = i.ofHosts(r); err != nil {
		return fmt.Errorf("importing %s: %w", file, err)
	}
	open := cassettes.Open
	if i.append || i.graft {
		open = cassettes.OpenExisting // what is to be added to is in a folder that is there
	}
	library, err := open(i.dir)
	if err != nil {
		return hintFolder(err)
	}
	defer library.Close()
	if i.graft {
		if r, err = i.callbacks(library, name, r); err != nil || r.Len() == 0 {
			return err
		}
	} else if err := i.free(library, name, r.Ours()); err != nil {
		return err
	}
	cleaner := i.redactor()
	done, err := library.ImportWith(cassettes.Options{
		Stable: i.stable, Stabilise: i.known.Stabilise,
	}, name, r, cleaner)
	if done.Recovered != "" {
		i.voice.warn(done.Recovered)
	}
	if err != nil {
		return err
	}
	i.tell(done.Exchanges, done.Summary)
	i.warnOfUnstable(done.Summary)
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

// checkHosts refuses patterns that match nothing because they are broken.
func (i *importer) checkHosts() error {
	if i.graft && len(i.hosts) > 0 {
		return misused(errors.New("--callbacks and --only-host exclude each other: callbacks go to the shop"))
	}
	for n, host := range i.hosts {
		i.hosts[n] = strings.ToLower(host)
		if _, err := path.Match(host, ""); err != nil || host == "" || strings.ContainsAny(host, "/@") {
			return misused(fmt.Errorf("--only-host: expected a host or a pattern such as '*.example', found %q",
				host))
		}
	}
	return nil
}

// mostHosts bounds the hosts that are listed.
const mostHosts = 20

// ofHosts returns the exchanges of the hosts that were asked for, with the callbacks that these caused,
// and tells how many of which hosts were left out.
func (i *importer) ofHosts(r cassettes.Recording) (cassettes.Recording, error) {
	if len(i.hosts) == 0 {
		return r, nil
	}
	taken, left := map[int]bool{}, map[string]int{}
	kept := r.Keep(func(x *leaf.Exchange) bool {
		host := hostOf(x.URL)
		if told := x.Meta.Callback; told != nil && taken[told.Of] || i.wantsHost(host) {
			taken[x.Meta.Number] = x.Meta.Number > 0
			return true
		}
		left[host]++
		return false
	})
	hosts := slices.SortedFunc(maps.Keys(left), func(a, b string) int {
		return cmp.Or(left[b]-left[a], strings.Compare(a, b))
	})
	var list []string
	for _, host := range hosts[:min(len(hosts), mostHosts)] {
		list = append(list, fmt.Sprintf("%d of %s", left[host], host))
	}
	if more := len(hosts) - len(list); more > 0 {
		list = append(list, count.Of(more, "more host"))
	}
	// The file was not cleaned: a name of a host may hold what it should not.
	told := printable(i.redactor().Text(strings.Join(list, ", ")).String())
	if kept.Len() == 0 {
		return kept, fmt.Errorf("no exchange is of the hosts that --only-host names: the file has %s", told)
	}
	if n := r.Len() - kept.Len(); n > 0 {
		i.print("left out %s: %s\n", count.Of(n, "exchange"), told)
	}
	return kept, nil
}

// wantsHost reports whether a host, with a port or without, is one that was asked for.
func (i *importer) wantsHost(host string) bool {
	return slices.ContainsFunc(i.hosts, func(pattern string) bool {
		matched, _ := path.Match(pattern, host) // checkHosts has looked at it
		if name, _, err := net.SplitHostPort(host); err == nil && !matched {
			matched, _ = path.Match(pattern, name)
		}
		return matched
	})
}

// noHost stands for the host of a URL that has none.
const noHost = "no host"

// hostOf returns the host of a URL, with its port. A host is not secret; a password before it is left out.
func hostOf(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return noHost
	}
	return strings.ToLower(u.Host)
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

// free refuses a cassette that exists, unless it is to be added to: then it refuses one that does not.
// What paytape has written is not added, for its surrogates would be taken for those of the cassette.
func (i *importer) free(library *cassettes.Library, name string, ours bool) error {
	names, err := library.List()
	if err != nil {
		return err
	}
	switch {
	case !slices.Contains(names, strings.TrimSuffix(name, tapeSuffix)):
		if i.append {
			return withHint(fmt.Errorf("importing: there is no cassette %q in %q to add to", name, i.dir),
				"to make one, leave --append out")
		}
		return nil
	case !i.append:
		return withHint(fmt.Errorf("importing: cassette %q exists in %q", name, i.dir),
			"choose another name, or add to it with --append")
	case ours:
		return withHint(errors.New("importing: paytape wrote the file, so its surrogates are not those of "+
			"the cassette"), "import it under another name, then paytape merge %s OTHER -o %[1]s", name)
	}
	return nil
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
