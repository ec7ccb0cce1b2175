// Package audit looks at what was written, without knowing what was sent.
//
// A Search takes a text for all that some reader could make of it: it undoes escapes, decodes
// base64, hex and UTF-16, inflates, and reads card data in TLV, nested and within a budget that is
// linear in the text. Card numbers, credentials of known form and values beside the keywords of
// secrets are findings; surrogates, masks and references are none.
//
// Fields wants a surrogate in every field of an exchange that is secret. Search.Exchange does both,
// and names the field in which a finding is.
package audit
