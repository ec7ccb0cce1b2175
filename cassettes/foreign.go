package cassettes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
	"go.yaml.in/yaml/v3"
)

// Cleaner is what this package needs of a redactor; *redact.Redactor is one.
type Cleaner interface {
	// Resume tells the cleaner what is on the tape that it will write for.
	Resume(tape iter.Seq[redact.Clean])
	// Note tells the cleaner of an exchange that will be recleaned, so that nothing of another
	// gets a number that is in use.
	Note(x *leaf.Exchange)
	// Reclean cleans an exchange of a file that is not sealed.
	Reclean(x *leaf.Exchange) redact.Clean
	// Stale reports whether a later exchange has taught a secret that an exchange may hold.
	Stale(x *leaf.Exchange) bool
	// Past returns an empty memory of exchanges, which tells when one may have become stale.
	Past() *redact.Past
}

// document is a cassette file to a YAML library. The items are what go-vcr writes, with our
// metadata if we wrote them.
type document struct {
	Version      int         `yaml:"version"`
	Interactions []yaml.Node `yaml:"interactions"`
}

// documents are all cassettes of a file.
type documents struct {
	count, version int
	items          []item
	flaws          []Flaw // outside of the items
	comments       []int  // lines of comments that are not ours
}

// read takes any cassette file apart: ours by its seal, every other one by cleaning it. What
// it returns keeps the file, if it needs it, or has closed it.
func read(f file, size int64, r Cleaner) (contents, error) {
	spans, err := unseal(f, size)
	if err == nil {
		mark, err := lastLine(f, size)
		return contents{spans: spans, file: f, seal: mark, head: editionsOf(f)}, err
	}
	c, err := unsealed(f, size, err, r)
	if err != nil {
		return contents{}, err
	}
	return c, f.Close()
}

// unsealed reads a file that an editor, a merge, go-vcr or a crash left, for the reason why
// it was not taken as sealed. A file that is no cassette is rejected where that shows, and is never
// held.
func unsealed(in io.ReaderAt, size int64, reason error, r Cleaner) (contents, error) {
	head := make([]byte, min(size, headSize))
	if _, err := in.ReadAt(head, 0); err != nil && err != io.EOF {
		return contents{}, err
	}
	if err := checkHead(head, size > headSize); err != nil {
		return contents{}, fmt.Errorf("%w (%w)", err, reason)
	}
	d, err := decode(in, size)
	if err != nil {
		if line := conflictLine(in, size, err); line > 0 {
			return contents{}, fmt.Errorf("line %d begins a conflict that a merge has left (%w)", line, reason)
		}
		return contents{}, describe(err, reason)
	}
	f := foreign{ours: bytes.HasPrefix(head, []byte(headStart)), reason: reason}
	if d.count > 1 {
		f.warn("the file holds %d cassettes one after the other, which were read as one", d.count)
	}
	f.keep(d)
	f.number()
	for _, x := range f.exchanges {
		r.Note(x)
	}
	entries, err := recleaned(f.exchanges, r)
	if err != nil {
		return contents{}, err
	}
	c := contents{
		head: editionsOf(in), spans: make([]span, 0, len(entries)), lost: f.lost, foreign: !f.ours,
		flaws: f.flaws, comments: d.comments,
	}
	for i, e := range entries {
		c.spans = append(c.spans, hold(e))
		if lines := takenOut(f.exchanges[i], e.clean.Exchange()); len(lines) > 0 {
			c.taken = append(c.taken, Taken{Exchange: e.number, Lines: lines})
		}
	}
	c.warnings = slices.Concat([]string{f.summary()}, f.warnings, warnings(f.flaws))
	return c, nil
}

