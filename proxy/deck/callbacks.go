package deck

import (
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/callback"
)

// CallbackMode says what a deck does about callbacks: what a sandbox says to the shop by itself.
type CallbackMode string

// The modes of callbacks. CallbacksRelay is for decks that ask a sandbox, and the others are for
// those that answer from tape; a Spy takes both. In a replay CallbacksRelay is CallbacksNow.
const (
	CallbacksOff      CallbackMode = "off"      // none are relayed, none are sent
	CallbacksRelay    CallbackMode = "relay"    // they pass through the deck, which records them
	CallbacksNow      CallbackMode = "now"      // sent when the answer that causes them was delivered
	CallbacksRecorded CallbackMode = "recorded" // sent as long after it as on tape
	CallbacksHold     CallbackMode = "hold"     // each waits until somebody asks for the next
	CallbacksUnsigned CallbackMode = "unsigned" // like now, without checksums: for a tape without its key
)

// Callbacks say what a deck does about callbacks. The zero Callbacks relay none while a deck
// records, and send what is on tape in a replay, to shops on this machine.
type Callbacks struct {
	leaf.Unprinted
	// Mode says what is done. Empty: CallbacksOff for what the sandbox is asked for, and
	// CallbacksNow for what is answered from tape.
	Mode CallbackMode
	// Listen is HOST:PORT of the address for callbacks of a deck that records. Empty: a free port
	// that only this machine reaches.
	Listen string
	// PublicURL is where the sandbox reaches that address. Empty: under the address itself, which
	// takes a sandbox on this machine.
	PublicURL string
	// To is the URL of the shop for callbacks that went to an address which the sandbox knows
	// without being told. Empty: the shop has none.
	To string
	// Keys sign callbacks in a replay, and check them while a deck records.
	Keys []CallbackKey
	// Allow are hosts beyond this machine that may be called, as HOST or HOST:PORT.
	Allow []string
	// Retry is the longest pause between two attempts in a replay. 0: one second. Negative: the
	// pause is that of the profile.
	Retry time.Duration
	// Wait is how long Close waits for callbacks that were not sent yet. 0: they are dropped, which
	// is told.
	Wait time.Duration
	// Sandbox is for the built-in sandbox, which signs with Keys.
	Sandbox SandboxCallbacks
}

// CallbackKey is a key that callbacks of an API are signed with.
type CallbackKey = callback.Key

// SandboxCallbacks say how the built-in sandbox calls a shop which has not told where.
type SandboxCallbacks struct {
	// Address is the URL that is called. Empty: none.
	Address string
	// Alias is the name of the key, which the sandbox sends along as sign_alias. Empty: none.
	Alias string
	// Post has it send a form in place of a query.
	Post bool
}
