package callback

import "github.com/paytape/paytape/internal/leaf"

// Key is what callbacks of an API are signed with: that of an account at a sandbox, or of a test.
// It never prints.
type Key struct {
	leaf.Unprinted
	// Profile is the name of the API. Empty: the key serves all that have none of their own.
	Profile string
	// Text is the key as its file has it: a text, or PEM. Space around it does not count.
	Text string
}

// Keys are the keys of a deck.
type Keys []Key

// Of returns the key for the callbacks of a profile; false if there is none.
func (ks Keys) Of(profile string) (Key, bool) {
	var common Key
	found := false
	for _, k := range ks {
		switch k.Profile {
		case profile:
			return k, true
		case "":
			common, found = k, true
		}
	}
	return common, found
}
