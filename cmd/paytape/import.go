package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/har"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

const importLong = `import cleans what another program has recorded and puts it on the cassette
NAME: an HTTP archive (HAR 1.2) or a cassette of go-vcr, of any of its formats. FILE
may be - for standard input.

All of FILE is read before anything is written, and what an exchange teaches to be
secret is taken out of all of them. Times are kept. An exchange without an answer,
or with a body that the archive was saved without, is kept for reading and not
replayed. A cassette that exists is refused; with --append the exchanges go behind
those that it holds.`

// importer is the command "import" with its flags.
type importer struct {
	*app
	knowledge
	dir    string
	append bool
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
	r, err := readRecording(data)
	if err != nil {
		return fmt.Errorf("importing %s: %w", file, err)
	}
	library, err := cassettes.Open(i.dir)
	if err != nil {
		return err
	}
	defer library.Close()
	if err := i.free(library, name); err != nil {
		return err
	}
	return i.write(library, name, r)
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

// recording is what another program has recorded.
type recording struct {
	exchanges []*leaf.Exchange
	// ours says that it is a cassette of ours, edited perhaps: its surrogates stay.
	ours bool
}

// readRecording reads a file in any of the formats.
func readRecording(data []byte) (recording, error) {
	start := bytes.TrimLeft(data, "\ufeff \t\r\n")
	var r recording
	var err error
	switch {
	case len(start) == 0:
		return r, errors.New("the file is empty")
	case start[0] == '{':
		r, err = recordedHAR(data)
	default:
		r, err = recordedVCR(data)
	}
	if err == nil && len(r.exchanges) == 0 {
		err = errors.New("the file holds no exchange")
	}
	return r, err
}

func recordedHAR(data []byte) (recording, error) {
	items, err := har.Read(data)
	if err != nil {
		return recording{}, err
	}
	var r recording
	for i, item := range items {
		if item.Err != nil {
			return recording{}, fmt.Errorf("entry %d: %w", i+1, item.Err)
		}
		r.exchanges = append(r.exchanges, item.Exchange)
	}
	// Archives are sorted by page; a tape is in the order in which requests began.
	slices.SortStableFunc(r.exchanges, func(a, b *leaf.Exchange) int {
		if a.Meta.At.IsZero() || b.Meta.At.IsZero() {
			return 0
		}
		return a.Meta.At.Compare(b.Meta.At)
	})
	return r, nil
}

// recordedVCR reads a cassette of go-vcr. The words of the YAML library may quote a value and
// are not repeated.
func recordedVCR(data []byte) (recording, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 {
		what := "the file is no HTTP archive, and not valid YAML"
		if err != nil {
			what = strings.TrimSpace(what + " " + yamlLine.FindString(err.Error()))
		}
		return recording{}, errors.New(what)
	}
	items, ok := cassettes.Interactions(&doc)
	if !ok {
		return recording{}, errors.New("neither an HTTP archive nor a cassette: " +
			"expected log.entries or interactions")
	}
	r := recording{ours: cassettes.IsOurs(data)}
	for i, item := range items {
		x, ok := cassettes.ReadInteraction(item)
		if !ok || x.Request.Method == "" || x.Request.URL == "" {
			return recording{}, fmt.Errorf("interaction %d, line %d: it is not what a cassette "+
				"has there", i+1, item.Line)
		}
		r.ours = r.ours || x.Meta.Number > 0
		r.exchanges = append(r.exchanges, x)
	}
	return r, nil
}

// write cleans a recording and puts it on a cassette.
func (i *importer) write(library *cassettes.Library, name string, r recording) error {
	cleaner := i.redactor()
	recorder, err := library.Record(name, cleaner)
	if err != nil {
		return err
	}
	if found := recorder.Recovered(); found != "" {
		i.voice.warn(found)
	}
	clean := cleaner.Clean
	if r.ours {
		clean = cleaner.Reclean
		for _, x := range r.exchanges {
			cleaner.Note(x)
		}
	}
	for _, x := range r.exchanges {
		x.Meta.Number = recorder.Next()
		clean(x) // teaches what is secret, for those before it
	}
	cleaned, err := record(recorder, r.exchanges, clean)
	summary, ended := recorder.Close()
	if err := errors.Join(err, ended); err != nil {
		return err
	}
	i.tell(cleaned, summary)
	i.warnOfIdle(cleaner.Rules())
	return nil
}

// record cleans exchanges and appends them.
func record(to *cassettes.Recorder, xs []*leaf.Exchange,
	clean func(*leaf.Exchange) redact.Clean) ([]redact.Clean, error) {
	cleaned := make([]redact.Clean, 0, len(xs))
	for _, x := range xs {
		c := clean(x)
		if err := to.Append(c); err != nil {
			return nil, err
		}
		cleaned = append(cleaned, c)
	}
	return cleaned, nil
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
