package leaf

import "time"

// CallbackOrigin stands on tape in place of the shop's address: the address is a variable of the
// live client (RFC 2606 reserves names that end in .invalid).
const CallbackOrigin = "https://callback.invalid"

// Callback says that an exchange is a callback: the sandbox has sent the request, and the shop has
// given the answer.
type Callback struct {
	// Of is the number of the exchange that caused it; 0 where nobody knows.
	Of int `yaml:"of,omitempty"`
	// Operation is what it tells, as the sandbox calls that: "deposited". Empty where no profile
	// knows.
	Operation string `yaml:"operation,omitempty"`
	// Gap is the time from the end of the causing answer to the arrival of the callback; negative
	// for a callback that came before the answer. 0 where Of is 0.
	Gap time.Duration `yaml:"gap,omitempty"`
	// Attempt counts the attempts of one event, from 1.
	Attempt int `yaml:"attempt"`
	// Via is the way by which the callback came to the deck: one of the constants.
	Via string `yaml:"via"`
	// Checksum is what became of the check of its checksum: one of the constants. Empty: it has
	// none, or no profile knows how to check it.
	Checksum string `yaml:"checksum,omitempty"`
}

// The ways of a callback.
const (
	ViaRelay  = "relay"  // to the address that the deck had put into a request
	ViaStatic = "static" // to the address that the sandbox has of the deck
	ViaImport = "import" // recorded by another program
)

// The verdicts on a checksum.
const (
	ChecksumGood      = "good"
	ChecksumBad       = "bad"
	ChecksumUnchecked = "unchecked" // the deck has no key
)
