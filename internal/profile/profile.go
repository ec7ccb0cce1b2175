// Package profile holds what is known of an API, as data.
//
// A profile describes one API in YAML: its operations and its fields. An operation has a
// name, methods and a path pattern, says how its parameters travel, whether it reads or
// writes, what thread it opens and what it lists. An API keeps entities, and a profile says
// which calls name, change and bring them. A field has two independent properties: its
// provenance (where its value comes from) and its sensitivity (what kind of secret it is).
// Cleaning, matching and rewriting ask the profile and hold no knowledge of any one API
// themselves.
//
// Properties attach to an operation and a leaf key, and to a full path only where the key
// is ambiguous, because tables and examples of the documents disagree about the objects
// around a value more often than about its name.
//
// The three profiles of the documents are embedded; a user's own have the same format and
// go through the same parser. A profile says nothing of values: values are found by the
// code that reads a message.
//
// go.yaml.in/yaml/v3 reads the files: it is the maintained line of the parser that go-vcr
// itself uses, and its nodes know the line an error is on.
package profile

import "slices"

// Profile is what is known of one API.
type Profile struct {
	Name string // "cardv1"; what Meta.Profile holds
	// Origin is the file that holds it, and where it begins there.
	Origin Origin
	// Bases are the profiles on top of which it lies: what it extends, what that extends, and so on.
	Bases []Base
	// Digest is a sum over all that it says, with its bases, of recording and replay: 64 hex digits.
	// Comments, the layout of the file, titles and words for people do not count.
	Digest string
	Title  string // for people
	// Paths are the prefixes of the request paths that belong to this API: with several
	// upstreams, they choose one.
	Paths []string
	// Lists are the keys of arrays of {name, value}, as they are spelled: their values go
	// by their names.
	Lists map[string]bool
	// MaxText bounds what a client may choose freely in a request, in characters, where a row
	// sets no bound of its own. 0: there is none.
	MaxText int
	// Denied tells how an answer looks that refuses the credentials.
	Denied []Condition
	// Failed tells how the answer of a call looks that has failed: one condition is enough.
	// Nil: a status of 400 and more.
	Failed []Condition
	// Entities are what requests act on and answers show, in the order of the file. Nil: nobody has
	// said which there are.
	Entities []*Entity

	Operations []*Operation
	// Declines tells how a declined payment looks. Nil: nobody knows.
	Declines *Declines
	// Callbacks tells how the shop is called back. Nil: nobody knows.
	Callbacks *Callbacks
	// Outcome says what answers came to, in words. Nil: nobody knows.
	Outcome *Outcome

	closed   bool   // what it leaves unsaid is exact, and is not inferred
	request  fields // rows for all operations
	response fields
	// elsewhere has, for each direction, the rows that hold in the API where an operation has
	// none of its own (see Set.Meaning).
	elsewhere [2]fields
	nouns     map[string]*Entity // the entities by their nouns
	names     map[string]string  // what Names returns
	patterns  map[string]Pattern // of the values of nouns; see Pattern
	// addresses is set if some answer holds an address of the API's own.
	addresses bool
	// compares are the lengths of the names of headers of requests that have a row which is not ignored.
	compares lengths
	routes   *route // from a path to its operation; nil in a Profile that Parse did not make
}

// Base is a profile that another extends.
type Base struct {
	Name, File string // "gateway", "gateway.yaml"
	Digest     string // as in Profile
}

// Embedded reports whether the base is one of ours.
func (b Base) Embedded() bool { return slices.Contains(embedded, b.Name) && b.File == b.Name+".yaml" }

// Wrote reports whether the user has written what stands at a place of the profile: not so what lies in
// one of our profiles on top of which the user's lies.
func (p *Profile) Wrote(at Origin) bool {
	return !slices.ContainsFunc(p.Bases, func(b Base) bool { return b.Embedded() && b.File == at.File })
}

// Carrier is how the parameters of an operation travel.
type Carrier string

// The carriers. CarrierForm is the gateway's loose form: query and form body make one map of
// parameters, as real clients mix them (domain facts, On the wire).
const (
	CarrierForm  Carrier = "form"
	CarrierJSON  Carrier = "json"
	CarrierXML   Carrier = "xml"
	CarrierQuery Carrier = "query"
	CarrierNone  Carrier = "none"
)

// Operation is one call of an API.
type Operation struct {
	Profile *Profile
	Name    string   // as the document names it: "register.do", "POST /cards"
	Methods []string // upper case
	Path    string   // pattern: "/v2/cards/{id}"
	Carrier Carrier
	Writes  bool // changes the state of the sandbox
	// Asks says that nobody has said whether it writes: each call tells by its name. Writes is true.
	Asks  bool
	Opens string // what thread it starts: "order"; empty if none
	Doc   string // "document 2, Endpoints"
	// Origin is where the operation is described.
	Origin Origin
	// Uses are the entities, by Name, that a call which writes names and does not change: no
	// later answer tells whether there was the call, unless by a part of the entity that the
	// call has made or changed.
	Uses []string
	// Reads are the variants of an operation that writes which only look.
	Reads Variants
	// Failed stands in place of the profile's. Nil: the profile's.
	Failed []Condition
	// List tells where the answer lists members. Nil: it is no list.
	List *List

	request  fields
	response fields
	hash     uint64 // of the name, for remembered
}

// Direction is the half of an exchange a field sits in.
type Direction uint8

// The two directions.
const (
	Request Direction = iota
	Response
)

// At is where a field sits, in the terms of package leaf.
type At struct {
	Key   string // last name
	Name  string // the name beside a value, in a name/value list
	Shape string // path without indexes
}
