// Package surrogate knows what stands on a tape in the place of a secret: how it is made from a
// number that a tape gives out, and how it is recognised.
//
// A card number keeps its first six and last four digits; the digits between are the number, and a
// digit that sets the Luhn residue (package pan). Tokens and packed messages become markers,
// REDACTED-token-1; a CVC and a PIN become constants without a number. Personal data becomes a Fake
// of the same shape.
//
// Making a surrogate proves nothing: that a value was cleaned is said by the types Safe and Clean
// of package redact, which that package alone can make.
package surrogate
