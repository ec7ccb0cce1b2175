// Package redact decides what is secret and what stands in its place.
//
// Live traffic is never altered: client and sandbox see each other's bytes. A copy of an
// exchange is cleaned, and only cleaned values, Safe and Clean, leave the process. Both can
// be made in this package alone.
//
// # An example
//
// An order is registered, paid and asked about. This is what the package takes out of the three
// exchanges, and what stands in its place (the example of the package runs this):
//
//	register.do                   password=...         REDACTED-token-1   by field: the profile
//	                              orderNumber, amount  stay
//	paymentorder.do               password=...         REDACTED-token-1   by field; still token 1
//	                              $PAN=411111....1111  4111110000121111   by field; card 1
//	                              $CVC=...             000                by field
//	                              TEXT=IVAN IVANOV     TAPERA TEST        by field; name 1
//	           its answer         "CVC ... is right"   "CVC 000 is right" by the word CVC
//	getOrderStatusExtended.do     maskedPan            stays: it agrees with card 1
//	           its answer         cardholderName       TAPERA TEST        by field; still name 1
//	                              a note with the      "card 4111 1100 0012 1111"
//	                              number in groups                        by shape; still card 1
//
// The order's id, its number and the amount stay as they are, byte for byte. Meta.Redactions of
// each exchange lists what was taken out of it: "request form $PAN: pan 1".
//
// # Finding
//
// A secret is found in three ways, each of which sees what the other two miss:
//
//   - By field. The profile knows which leaf of which operation holds a card number, a CVC,
//     a token. Where the profile is silent, a vocabulary of unmistakable words speaks, which end
//     the key ("password", "cardPin", "user[password]"), or the name that stands beside a value
//     ({"field":"cvc","rejectedValue":...}, a heading of a table). A few words that also name
//     harmless things ("sid", "sign") speak where the value looks like a credential, and words such
//     as "number" and "sc" where the object is a card: beside an expiry, a holder, a CVC or a
//     number, and where the value has the shape. The words are a table with a source for each
//     (internal/words/names.csv). A flag, a short count or the mask of a card under the name of a
//     token holds no secret ("existing" in {"token":{"id":"tk_1","existing":"false"}}); a password
//     may be any word. Parts of a multipart body are fields, and their headers are headers.
//   - By shape. Credentials that have a form of their own are known by it: private keys in PEM,
//     API keys with the prefix of their issuer, JWTs. An audit asks the same finders.
//     Every other text is scanned for card numbers: issuer prefix, length, Luhn
//     sum and digit boundaries, across separators and Unicode digits, and under percent,
//     JSON and entity escapes. What follows a number on a magnetic stripe goes with the number. In
//     text, words beside a value, tags around it, and URLs with a password tell more. Stretches of
//     base64, base32, hex, UTF-16, compressed data and TLV in a text are looked into like a text. A
//     number may lie in pieces: between tags that make no gap, or in numbered fields.
//   - By value, as taint. A value once known as secret is searched for everywhere, as it is,
//     escaped, in base64 and in hex. Both halves of an exchange teach before either is cleaned.
//
// Each of these reasons is a rule with a name, and Rules counts what the rule took out. A profile
// of the user's adds rules and may keep personal data; it switches off no other rule.
//
// # Surrogates
//
// What stands in the place of a secret lives as long as its tape, and a Redactor serves one tape:
//
//   - A card number keeps its first six and last four digits, its grouping and its JSON
//     type. The digits between are an ordinal of the tape; the last of these digits is chosen so
//     that the Luhn sum is 5 mod 10, or 3 for a number that did not pass when it was live.
//     A number of 17 to 19 digits may get 7 and 1 in their place, and ordinals are skipped, so that
//     no shorter stretch of it passes for a card. Where no ordinal will do, or it has no room, the
//     number becomes REDACTED-pan-N, and so it does where the surrogate and the digits of an escape
//     beside it would pass for a longer card number. Under escapes each digit is written as the digit
//     in its place was.
//   - CVC and PIN become constants that keep no length: 000, 0000, and 0 in place of a JSON
//     number. Tracks and keys become REDACTED-track and REDACTED-key.
//   - Tokens, passwords and cookies become REDACTED-token-N, N for each distinct value.
//   - Packed messages, such as those of 3-D Secure, are opened, cleaned by what they hold and
//     packed again, so that the ids inside agree with the ids outside. A message that cannot be
//     opened becomes REDACTED-blob-N, and so does a stretch of a text that holds a secret under an
//     encoding, or more than the bounds allow to read; a JWT becomes a token. In a field for a
//     token or a password a message goes whole.
//   - Personal data becomes a fake of its shape that is valid as what it is and shows that
//     it is ours: addresses of documentation networks, mail to example.com.
//
// Everything else stays byte for byte, because replacements are spliced into the message, and the
// message is never written anew.
//
// # The gate
//
// The gate is the last step. The cleaned exchange is searched once more as text, names of
// headers and keys included. A secret in a key is replaced in the key. What else is found there takes
// the leaf with it, then the whole body; the exchange is marked as withheld, and the operation and
// field are reported.
//
// # Rooms
//
// Package surrogate knows what stands in the place of a secret; internal/scan finds by shape and
// looks beneath encodings, internal/credential by forms of issuers and standards, internal/words by
// name, internal/taint by value; package audit looks at what was written, without knowing what was
// sent. This package reads messages, decides, numbers
// and writes.
//
// # Limits
//
// An exchange is cleaned with what is known when it ends. A secret that a later exchange teaches is
// taken out of earlier exchanges before the later exchange is written (Past, Stale). Cleaning what
// is clean changes nothing. Values shorter than eight characters are replaced in their own field,
// beside a keyword, and where the same exchange repeats them in prose, but not by taint; dictionary
// words not even there. HTML and XML are read twice, as fields and as text, because words stand
// beside values across tags; attributes of an element that names a secret go with the element. A
// dot between two groups of digits is a decimal point. What is encoded more than eight times over
// is not looked into. A body that cannot be read as text, in UTF-8 or in a charset that the body or
// its header tells, is not stored; of a multipart request only the part that cannot be read is left
// out.
package redact
