// Package leaf reads an HTTP message as leaves and splices new values back into it.
//
// A leaf is one value a message carries, wherever it sits: a path segment, a query or form
// parameter, a header value, a member of a JSON document, a member of a JSON document that
// is itself the text of a form field. It knows its key, its decoded text, the span of bytes
// that hold it, and the stack of codings between those bytes and the text. That is all that
// cleaning, matching, rewriting and comparing need, so one walker serves them all, and
// nothing else in paytape takes a message apart.
//
// Splicing replaces a leaf, or a part of one, and touches no byte outside it: key order,
// number form, duplicate keys, escapes and white space stay as they were sent. The raw
// query and the raw body are read, never a parse that differs from what is sent.
//
// Limits: JSON deeper than MaxDepth or larger than MaxJSON, and bodies of other kinds, are
// one leaf of plain text. Text in text is followed MaxNesting levels deep.
//
// gjson finds the values of a JSON document and where they lie; compress and brotli
// (both maintained, both pure Go) undo content codings.
package leaf
