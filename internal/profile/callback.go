package profile

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Callbacks tells how an API calls the shop back: how a client says where, which calls cause what,
// how a callback is signed, and how often one that the shop has refused is sent.
type Callbacks struct {
	// Address are the request fields in which a client says where it is to be called. Nil: the API
	// has an address of the shop that no request tells.
	Address []string
	// Event is the field of a callback that tells what has happened: "operation". Empty: none does.
	Event string
	// Causes are the operations, by name, that may cause a callback, by what the callback tells:
	// after "refunded", "refund.do". What is not there may be caused by any operation that writes.
	Causes map[string][]string
	// Accepted is the status with which a shop takes a callback. 0: any success.
	Accepted int
	// Attempts is how often a callback is sent at most, and Pause the time between two attempts.
	Attempts int
	Pause    time.Duration
	// Sign tells how callbacks are signed. Nil: nobody knows.
	Sign *Signature

	operation *Operation // has the rows of a callback's fields
}

// MayFollow reports whether a callback that tells an event may be caused by an operation.
func (c *Callbacks) MayFollow(event, operation string) bool {
	causes := c.Causes[event]
	return causes == nil || slices.Contains(causes, operation)
}

// AcceptsCallback reports whether a shop has taken a callback that it answered with a status. For an
// API of which nobody tells, nil too, any success will do.
func (p *Profile) AcceptsCallback(status int) bool {
	if p == nil || p.Callbacks == nil || p.Callbacks.Accepted == 0 {
		return status/100 == 2
	}
	return status == p.Callbacks.Accepted
}

// Signature tells how a message is signed: what is signed, by which algorithm, and where the result
// stands.
type Signature struct {
	// Algorithm is one of the constants.
	Algorithm string
	// Key is how a symmetric key is written: one of the constants. An asymmetric one is PEM.
	Key string
	// Over is the text that is signed, with the references ${parameters}, ${body}, ${timestamp} and
	// ${header.NAME}. "${parameters}" are all parameters of query and form, in the order of their
	// names, each as Parameter has it, but for those of Without.
	Over string
	// Parameter has the references ${name} and ${value}.
	Parameter string
	Without   []string
	// Encoding is how the signature is written: one of the constants.
	Encoding string
	// Field is the parameter that holds the signature, or Header the header. One of them is empty.
	Field, Header string
	// Text is what stands there, with the references ${signature} and ${timestamp}.
	Text string
	// Timestamp is a header that holds the time of sending, in seconds of the epoch. Empty: the
	// time, if it is signed, stands in Text.
	Timestamp string
}

// The algorithms of signatures.
const (
	HMACSHA256 = "hmac-sha256" // RFC 2104
	HMACSHA512 = "hmac-sha512"
	RSASHA256  = "rsa-sha256" // PKCS #1 v1.5 (RFC 8017, 8.2)
	RSASHA512  = "rsa-sha512"
)

// The ways of writing a symmetric key.
const (
	KeyText   = "text"   // its bytes
	KeyBase64 = "base64" // behind "whsec_" or not, as Standard Webhooks has it
)

// The ways of writing a signature.
const (
	SignatureHex      = "hex"
	SignatureUpperHex = "upper-hex"
	SignatureBase64   = "base64"
)

// CallbackOperation is the name of what FindCallback finds.
const CallbackOperation = "callback"

// FindCallback returns what is known of the callbacks of an API: an operation that no path leads
// to, with the rows of their fields. Of an API that does not tell of callbacks, and of one that no
// profile knows, it is the zero Call.
func (s *Set) FindCallback(name string) Call {
	c := s.findCallback(name)
	if s.ours != nil {
		ours := s.ours.findCallback(name)
		c.ours = &ours
	}
	return c
}

func (s *Set) findCallback(name string) Call {
	for _, p := range s.profiles {
		if p.Name == name && p.Callbacks != nil {
			return Call{Profile: p, Operation: p.Callbacks.operation}
		}
	}
	return Call{}
}

// described are all operations of which the profile has rows: also those that no path leads to.
func (p *Profile) described() []*Operation {
	if p.Callbacks == nil {
		return p.Operations
	}
	return append(slices.Clip(p.Operations), p.Callbacks.operation)
}

