package request

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Request is a live request in canonical form: an operation and one list of parameters,
// whichever way the client sent them.
type Request struct {
	leaf.Unprinted
	// Method and Target are the request line: the target may be a path or a whole URL.
	Method, Target string
	// Deck is the base URL at which the client reached the deck, such as
	// "http://127.0.0.1:8080"; it takes the place of the sandbox's own address in answers.
	// Empty leaves the sandbox's addresses as they are on tape.
	Deck string
	// Bases are further base URLs under which the client finds sandboxes, the longest first,
	// such as their own where it reached the deck as a proxy. Nil means none.
	Bases []string
	// Prefix is the path below Deck of the host that the client asked for, such as "/_host/acs".
	// Addresses in answers that are paths alone get it.
	Prefix string
	// Host is the name of the host that the client asked for, if it named one, and Address that
	// host's base address, or the one that the client asked the deck for as a proxy. Both are
	// empty where the path says which host it is.
	Host, Address string
	// Home returns the base URL under which the client finds a host on tape; empty if that is the
	// host's own. Nil: all are at Deck. It is not asked if Deck is empty.
	Home func(Host) string
	// Session names the session of the request; empty is that of clients without one.
	Session string

	// Call is what the profiles recognise of the request.
	Call profile.Call
	// Params are the parameters, sorted by path; repeated paths are numbered ("a", "a#2").
	Params []Param
	// Idempotency is the idempotency key of the request; empty if it has none.
	Idempotency string
	// Layout is what the request has in common with others whose parameters are the same but for their
	// texts; nil where that is not known.
	Layout *Layout
	// Broken says that the body is XML that is not well-formed: an API refuses it, whatever can be read
	// of its parameters.
	Broken bool
	// Header is that of the request as it was sent; it is read and never changed.
	Header http.Header
	// Choice asks for a branch of the tape. Nil: that which the state leads to.
	Choice *Choice
	// Now is what the clock shows while the request is served. Zero: whatever it shows then.
	Now time.Time

	atDeck []Param // the parameters whose address AtDeck has replaced, as they were sent
}

// requests lends the memory in which live requests and their parameters lie.
var requests = sync.Pool{New: func() any { return &Request{} }}

// Release gives back the memory in which a request lies: whoever has read it, and nobody else, may do so
// when it is answered. The request must not be used any more, and its parameters neither; texts stay.
func (r *Request) Release() {
	const most = 64 // parameters for which room is kept: a request with more is rare
	if cap(r.Params) > most {
		return
	}
	clear(r.Params)
	*r = Request{Params: r.Params[:0]}
	requests.Put(r)
}

// String keeps a request, which holds live values, out of logs and test failures.
func (r *Request) String() string { return "[request]" }

// GoString does for %#v what String does for the other verbs.
func (r *Request) GoString() string { return r.String() }

// Param is one parameter of a request.
type Param struct {
	// Place is where it travels; the field of a multipart body is a Part.
	Place leaf.Place
	Kind  leaf.Kind
	Path  string // canonical name, unique within the request
	Text  string // decoded
	Field profile.Field
	Known bool // a profile has a row for it
	// Unsaid says that it may be inferred what it is: its profile has no row for it. The rows for all
	// APIs say little, and what is inferred goes beyond them.
	Unsaid bool
}

// MaxParams is how many parameters a live request may have. Each costs some hundred times what
// it takes in a body, and no call has so many: a recorded one that has is not replayed.
const MaxParams = 1 << 17

// Incoming is a request that a client has sent, as it came.
type Incoming struct {
	leaf.Unprinted
	// Call is what the profiles recognise of it. Whoever has the request has looked it up.
	Call profile.Call
	// Method and Target are the request line: the target may be a path or a whole URL.
	Method, Target string
	Header         http.Header
	Body           string // without a content coding, in UTF-8
}

// New reads a request into canonical form. body has no content coding any more.
func New(set *profile.Set, method, target string, h http.Header, body string) *Request {
	r, _ := read(set, Incoming{
		Call: set.Find(method, PathOf(target)), Method: method, Target: target, Header: h, Body: body,
	}, 0)
	return r
}

// NewLive is New for a request that is not on tape; it returns false for one that
// has more than MaxParams parameters.
func NewLive(set *profile.Set, in Incoming) (*Request, bool) { return read(set, in, MaxParams) }

// read returns false for a request that has more leaves than most; 0 is any number.
func read(set *profile.Set, in Incoming, most int) (*Request, bool) {
	h := in.Header
	r := requests.Get().(*Request)
	r.Method, r.Target, r.Call, r.Header = in.Method, in.Target, in.Call, h
	m := leaf.Message{
		Target: in.Target, Header: h, Headless: true, Body: in.Body, Most: most,
	}
	if o := in.Call.Operation; o != nil && !o.HasSegments() {
		m.Skip = pathEnd(in.Target) // no segment of the path is a parameter
	}
	if !r.readParams(set, m) {
		return nil, false
	}
	r.Idempotency = IdempotencyKey(r.Call, h, r.Params)
	return r, true
}

