// Package credential tells secrets by a form of their own, whatever names them and wherever they
// stand: a private key in PEM, an API key with the prefix of its issuer, a JWT, and what follows the
// name of a scheme as in an Authorization header.
//
//	the key is sk_live_4eC...      an API key: the prefix is Stripe's
//	-----BEGIN PRIVATE KEY-----    a private key, from the first line to the last
//	curl said Basic c2hvcDp...     the pair in base64 is the credential, the word stays
//
// Cleaning and auditing ask this package alike: what an audit would find in a file is taken out
// while the file is written.
package credential
