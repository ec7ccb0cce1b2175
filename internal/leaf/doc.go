// Package leaf reads an HTTP message as leaves and splices new values back into it.
//
// A leaf is one value a message carries, wherever it sits: a path segment, a query or form
// parameter, a header value, a member of a JSON document, an attribute or a text of HTML or
// XML, a member of a document that is itself the text of a form field or packed in one. It
// knows its key, its decoded text, the span of bytes that hold it, and the stack of codings
// between those bytes and the text. That is all that cleaning, matching, rewriting and
// comparing need, so one walker serves them all, and nothing else in paytape takes a message
// apart.
//
// A value that as a whole is base64 or hex of JSON or XML, compressed or not, is packed, as
// the messages of 3-D Secure are. Its leaves stand in its place. What is packed has no bytes
// of its own in the message: the Holder of its leaves has its text, and splicing packs that
// anew. Only where spans are cut does anyone need to know.
//
// A value may also hold documents in parts of it: an address has one in its query, another
// address in that, a script a packed message. Such a value is a leaf as ever, and the leaves of
// its passages follow it. An edit of the value goes before edits of what its passages hold.
//
// A body is text in UTF-8: DecodeText makes it so and says what it was. Values of a form may be in
// another charset, which is one more coding of theirs. JSON may come as lines, behind a guard, as
// the argument of a call or as a string. The parts of a multipart body are leaves like the
// parameters of a form, and what their headers say is leaves as well. So are the lines of
// server-sent events, each under the name of its field.
//
// Splicing replaces a leaf, or a part of one, and touches no byte outside it: key order,
// number form, duplicate keys, escapes and white space stay as they were sent. The raw
// query and the raw body are read, never a parse that differs from what is sent.
//
// Limits: JSON deeper than MaxDepth or larger than MaxJSON, markup larger than MaxMarkup, and
// bodies of other kinds, are one leaf of plain text. Documents in text are followed MaxNesting
// levels deep. A packed document that is over a bound stays one leaf, which says so. What is
// compressed is in other bytes once it was edited. Path segments are not looked into, and of parts
// of longer values only those that are packed or under percent escapes. Charsets of several bytes
// for a character, other than UTF-16 and UTF-32, are not decoded. The content of a part that
// travels in base64 and is no text is one closed leaf.
//
// One walk over a JSON document lists its leaves and tells whether the document is well formed: what was
// listed of a text that is not is taken back. gjson reads keys with escapes, and the names in objects of
// which a member is the name of another; compress and brotli (both maintained, both pure Go) undo content
// codings and unpack; charmap of golang.org/x/text has the tables of charsets.
package leaf