// first returns the first value of a header; "" for a header that is not there.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// leafRoom lends the memory in which the leaves of a request lie until they are parameters.
var leafRoom = sync.Pool{New: func() any { return new([]leaf.Leaf) }}

// readParams reads the parameters of a message, and those that its headers are. It reads nothing and
// returns false if there are more leaves than are read.
func (r *Request) readParams(set *profile.Set, m leaf.Message) bool {
	room := leafRoom.Get().(*[]leaf.Leaf)
	leaves := leaf.Append((*room)[:0], m)
	if m.Most > 0 && len(leaves) > m.Most {
		return false // and that room is not kept
	}
	if last := len(leaves) - 1; last >= 0 && leaves[last].Place == leaf.Markup {
		r.Broken = leaf.BrokenXML(m.Body)
	}
	if set.ComparesHeaders(r.Call) {
		leaves = appendHeaders(leaves, set, r.Call, m.Header)
	}
	r.Params = slices.Grow(r.Params, len(leaves))
	multipart := isMultipart(first(m.Header["Content-Type"]))
	if r.Layout = layoutOf(set, r.Call, leaves, multipart); r.Layout != nil {
		r.Params = r.Layout.appendParams(r.Params, leaves)
	} else {
		r.addLeaves(set, leaves, multipart)
		sortByPath(r.Params)
		numberRepeats(r.Params)
	}
	clear(leaves) // they hold live values
	*room = leaves
	leafRoom.Put(room)
	return true
}

// isMultipart reports whether a Content-Type is that of a body in parts, whose fields are parts.
func isMultipart(contentType string) bool {
	const kind = "multipart/"
	return len(contentType) >= len(kind) && strings.EqualFold(contentType[:len(kind)], kind)
}

// addLeaves adds the parameters that leaves are.
func (r *Request) addLeaves(set *profile.Set, leaves []leaf.Leaf, multipart bool) {
	for i := range leaves {
		p, ok := Parameter(set, r.Call, &leaves[i])
		if multipart && leaves[i].Place == leaf.Form {
			p.Place = leaf.Part
		}
		if h := leaves[i].Passage(); h != nil {
			ok = ok && r.opened(set, leaves, h)
		}
		if ok {
			r.Params = append(r.Params, p)
		}
	}
}

// opened reports whether the leaves of a passage are parameters of their own: those of a value
// that would have to be equal are, and it is compared without them. A value that binds, such as
// the address to return to, is one whatever it holds.
func (r *Request) opened(set *profile.Set, leaves []leaf.Leaf, h *leaf.Holder) bool {
	outer, _, _ := h.Part()
	value, ok := Parameter(set, r.Call, &leaves[outer])
	if !ok || value.Field.From != profile.Exact {
		return false
	}
	for i := len(r.Params) - 1; i >= 0; i-- {
		if p := &r.Params[i]; p.Path == value.Path && p.Text == value.Text {
			p.Text = withoutPassages(leaves, outer)
			break
		}
	}
	return true
}

// passageMark stands for a passage in the value that it was taken out of.
const passageMark = "*"

// withoutPassages returns the value of a leaf without its passages.
func withoutPassages(leaves []leaf.Leaf, outer int) string {
	var b strings.Builder
	value, last := leaves[outer].Value, 0
	for i := outer + 1; i < len(leaves); i++ {
		h := leaves[i].Passage()
		if h == nil {
			break
		}
		if n, from, to := h.Part(); n == outer && from >= last {
			b.WriteString(value[last:from] + passageMark)
			last = to
		}
	}
	return b.String() + value[last:]
}

// appendHeaders appends the headers that take part in matching, those that the profile names, as leaves.
func appendHeaders(
	leaves []leaf.Leaf, set *profile.Set, c profile.Call, h http.Header,
) []leaf.Leaf {
	first := len(leaves)
	for name, values := range h {
		if !set.MayCompare(c, name) {
			continue
		}
		f, known := set.HeaderField(c, profile.Request, name)
		if !known || f.From == profile.Ignored {
			continue
		}
		for _, v := range values {
			leaves = append(leaves, leaf.Leaf{
				Place: leaf.Header, Key: name, Path: lowered(name), Shape: name, Value: v,
			})
		}
	}
	if len(leaves) > first+1 { // of one layout each time
		slices.SortStableFunc(leaves[first:], func(a, b leaf.Leaf) int {
			return cmp.Compare(a.Key, b.Key)
		})
	}
	return leaves
}

// lowered returns the name of a header in small letters. The names that requests have are kept: there is a
// place for each hash, for the name that was asked for last of those that have the hash.
func lowered(name string) string {
	if len(name) == 0 || len(name) > longestLowered {
		return strings.ToLower(name)
	}
	hash := len(name)*31 + int(name[0]) + int(name[len(name)-1])*7
	place := &loweredLately[hash%len(loweredLately)]
	if known := place.Load(); known != nil && known.name == name {
		return known.lower
	}
	own := strings.Clone(name)
	known := &loweredName{own, strings.ToLower(own)}
	place.Store(known)
	return known.lower
}

