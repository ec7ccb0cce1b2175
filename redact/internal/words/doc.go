// Package words tells secrets by what names them: the key of a value, or the words beside it in a
// text.
//
// NameOf reads a key: of "cardPin", "user_pin" and "card[pin]" the last word is the name of a PIN,
// and of "shipping" it is not. Mentions reads a text: in
//
//	password=x&cvc=123, the PIN is 4815, <token>abc</token>
//
// it finds x, 123, 4815 and abc, and the word that told each. The words are rows of a table
// (names.csv), each with what it names, where it counts and who uses it. Most of them name nothing
// harmless. Of the others some count beside a value that looks like a credential, and some where the
// object is a card: HintOf says that a key may name something there, and EvidenceOf what the other
// members of the object tell.
//
// The package knows no values: whether a value is a secret that was seen before is for package
// taint.
package words
