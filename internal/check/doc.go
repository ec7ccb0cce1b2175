// Package check looks into files of any kind for secrets, without knowing the traffic: what the
// command "paytape check" does.
//
// A file is searched as text, window by window; as what it is it is read too, if it is not too large:
// a cassette of any go-vcr, an HTTP archive, JSON, or YAML. In cassettes and archives the fields that a
// profile calls secret must hold surrogates. A find in the text and one in a field that may lie there
// are one, so that a secret is told once, with the most that is known of its place.
package check