// loweredName is the name of a header, as it was sent and in small letters.
type loweredName struct{ name, lower string }

const longestLowered = 64 // bytes

var loweredLately [64]atomic.Pointer[loweredName]

// Param returns the parameter of a path, or nil.
func (r *Request) Param(path string) *Param {
	at, found := slices.BinarySearchFunc(r.Params, path, func(p Param, path string) int {
		return cmp.Compare(p.Path, path)
	})
	if !found {
		return nil
	}
	return &r.Params[at]
}

// pathEnd returns where the query of a target or URL begins, with its "?", or where the target ends.
func pathEnd(target string) int {
	begin := leaf.PathStart(target)
	if at := strings.IndexByte(target[begin:], '?'); at >= 0 {
		return begin + at
	}
	return len(target)
}

// PathOf returns the raw path of a target or URL.
func PathOf(target string) string {
	path, _, _ := strings.Cut(target[leaf.PathStart(target):], "?")
	return cmp.Or(path, "/")
}

// Parameter returns the parameter that a leaf of a request is, or false if the leaf takes
// no part in matching.
func Parameter(set *profile.Set, c profile.Call, l *leaf.Leaf) (Param, bool) {
	switch l.Place {
	case leaf.Path:
		return pathParameter(set, c, l)
	case leaf.Part:
		return Param{}, false // headers do not match, and these have boundaries
	case leaf.Header:
		f, known := set.HeaderField(c, profile.Request, l.Key)
		return Param{Place: leaf.Header, Path: l.Path, Text: l.Value, Field: f, Known: known}, known
	}
	if l.Kind == leaf.Empty && l.Path == "" {
		return Param{}, false // the body {} of a call whose parameters are in the query
	}
	path := maskedPath(l.Path)
	inList := (l.Key == "name" || l.Name != "") && (l.Place != leaf.JSON || Index(Parent(path)) != "")
	if inList && c.Profile != nil && c.Profile.Lists[parentKey(l.Shape)] {
		if l.Key == "name" && Index(path) == "" {
			return Param{}, false // it is part of the path of the value beside it
		}
		if l.Name != "" {
			path = strings.TrimSuffix(l.Shape, "value") + l.Name
		}
	}
	place := l.Place
	if c.Operation != nil && c.Operation.Carrier == profile.CarrierForm && place == leaf.Query {
		place = leaf.Form // query and form are one map of parameters (domain facts, On the wire)
	}
	f, known := set.Meaning(c, profile.Request, At(l))
	return Param{
		Place: place, Kind: l.Kind, Path: path, Text: l.Value, Field: f, Known: known,
		Unsaid: unsaid(set, c, At(l)),
	}, true
}

func pathParameter(set *profile.Set, c profile.Call, l *leaf.Leaf) (Param, bool) {
	if c.Operation == nil {
		return Param{Place: leaf.Path, Path: "/" + l.Key, Text: l.Value, Unsaid: true}, true
	}
	i, _ := strconv.Atoi(l.Key)
	name := c.Operation.Segment(i)
	if name == "" {
		return Param{}, false
	}
	at := profile.At{Key: name, Shape: "{" + name + "}"}
	f, known := set.Meaning(c, profile.Request, at)
	return Param{
		Place: leaf.Path, Path: "{" + name + "}", Text: l.Value, Field: f, Known: known,
		Unsaid: unsaid(set, c, at),
	}, true
}

// unsaid reports whether it may be inferred what a field of a request is.
func unsaid(set *profile.Set, c profile.Call, at profile.At) bool {
	return c.Operation == nil || c.Infers() && !set.Said(c, profile.Request, at)
}

// At says where a leaf sits in the words of package profile.
func At(l *leaf.Leaf) profile.At { return profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape} }

// parentKey returns the last but one name of a shape.
func parentKey(shape string) string {
	end := profile.LastBreak(shape)
	if end < 0 {
		return ""
	}
	return shape[profile.LastBreak(shape[:end])+1 : end]
}

// sortByPath sorts parameters; those of one path stay in their order. Most requests have a few, which
// are large: each is moved once, and together with those behind it.
func sortByPath(ps []Param) {
	const few = 32
	if len(ps) > few {
		slices.SortStableFunc(ps, func(a, b Param) int { return cmp.Compare(a.Path, b.Path) })
		return
	}
	for i := 1; i < len(ps); i++ {
		at := i
		for at > 0 && ps[at-1].Path > ps[i].Path {
			at--
		}
		if at < i {
			p := ps[i]
			copy(ps[at+1:i+1], ps[at:i])
			ps[at] = p
		}
	}
}

// numberRepeats makes the paths of sorted parameters unique: the second "a" is "a#2".
func numberRepeats(ps []Param) {
	first, n := "", 0
	for i := range ps {
		if i == 0 || ps[i].Path != first {
			first, n = ps[i].Path, 1
			continue
		}
		n++
		ps[i].Path = first + "#" + strconv.Itoa(n)
	}
}
