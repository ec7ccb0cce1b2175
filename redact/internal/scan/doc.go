// Package scan finds card numbers by their shape, and what a text holds under escapes and
// encodings.
//
// Numbers finds the numbers in one text as it stands: it reads runs of digits in groups and asks a
// Judge what each of them is. So "4111 1111 1111 1111" is one number of four groups, and a CVC
// behind it is a group of its own. The judge is the caller's: this package knows no secrets.
//
// A number may be under something that hides it. Three readers undo that:
//
//   - Unescaped yields a text layer by layer without its escapes ("%2534" is "%34" is "4"), and
//     Origins leads back, so that a replacement can be written under the same escapes.
//   - WithoutTags leaves out the tags that make no gap between digits.
//   - A Decoder visits the views of a text: lines without their escapes, stretches of base64, base32
//     and hex, UTF-16, compressed streams, and card data in TLV, and the views of these. Its work is
//     bounded by a budget of bytes. A Widener tells how much of the text has to go with what was
//     found in a view.
//
// The package changes no text, and keeps none but in a Memo, which belongs to the caller.
package scan
