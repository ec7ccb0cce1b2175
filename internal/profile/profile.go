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

// Profile is what is known of one API.
type Profile struct {
	Name  string // "cardv1"; what Meta.Profile holds
	Title string // for people
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
	// Entities are what requests act on and answers show, in the order of the file.
	Entities []*Entity

	Operations []*Operation
	// Declines tells how a declined payment looks. Nil: nobody knows.
	Declines *Declines
	// Callbacks tells how the shop is called back. Nil: nobody knows.
	Callbacks *Callbacks
	// Outcome says what answers came to, in words. Nil: nobody knows.
	Outcome *Outcome

	request  fields // rows for all operations
	response fields
	// elsewhere has, for each direction, the rows that hold in the API where an operation has
	// none of its own (see Set.Meaning).
	elsewhere [2]fields
	nouns     map[string]*Entity // the entities by their nouns
	names     map[string]string  // what Names returns
	// addresses is set if some answer holds an address of the API's own.
	addresses bool
	routes    *route // from a path to its operation; nil in a Profile that Parse did not make
}

// Carrier is how the parameters of an operation travel.
type Carrier string

// The carriers. CarrierForm is the gateway's loose form: query and form body make one map of
// parameters, as real clients mix them (domain facts, On the wire).
const (
	CarrierForm  Carrier = "form"
	CarrierJSON  Carrier = "json"
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
	Writes  bool   // changes the state of the sandbox
	Opens   string // what thread it starts: "order"; empty if none
	Doc     string // "document 2, Endpoints"
	// Origin is where the operation is described.
	Origin Origin
	// Uses are the entities, by Name, that a call which writes names and does not change: no
	// later answer tells whether there was the call, unless by a part of the entity that the
	// call has made or changed.
	Uses []string
	// Reads are the variants of an operation that writes which only look: by the key of a
	// request field, in lower case, the values with which a call looks. No values: the field is
	// there, whatever its value. One field is enough.
	Reads map[string][]string
	// Failed stands in place of the profile's. Nil: the profile's.
	Failed []Condition
	// List tells where the answer lists members. Nil: it is no list.
	List *List

	request  fields
	response fields
}

// Direction is the half of an exchange a field sits in.
type Direction uint8

// The two directions.
const (
	Request Direction = iota
	Response
)

// Provenance says where a value comes from.
type Provenance uint8

// The provenances of design section 3.
const (
	// Exact: in a request it must be equal; in an answer it is as recorded. The default.
	Exact Provenance = iota
	// Ignored: in a request anything; in an answer as recorded.
	Ignored
	// Unique: chosen by the client for this run; binds, echoes follow.
	Unique
	// Shared: chosen by the client, the same in many threads; binds, echoes follow.
	Shared
	// Minted: made by the sandbox for this thread; fresh in every replayed thread.
	Minted
	// Date: a moment, a calendar day or a month; shifted in replay.
	Date
	// Rendering: follows another value: a mask, the last four, without padding.
	Rendering
)

// Sensitivity says what kind of secret a value is.
type Sensitivity string

// The sensitivities. PAN, CVC, PIN, Track, Token, Key and Blob cannot be switched off.
const (
	NotSecret Sensitivity = ""
	PAN       Sensitivity = "pan"
	CVC       Sensitivity = "cvc"
	PIN       Sensitivity = "pin" // also PIN blocks and encrypted PINs
	Track     Sensitivity = "track"
	Token     Sensitivity = "token" // passwords, API keys, cookies, cavv, seToken
	Key       Sensitivity = "key"   // cryptographic keys and their check values
	Blob      Sensitivity = "blob"  // packed 3-D Secure messages
	// PII of the kinds that fakes are made for.
	Name     Sensitivity = "name"
	Phone    Sensitivity = "phone"
	Email    Sensitivity = "email"
	Address  Sensitivity = "address"
	Birth    Sensitivity = "birth"
	Document Sensitivity = "document"
	IP       Sensitivity = "ip"
)

// Personal reports whether values of the kind are personal data, which a user may keep. All
// other secrets go whatever anybody says.
func (s Sensitivity) Personal() bool {
	switch s {
	case Name, Phone, Email, Address, Birth, Document, IP:
		return true
	}
	return false
}

// Form is how a date is written, or how a rendering is made from the value it follows.
type Form string

// The forms of dates. Day and Month are calendar dates and move by days and months. Year and
// MonthOfYear are the halves of an expiry that a client sends in two fields.
const (
	ISO         Form = "iso" // ISO 8601 date and time, with or without zone and fraction
	EpochMS     Form = "epoch-ms"
	EpochS      Form = "epoch-s"
	Day         Form = "yyyy-mm-dd"
	Compact     Form = "yyyymmdd"
	Month       Form = "yyyymm"
	Year        Form = "yyyy"
	MonthOfYear Form = "mm"
	Stamp       Form = "yyyymmddhhmmss"
	HTTPDate    Form = "rfc1123" // Mon, 31 Jan 2022 21:46:52 GMT
	Java        Form = "java"    // Mon Jan 31 21:46:52 UTC 2022
)

// The forms of renderings.
const (
	Mask     Form = "mask"     // of a card number
	Last     Form = "last"     // the last digits, as many as recorded
	Unpadded Form = "unpadded" // without leading zeros
	Scheme   Form = "scheme"   // the name of the payment network of a card number
)

// Field is what is known of one field. The zero Field is exact and no secret.
type Field struct {
	From Provenance
	// Address marks a URL of the sandbox's own, which leads to the deck while it serves.
	Address bool
	// Decides marks a secret of a request whose value decides the outcome, as the payer's
	// password at the ACS does. A tape does not hold the value.
	Decides bool
	// Deadline marks a moment of a request that the API takes only while it lies in the future.
	Deadline bool
	// Signs marks a signature or a digest of a request: it holds for the request as the client has
	// sent it, and for no other.
	Signs bool
	// Of is the noun the value identifies ("order", "card", "rrn"): values of one noun that
	// are equal are one variable. A shared value without a noun identifies nothing: it
	// binds and is echoed, but tells no threads apart and joins none.
	Of     string
	Form   Form // of a date or a rendering
	Secret Sensitivity
	// Tells says which event a date tells, where a tape alone leaves the choice: two calls may be
	// answered in one second.
	Tells Moment
	// Max is the length of the longest text that the API takes, in characters. 0: no bound is
	// known.
	Max int
	// As is how a text of a request must look for the API to take it. "": no form is known.
	As Shape
	// Rule names the row, if it can take something out: "gateway/paymentorder.do/request/$PAN".
	// Empty for other rows, and where there is none.
	Rule string
}

// Moment is the event that a date tells.
type Moment string

// The moments; the zero value is any event of what the answer is about.
const (
	Born Moment = "born" // the thing was made that the answer is about
	Done Moment = "done" // the call was done that the answer is to
)

// Shape is how a text must look.
type Shape string

// The shapes of texts; the zero value is any text.
const (
	FullURL   Shape = "url"     // an address with a protocol and a host; the protocol may be an app's
	WebURL    Shape = "web-url" // the same, of protocol http or https
	MailShape Shape = "email"   // one "@" between two parts without spaces
	IPShape   Shape = "ip"      // an IP address, of version 4 or 6
	TelShape  Shape = "phone"   // 7 to 15 digits, behind + or 00 or not (ITU-T E.164)
	DayShape  Shape = "day"     // yyyy-mm-dd, and such a day
)

// At is where a field sits, in the terms of package leaf.
type At struct {
	Key   string // last name
	Name  string // the name beside a value, in a name/value list
	Shape string // path without indexes
}
