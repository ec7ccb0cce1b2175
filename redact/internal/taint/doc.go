// Package taint searches texts for values that are known to be secret, whatever their encoding.
//
// A Matcher is given values ("tr0ub4dor-gw", and the marker that takes its place) and finds any
// number of them in one pass: as they are, in hex, and in base64 at every alignment. Values of
// fewer than eight characters, and words that every API says, are not searched for. A Filter is for
// values that are learned later: it remembers texts, and tells whether a value may stand in any of
// them.
package taint
