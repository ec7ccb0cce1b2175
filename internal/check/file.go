package check

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/audit"
)

// Checker looks into files. It is safe for concurrent use. Make one with New.
type Checker struct {
	options redact.Options
	// slots has room for one token for each goroutine that may work. A file takes one, and a
	// large one takes more while there are some.
	slots chan struct{}
}

// New returns a Checker that knows what the options tell to be secret, and works with as many
// goroutines at most.
func New(o redact.Options, workers int) *Checker {
	return &Checker{o, make(chan struct{}, max(1, workers))}
}

// Files looks into files, several at a time. It returns what each of them holds, in their order, and
// for each an error if it could not be read to its end.
func (c *Checker) Files(ctx context.Context, files []string) ([][]Finding, []error) {
	found, errs := make([][]Finding, len(files)), make([]error, len(files))
	var wait sync.WaitGroup
	for i, file := range files {
		if ctx.Err() != nil {
			errs[i] = ctx.Err()
			break
		}
		c.slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-c.slots }()
			found[i], errs[i] = c.file(file)
		})
	}
	wait.Wait()
	return found, errs
}

// Reader looks into the bytes of a file that the caller holds, as Files does, so that what is done with
// these bytes next is done with those that were looked into. size is that of the file, in bytes; findings
// name the file.
func (c *Checker) Reader(ctx context.Context, name string, r io.Reader, size int64) ([]Finding, error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-c.slots }()
	return c.content(name, r, size)
}

// Bounds, in bytes.
const (
	// maxWhole is the size up to which a file is also read as what it is: a cassette, an HTTP
	// archive, JSON or YAML. A larger one is looked into as text, window by window.
	maxWhole = 32 << 20
	// maxRatio and minUnpacked bound what comes out of a compressed file.
	maxRatio    = 64
	minUnpacked = 64 << 20
	nearHead    = 8000 // how much of a file tells what it is, as git has it
)

// document is a file that is looked into.
type document struct {
	*Checker
	name   string
	search audit.Search
	data   []byte // all of it, if it is not larger than maxWhole
	starts []int  // offsets of lines in data, from the second; made when first asked for
}

func newDocument(c *Checker, name string) *document {
	return &document{Checker: c, name: name, search: audit.Search{Prefixes: c.options.Prefixes}}
}

// file looks into a file.
func (c *Checker) file(name string) ([]Finding, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return c.content(name, f, info.Size())
}

// content looks into what a file of a size holds.
func (c *Checker) content(name string, in io.Reader, size int64) ([]Finding, error) {
	u := unpacker{Checker: c, left: max(minUnpacked, maxRatio*size)}
	found, err := u.content(name, in, 0)
	for i := range found {
		found[i].File = name
	}
	if err != nil {
		return found, fmt.Errorf("%s: %w", name, err)
	}
	return found, nil
}

// Data looks into what is to become a file of a name. Findings do not name the file.
func (c *Checker) Data(name string, data []byte) ([]Finding, error) {
	return newDocument(c, name).read(bufio.NewReaderSize(bytes.NewReader(data), nearHead))
}

// read looks into the content of a file.
func (d *document) read(r *bufio.Reader) ([]Finding, error) {
	head, err := r.Peek(nearHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	noText := isBinary(head)
	d.search.Source = source(d.name) || noText || bytes.HasPrefix(head, []byte("#!"))
	d.search.Tests = ofTests(d.name)
	var data bytes.Buffer
	if _, err := data.ReadFrom(io.LimitReader(r, maxWhole+1)); err != nil {
		return nil, err
	}
	if data.Len() > maxWhole {
		return d.windows(io.MultiReader(&data, r))
	}
	d.data = data.Bytes()
	var found []Finding
	if len(d.data) <= windowSize {
		found = sorted(d.look(window{string(d.data), 0, len(d.data), 1, 0}))
	} else if found, err = d.windows(bytes.NewReader(d.data)); err != nil {
		return nil, err
	}
	if noText {
		return found, nil
	}
	return d.structure(found), nil
}

// structure adds to what was found in the lines of a file what it shows as what it is.
func (d *document) structure(found []Finding) []Finding {
	for _, as := range []func([]Finding) ([]Finding, bool){
		d.cassette, d.archive, d.json, d.yaml,
	} {
		if all, ok := as(found); ok {
			return all
		}
	}
	return found
}

// lineAt returns the line of an offset in data.
func (d *document) lineAt(offset int) int {
	if d.starts == nil {
		d.index()
	}
	i, there := slices.BinarySearch(d.starts, offset)
	if there {
		i++
	}
	return i + 1
}

// lines returns how many lines data has.
func (d *document) lines() int { return d.lineAt(len(d.data)) }

// line returns a line of data, without its end.
func (d *document) line(n int) []byte {
	from, to := d.offsetOf(n), d.offsetOf(n+1)
	return bytes.TrimSuffix(d.data[from:to], []byte("\n"))
}

// offsetOf returns where a line begins.
func (d *document) offsetOf(line int) int {
	switch last := d.lines(); {
	case line < 2:
		return 0
	case line > last:
		return len(d.data)
	}
	return d.starts[line-2]
}

func (d *document) index() {
	d.starts = make([]int, 0, bytes.Count(d.data, []byte("\n")))
	for i, c := range d.data {
		if c == '\n' {
			d.starts = append(d.starts, i+1)
		}
	}
}

// isBinary reports whether data is no text, by the rule of git: a NUL near the beginning.
func isBinary(head []byte) bool {
	return bytes.IndexByte(head[:min(nearHead, len(head))], 0) >= 0
}

// sources are the ends of the names of programs and of what is written about them.
var sources = []string{
	".go", ".mod", ".sum", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".java", ".kt", ".kts",
	".scala", ".groovy", ".gradle", ".swift", ".m", ".rs", ".py", ".rb", ".php", ".pl", ".pm",
	".lua", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".vue", ".svelte", ".css", ".scss",
	".sh", ".bash", ".zsh", ".ps1", ".bat", ".sql", ".proto", ".tf", ".ex", ".exs", ".erl", ".hs",
	".clj", ".dart", ".r", ".s", ".tmpl", ".md", ".rst", ".adoc", ".txtar",
}

// source reports whether a file is a program or about one, by its name.
func source(name string) bool {
	return slices.Contains(sources, strings.ToLower(filepath.Ext(name)))
}

// ofTests reports whether a file is of tests, by its name.
func ofTests(name string) bool {
	name = strings.ToLower(filepath.Base(name))
	return strings.HasPrefix(name, "test_") || strings.Contains(name, "_test.") ||
		strings.Contains(name, ".test.") || strings.Contains(name, ".spec.")
}