// recleaned cleans the exchanges of a file, first to learn from all of them: a token is often
// known for one only by the request that brings it back.
func recleaned(xs []*leaf.Exchange, r Cleaner) ([]entry, error) {
	entries := make([]entry, 0, len(xs))
	for _, x := range xs {
		e, err := newEntry(r.Reclean(x))
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	for i, e := range entries {
		fresh, _, err := e.recleanStale(r)
		if err != nil {
			return nil, err
		}
		entries[i] = fresh
	}
	return entries, nil
}

// headSize is how many bytes of a file say whether it is a cassette. Comments may come first.
const headSize = 64 << 10

// beforeKeys is what may come before the first key of a document: a byte order mark, white space,
// comments, directives, and the marks of a document or a mapping.
var beforeKeys = regexp.MustCompile(`^\x{FEFF}?(\s+|#[^\n]*(\n|$)|%[^\n]*(\n|$)|---|\{)*`)

// firstKey is one of the keys of a cassette, in quotes or not.
var firstKey = regexp.MustCompile(`^["']?(version|interactions)["']?\s*:`)

// checkHead rejects what does not begin as a cassette does, such as an archive of a browser. A
// library would read a file of any size to its end to say so. more says that the file goes on.
func checkHead(head []byte, more bool) error {
	rest := head[len(beforeKeys.Find(head)):]
	switch {
	case len(bytes.TrimSpace(head)) == 0 && !more:
		return errors.New("the file is empty")
	case len(rest) > 0 && !firstKey.Match(rest) && !bytes.HasPrefix(rest, []byte("null")):
		line := 1 + bytes.Count(head[:len(head)-len(rest)], []byte("\n"))
		return fmt.Errorf("line %d is not what a cassette has there", line)
	}
	return nil
}

// decode reads all YAML documents of a file, of which there is more than one where somebody
// put two cassettes into one file.
func decode(in io.ReaderAt, size int64) (documents, error) {
	var all documents
	decoder := yaml.NewDecoder(io.NewSectionReader(in, 0, size))
	for ; ; all.count++ {
		var tree yaml.Node
		switch err := decoder.Decode(&tree); {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return documents{}, err
		}
		if Expands(&tree, size) {
			return documents{}, errAliases
		}
		if err := all.add(&tree); err != nil {
			return documents{}, err
		}
	}
}

// add takes a document apart.
func (all *documents) add(tree *yaml.Node) error {
	var d document
	if err := tree.Decode(&d); err != nil {
		return err
	}
	all.version = max(all.version, d.Version)
	if len(tree.Content) > 0 {
		all.flaws = append(all.flaws, documentShape.strangers(tree.Content[0])...)
	}
	all.comments = appendComments(all.comments, tree)
	for i := range d.Interactions {
		read, err := readItemNode(&d.Interactions[i])
		if err != nil {
			return err
		}
		all.items = append(all.items, read)
	}
	return nil
}

// foreign is a file on its way to becoming contents.
type foreign struct {
	ours      bool // at least once: it has our head or our metadata
	reason    error
	exchanges []*leaf.Exchange
	warnings  []string
	flaws     []Flaw // by their lines
	lost      bool   // an incomplete item was left out
}

func (f *foreign) warn(format string, args ...any) {
	f.warnings = append(f.warnings, fmt.Sprintf(format, args...))
}

// keep takes the items that can be used.
func (f *foreign) keep(d documents) {
	if d.version > 1 {
		f.warn("a later version of the format was read as version 1")
	}
	f.flaws = d.flaws
	last := -1 // the last item that is kept
	for i, it := range d.items {
		if it.exchange != nil {
			last = i
			f.exchanges = append(f.exchanges, it.exchange)
			f.ours = f.ours || it.exchange.Meta.Number > 0
		}
	}
	// Our items end with their number, so the last one of a file that was cut off may have
	// lost anything before it: an answer, or the note that the exchange had failed.
	if f.cut() && last >= 0 && d.items[last].exchange.Meta.Number < 1 {
		f.exchanges = f.exchanges[:len(f.exchanges)-1]
		f.lost = true
		f.warn("the last interaction is incomplete and was left out")
		d.items[last].flaws = nil
	}
	for _, it := range d.items {
		f.flaws = append(f.flaws, it.flaws...)
	}
	slices.SortStableFunc(f.flaws, func(a, b Flaw) int { return cmp.Compare(a.Line, b.Line) })
}

// maxNumber is the highest number of an exchange. A longer one could be anything, such as that of a card.
const maxNumber = 999_999_999

// isStatus reports whether a number may be a status of HTTP; 0 stands where there was no answer. Any
// other number could be anything, such as that of a card.
func isStatus(code int) bool { return code >= 0 && code <= 999 }

// cut reports whether the end of a file of ours is missing.
func (f *foreign) cut() bool { return f.ours && errors.Is(f.reason, errNoMark) }

// number gives every exchange a number of its own. Where one is missing, repeated or out of
// order, the order of the file is the order that its author meant.
func (f *foreign) number() {
	ordered, last := true, 0
	for _, x := range f.exchanges {
		ordered = ordered && x.Meta.Number > last && x.Meta.Number <= maxNumber
		last = x.Meta.Number
	}
	if ordered {
		return
	}
	for i, x := range f.exchanges {
		x.Meta.Number = i + 1
	}
	if f.ours {
		f.warn("exchanges were numbered anew, in the order of the file")
	}
}

// summary says what kind of file it was.
func (f *foreign) summary() string {
	read := count.Of(len(f.exchanges), "exchange")
	switch {
	case f.cut():
		return fmt.Sprintf("the end mark is missing, so the file was cut off or edited; "+
			"%s read and cleaned again", read)
	case errors.Is(f.reason, errNoMark):
		return fmt.Sprintf("there is no end mark, so another program wrote the file; "+
			"%s read and cleaned", read)
	case errors.Is(f.reason, errBadMark):
		return fmt.Sprintf("the end mark does not agree, so the file was edited or merged; "+
			"%s read and cleaned again", read)
	}
	return fmt.Sprintf("another version of paytape wrote the file; "+
		"%s read and cleaned again", read)
}

// lineNumber finds the place in an error of the YAML library, whose words may quote a value
// and are therefore never repeated.
var lineNumber = regexp.MustCompile(`line (\d+)`)

func describe(err, reason error) error {
	var place placeError
	if errors.Is(err, errAliases) || errors.As(err, &place) {
		return fmt.Errorf("%w (%w)", err, reason)
	}
	where := "the file"
	if m := lineNumber.FindStringSubmatch(err.Error()); m != nil {
		where = "line " + m[1]
	}
	var kind *yaml.TypeError
	what := "is not valid YAML"
	if errors.As(err, &kind) {
		what = "is not what a cassette has there"
	}
	return fmt.Errorf("%s %s (%w)", where, what, reason)
}
