package tape

import (
	"errors"
	"io"
	"slices"

	"github.com/paytape/paytape/internal/codec"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// A tape that is compiled can be written as a file (package codec), and is read from there many times
// faster than it is compiled. The file holds what Compile has made, all of it and nothing else: each
// type has one function, in codes.go, that names each of its fields once. What only compiling needs is
// nil afterwards and is left out.
//
// Classes are digests under a seed of the process that has compiled the tape. They are kept as they
// are: what counts is which of them are equal, and nobody compares the class of a recording with a
// digest that is made later.
//
// Profiles, operations, kinds of entities and lists are numbers in the set of profiles. The file has the names of
// all of them, and a set in which they are others is not the set of the file.

// Write writes the tape under a key, in the form that Read reads. set is what it was compiled with.
// Whoever derives a key must put in all on which the tape depends: the cassettes, the options, the
// profiles, the time zone of the machine (codec.LocalZone) and the program itself.
func (t *Tape) Write(out io.Writer, key codec.Key, set *profile.Set) error {
	g := newGraph(set)
	return codec.Write(out, key, g.file(), g.roots, &root{Tape: t, known: g.known.names})
}

// Read reads a tape that was written under the same key with the same profiles. The error is
// codec.ErrDamaged for any other file.
func Read(in io.ReaderAt, size int64, key codec.Key, set *profile.Set) (*Tape, error) {
	g := newGraph(set)
	r, err := codec.Read(in, size, key, g.file(), g.roots)
	if err != nil {
		return nil, err
	}
	if r.Tape == nil || !slices.Equal(r.known, g.known.names) {
		return nil, codec.ErrDamaged
	}
	recordings := g.recordings.Objects()
	for i := range recordings {
		rec := &recordings[i]
		if rec.Frame == nil || rec.Rest == nil {
			return nil, codec.ErrDamaged
		}
		if rec.Frame.call == nil {
			call := set.Find(rec.Method, rec.Target)
			rec.Frame.call = &call
		}
	}
	for i := range g.layouts.Objects() {
		g.layouts.Objects()[i].of = r.Tape
	}
	for i := range g.forms.Objects() {
		g.forms.Objects()[i].of = r.Tape
	}
	r.findConfigured()
	return r.Tape, nil
}

// root is what a file holds.
type root struct {
	*Tape
	known []string // the names of all in the set of profiles
}

// graph is the tables of a file, one for each type that something points to.
type graph struct {
	known knownProfiles

	roots      *codec.Table[root]
	tapes      *codec.Table[Tape]
	recordings *codec.Table[Recording]
	frames     *codec.Table[Frame]
	rests      *codec.Table[Rest]
	forms      *codec.Table[form]
	asked      *codec.Table[Asked]
	parameters *codec.Table[Parameter]
	entities   *codec.Table[Entity]
	kinds      *codec.Table[EntityKind]
	mores      *codec.Table[more]
	holders    *codec.Table[holders]
	callbacks  *codec.Table[Callback]
	listings   *codec.Table[Listing]
	headers    *codec.Table[answerHeader]
	layouts    *codec.Table[layout]
	writings   *codec.Table[Writing]
	packings   *codec.Table[packing]
	spellings  *codec.Table[spelling]
	encoders   *codec.Table[leaf.Encoder]
	sources    *codec.Table[Source]
	fillings   *codec.Table[Filling]
	refs       *codec.Table[Ref]
	redatings  *codec.Table[redating]
	leads      *codec.Table[request.Destination]
	series     *codec.Table[Series]
	routes     *codec.Table[route]
	places     *codec.Table[Place]
}

func newGraph(set *profile.Set) *graph {
	g := &graph{known: knownOf(set)}
	g.roots = codec.NewTable(g.root)
	g.tapes = codec.NewTable(g.tape)
	g.recordings = codec.NewTable(g.recording)
	g.frames = codec.NewTable(codeFrame)
	g.rests = codec.NewTable(g.rest)
	g.forms = codec.NewTable(g.form)
	g.asked = codec.NewTable(g.param)
	g.parameters = codec.NewTable(codeParameter)
	g.entities = codec.NewTable(g.entity)
	g.kinds = codec.NewTable(g.kind)
	g.mores = codec.NewTable(g.more)
	g.holders = codec.NewTable(g.holder)
	g.callbacks = codec.NewTable(g.callback)
	g.listings = codec.NewTable(g.listing)
	g.headers = codec.NewTable(g.header)
	g.layouts = codec.NewTable(g.layout)
	g.writings = codec.NewTable(g.writing)
	g.packings = codec.NewTable(g.packing)
	g.spellings = codec.NewTable(codeSpelling)
	g.encoders = codec.NewTable(codeEncoder)
	g.sources = codec.NewTable(g.source)
	g.fillings = codec.NewTable(g.filling)
	g.refs = codec.NewTable(codeRef)
	g.redatings = codec.NewTable(codeRedating)
	g.leads = codec.NewTable(codeDestination)
	g.series = codec.NewTable(codeSeries)
	g.routes = codec.NewTable(g.route)
	g.places = codec.NewTable(g.place)
	return g
}

// file returns the file of the tables. Those that are large and need nothing else come last.
func (g *graph) file() *codec.File {
	f := &codec.File{}
	f.Add(g.roots)
	f.Add(g.tapes)
	f.Add(g.recordings)
	f.Add(g.frames)
	f.Add(g.rests)
	f.Add(g.forms)
	f.Add(g.asked)
	f.Add(g.parameters)
	f.Add(g.entities)
	f.Add(g.kinds)
	f.Add(g.mores)
	f.Add(g.holders)
	f.Add(g.callbacks)
	f.Add(g.listings)
	f.Add(g.headers)
	f.Add(g.layouts)
	f.Add(g.writings)
	f.Add(g.packings)
	f.Add(g.spellings)
	f.Add(g.encoders)
	f.Add(g.sources)
	f.Add(g.fillings)
	f.Add(g.refs)
	f.Add(g.redatings)
	f.Add(g.leads)
	f.Add(g.series)
	f.Add(g.routes)
	f.Add(g.places)
	return f
}

// errUnknown is returned for a tape that was compiled with another set of profiles.
var errUnknown = errors.New("the tape has what the set of profiles does not have")

// knownProfiles are the profiles of a set, with their kinds of entities and their lists, by number.
type knownProfiles struct {
	names      []string
	profiles   numbered[profile.Profile]
	operations numbered[profile.Operation]
	types      numbered[profile.Entity]
	lists      numbered[profile.List]
}

func knownOf(set *profile.Set) knownProfiles {
	var k knownProfiles
	for _, p := range set.Profiles() {
		k.names = append(k.names, p.Name)
		k.profiles.add(p)
		for _, e := range p.Entities {
			k.names = append(k.names, p.Name+" "+e.Name)
			k.types.add(e)
		}
		for _, o := range p.Operations {
			k.names = append(k.names, p.Name+" "+o.Name)
			k.operations.add(o)
			if o.List != nil {
				k.lists.add(o.List)
			}
		}
	}
	return k
}

// numbered are things that a file tells by their number, from 1. The number of nil is 0.
type numbered[T any] struct {
	all     []*T
	numbers map[*T]int
}

func (n *numbered[T]) add(p *T) {
	if n.numbers == nil {
		n.numbers = map[*T]int{}
	}
	n.all = append(n.all, p)
	n.numbers[p] = len(n.all)
}

// compare compares two of them by their numbers.
func (n *numbered[T]) compare(a, b *T) int { return n.numbers[a] - n.numbers[b] }

// code codes a pointer to such a thing.
func (n *numbered[T]) code(c *codec.Coder, p **T) {
	if number := n.numbers[*p]; !c.Reads() {
		if *p != nil && number == 0 {
			c.Fail(errUnknown)
		}
		codec.Int(c, &number)
		return
	}
	var number int
	codec.Int(c, &number)
	switch {
	case number == 0:
		*p = nil
	case number > 0 && number <= len(n.all):
		*p = n.all[number-1]
	default:
		c.Fail(codec.ErrDamaged)
	}
}
