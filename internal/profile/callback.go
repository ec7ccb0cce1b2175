package profile

import "time"

// Callbacks tells how an API calls the shop back: how a client says where, which calls cause what,
// how a callback is signed, and how often one that the shop refused is repeated.
type Callbacks struct {
	// Address are the request fields in which a client says where it is to be called.
	Address []string
	// Event is the field of a callback that tells what has happened: "operation". Empty: none does.
	Event string
	// After are the values of Event that a call may cause, by the name of its operation. Nil: any
	// call may cause any. No value: the call causes some that nobody has listed.
	After map[string][]string
	// Attempts is how often a callback is sent at most, and Pause the time between attempts. The
	// zero values: once.
	Attempts int
	Pause    time.Duration
	// Sign tells how callbacks are signed. Nil: nobody knows.
	Sign *Signature

	operation *Operation // with the rows for the fields
}

// Signature tells how a message is signed: what is signed, by which algorithm, and where the result
// stands. Texts hold references: ${parameters}, ${body}, ${timestamp}, ${header.NAME}, ${signature}.
type Signature struct {
	// Algorithm is one of the constants.
	Algorithm string
	// Key is how the text of a symmetric key is read: "text", "base64", or "whsec" (base64 behind
	// "whsec_", as Standard Webhooks has it). An asymmetric key is PEM.
	Key string
	// Over is the text that is signed. "${parameters}" are all parameters of query and form, each as
	// Parameter tells, in the order of their names, without those of Without.
	Over      string
	Parameter string // "${name};${value};"
	Without   []string
	// Encoding is how the signature is written: "hex", "HEX" or "base64".
	Encoding string
	// Field is the parameter that holds the signature, or Header the header, in which it stands as
	// Text tells: "t=${timestamp},v1=${signature}". One of the two is empty.
	Field, Header, Text string
	// Timestamp is the header that holds the time of sending, in seconds of the epoch, where it
	// stands apart. Empty: there is none.
	Timestamp string
}

// The algorithms of signatures.
const (
	HMACSHA256 = "hmac-sha256"
	HMACSHA512 = "hmac-sha512"
	RSASHA256  = "rsa-sha256" // PKCS #1 v1.5 (RFC 8017, 8.2)
	RSASHA512  = "rsa-sha512"
)
