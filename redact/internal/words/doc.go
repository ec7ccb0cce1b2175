// Package words tells secrets by what names them: the key of a value, or the words beside it in a
// text.
//
// NameOf reads a key: of "cardPin", "user_pin" and "card[pin]" the last word is the name of a PIN,
// and of "shipping" it is not. Mentions reads a text: in
//
//	password=x&cvc=123, the PIN is 4815, <token>abc</token>
//
// it finds x, 123, 4815 and abc, and the word that told each. The words are in a vocabulary; none
// of them names harmless things too, but for a few that count only beside a value that looks like a
// credential.
//
// The package knows no values: whether a value is a secret that was seen before is for package
// taint.
package words