// callbacks reads how an API calls back.
func (r *reader) callbacks(p place, n *yaml.Node) error {
	c := &Callbacks{Attempts: 1}
	c.operation = &Operation{
		Profile: r.profile, Name: CallbackOperation, Carrier: CarrierForm, Writes: true,
	}
	r.profile.Callbacks = c
	half := &c.operation.request
	return p.members(n, []member{
		{"address", false, textsInto(&c.Address, "fields")},
		{"event", false, textInto(&c.Event)},
		{"causes", false, r.causesInto(&c.Causes)},
		{"accepted", false, func(p place, n *yaml.Node) error {
			var err error
			if c.Accepted, err = strconv.Atoi(text(n)); err != nil || c.Accepted/100 != 2 {
				return p.expected(n, "a status from 200 to 299")
			}
			return nil
		}},
		{"attempts", false, countInto(&c.Attempts)},
		{"pause", false, durationInto(&c.Pause)},
		{"sign", false, signatureInto(&c.Sign)},
		{"doc", false, textInto(&c.operation.Doc)},
		{"request", false, r.rowsInto(&half.rows, &half.rowsAt)},
		{"requestHeaders", false, r.rowsInto(&half.headers, &half.headersAt)},
	})
}

// causesInto reads the operations that may cause what a callback tells.
func (r *reader) causesInto(causes *map[string][]string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		pairs, err := p.mapping(n, "operations by what a callback tells")
		*causes = map[string][]string{}
		for _, e := range pairs {
			var names []string
			if err := textsInto(&names, "operations")(p.in(e.key), e.value); err != nil {
				return err
			}
			(*causes)[e.key] = names
			for _, item := range listed(e.value) {
				r.later(p.in(e.key), item, "the name of an operation that writes", r.operationNames(true))
			}
		}
		return err
	}
}

func countInto(count *int) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		var err error
		if *count, err = strconv.Atoi(text(n)); err != nil || *count < 1 || *count > 100 {
			return p.expected(n, "a number from 1 to 100")
		}
		return nil
	}
}

func durationInto(d *time.Duration) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		var err error
		if *d, err = time.ParseDuration(text(n)); err != nil || *d < 0 {
			return p.expected(n, "a duration such as 30s")
		}
		return nil
	}
}

// signatureInto reads how callbacks are signed.
func signatureInto(out **Signature) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		s := &Signature{Key: KeyText, Encoding: SignatureHex, Text: "${signature}"}
		*out = s
		err := p.members(n, []member{
			{"algorithm", true, wordOf(&s.Algorithm, HMACSHA256, HMACSHA512, RSASHA256, RSASHA512)},
			{"key", false, wordOf(&s.Key, KeyText, KeyBase64)},
			{"over", true, templateInto(&s.Over, "parameters", "body", "timestamp", "header.")},
			{"parameter", false, templateInto(&s.Parameter, "name", "value")},
			{"without", false, textsInto(&s.Without, "parameters")},
			{"encoding", false, wordOf(&s.Encoding, SignatureHex, SignatureUpperHex, SignatureBase64)},
			{"field", false, textInto(&s.Field)},
			{"header", false, textInto(&s.Header)},
			{"text", false, templateInto(&s.Text, "signature", "timestamp")},
			{"timestamp", false, textInto(&s.Timestamp)},
		})
		if err != nil {
			return err
		}
		return s.check(p, n)
	}
}

// check refuses what cannot be signed, or could not be found again.
func (s *Signature) check(p place, n *yaml.Node) error {
	switch {
	case (s.Field == "") == (s.Header == ""):
		return p.expected(n, `either the key "field" or the key "header"`)
	case strings.Contains(s.Over, "${parameters}") != (s.Parameter != ""):
		return p.expected(n, `the key "parameter" together with ${parameters}`)
	case !strings.Contains(s.Text, "${signature}"):
		return p.expected(n, "a text with ${signature}")
	}
	return nil
}

// wordOf returns a reader that stores one of some words.
func wordOf(out *string, words ...string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if *out = text(n); !slices.Contains(words, *out) {
			return p.noneOf(n, strings.Join(words, ", "), words)
		}
		return nil
	}
}

// templateInto returns a reader that stores a text with references. A name that ends with a dot
// stands for all that begin with it.
func templateInto(out *string, names ...string) func(place, *yaml.Node) error {
	may := func(name string) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			rest, found := strings.CutPrefix(name, n)
			return found && (rest != "") == strings.HasSuffix(n, ".")
		})
	}
	return func(p place, n *yaml.Node) error {
		if err := textInto(out)(p, n); err != nil {
			return err
		}
		if !refersOnly(*out, may) {
			return p.expected(n, "a text with ${"+strings.Join(names, "}, ${")+"} alone")
		}
		return nil
	}
}
