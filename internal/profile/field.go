package profile

// Field is what is known of one field. The zero Field is exact and no secret. A Field stands in each
// parameter of a request and of a tape, so it is kept small: what a row says by a word of a list is a
// number here.
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
	Signs  bool
	Form   Form // of a date or a rendering
	Secret Sensitivity
	// Tells says which event a date tells, where a tape alone leaves the choice: two calls may be
	// answered in one second.
	Tells Moment
	// As is how a text of a request must look for the API to take it.
	As Shape
	// Max is the length of the longest text that the API takes, in characters. 0: no bound is
	// known.
	Max int32
	// Of is the noun the value identifies ("order", "card", "rrn"): values of one noun that
	// are equal are one variable. A shared value without a noun identifies nothing: it
	// binds and is echoed, but tells no threads apart and joins none.
	Of string
	// Rule names the row, if it can take something out: "gateway/paymentorder.do/request/$PAN".
	// Empty for other rows, and where there is none.
	Rule string
}

// Credential reports whether a value of a request is a secret by which a client shows who it is, the same
// in all its calls: a password, an API key. What decides is none: that is for one payment.
func (f Field) Credential() bool {
	return f.Secret == Token && f.From == Shared && !f.Decides
}

// Provenance says where a value comes from.
type Provenance uint8

// The provenances of design section 3.
const (
	// Exact: in a request it must be equal; in an answer it is as recorded. The default.
	Exact Provenance = iota
	// Ignored: in a request anything; in an answer as recorded, and no difference between two.
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
type Sensitivity uint8

// The sensitivities. PAN, CVC, PIN, Track, Token, Key and Blob cannot be switched off.
const (
	NotSecret Sensitivity = iota
	PAN
	CVC
	PIN // also PIN blocks and encrypted PINs
	Track
	Token // passwords, API keys, cookies, cavv, seToken
	Key   // cryptographic keys and their check values
	Blob  // packed 3-D Secure messages
	// PII of the kinds that fakes are made for.
	Name
	Phone
	Email
	Address
	Birth
	Document
	IP
)

// sensitivityWords are the words that may follow a provenance.
var sensitivityWords = [...]string{
	PAN: "pan", CVC: "cvc", PIN: "pin", Track: "track", Token: "token", Key: "key", Blob: "blob",
	Name: "name", Phone: "phone", Email: "email", Address: "address", Birth: "birth",
	Document: "document", IP: "ip",
}

// String returns the word of a row; "" for NotSecret.
func (s Sensitivity) String() string { return sensitivityWords[s] }

// SensitivityOf returns the sensitivity of a word, and whether it is the word of one.
func SensitivityOf(word string) (Sensitivity, bool) {
	return valueOf[Sensitivity](word, sensitivityWords[:])
}

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
type Form uint8

// The forms of dates. Day and Month are calendar dates and move by days and months. Year and
// MonthOfYear are the halves of an expiry that a client sends in two fields.
const (
	NoForm  Form = iota // of what is no date
	ISO                 // ISO 8601 date and time, with or without zone and fraction
	EpochMS             // milliseconds since 1970
	EpochS              // seconds since 1970
	Day
	Compact
	Month
	Year
	MonthOfYear
	Stamp
	HTTPDate // Mon, 31 Jan 2022 21:46:52 GMT
	Java     // Mon Jan 31 21:46:52 UTC 2022
)

// The forms of renderings.
const (
	Mask     Form = iota + Java + 1 // of a card number
	Last                            // the last digits, as many as recorded
	Unpadded                        // without leading zeros
	Scheme                          // the name of the payment network of a card number
)

// formWords are the words of the forms. Those of dates, before Mask, may follow "date".
var formWords = [...]string{
	ISO: "iso", EpochMS: "epoch-ms", EpochS: "epoch-s", Day: "yyyy-mm-dd", Compact: "yyyymmdd",
	Month: "yyyymm", Year: "yyyy", MonthOfYear: "mm", Stamp: "yyyymmddhhmmss", HTTPDate: "rfc1123",
	Java: "java",
	Mask: "mask", Last: "last", Unpadded: "unpadded", Scheme: "scheme",
}

// String returns the word of the form; "" for NoForm.
func (f Form) String() string { return formWords[f] }

// Moment is the event that a date tells.
type Moment uint8

// The moments; the zero value is any event of what the answer is about.
const (
	Born Moment = iota + 1 // the thing was made that the answer is about
	Done                   // the call was done that the answer is to
)

// momentWords are the words that may follow a date.
var momentWords = [...]string{Born: "born", Done: "done"}

// String returns the word of the moment; "" for any.
func (m Moment) String() string { return momentWords[m] }

// Shape is how a text must look.
type Shape uint8

// The shapes of texts; the zero value is any text.
const (
	FullURL   Shape = iota + 1 // an address with a protocol and a host; the protocol may be an app's
	WebURL                     // the same, of protocol http or https
	MailShape                  // one "@" between two parts without spaces
	IPShape                    // an IP address, of version 4 or 6
	TelShape                   // 7 to 15 digits, behind + or 00 or not (ITU-T E.164)
	DayShape                   // yyyy-mm-dd, and such a day
	LastFirst                  // a name: the last name, a comma, the others
	PINShape                   // four digits, or eight encrypted bytes or more in hex or base64
)

// shapeWords are the words that may follow "as".
var shapeWords = [...]string{
	FullURL: "url", WebURL: "web-url", MailShape: "email", IPShape: "ip", TelShape: "phone",
	DayShape: "day", LastFirst: "last-first", PINShape: "pin",
}

// String returns the word of the shape; "" for any text.
func (s Shape) String() string { return shapeWords[s] }

// valueOf returns the value whose word stands in a list at its number. 0 has no word.
func valueOf[T ~uint8](word string, words []string) (T, bool) {
	for i := 1; i < len(words); i++ {
		if words[i] == word {
			return T(i), true
		}
	}
	return 0, false
}
