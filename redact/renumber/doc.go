// Package renumber gives the surrogates of a tape other numbers, so that exchanges of two tapes may
// stand on one tape.
//
// A surrogate has a kind and a number that lives as long as its tape: REDACTED-token-2 is the second
// token of its tape, and of another tape it is another token. Two shops have recorded, and their
// tapes are to become one:
//
//	tape A   password=REDACTED-token-1   $PAN=4111110000121111 (card 1)   TEXT=TAPERA TEST (name 1)
//	tape B   password=REDACTED-token-1   $PAN=5555550000124444 (card 1)   TEXT=TAPERA TEST (name 1)
//
// Nobody can tell from the tapes whether the passwords were one. Renumbered, those of B follow
// those of A:
//
//	tape B   password=REDACTED-token-2   $PAN=5555550000274444 (card 2)   TEXT=TAPERB TEST (name 2)
//
// Read learns what surrogates a tape has. Outline writes an exchange without the numbers, and lists
// them: two exchanges of one outline are the same exchange, recorded once and numbered twice, and
// their lists say which surrogates of the two tapes stand for one value. Apply writes an exchange
// with other numbers.
//
// A marker is known by its text, wherever it stands; a card number by its arithmetic and an ordinal
// that the tape has given out; the fakes of names, of mail and of streets by their words; every
// other fake, such as that of a telephone number, by its field, and where it is all of a value. What
// lies in a message inside a message is found and written there, as everywhere (package leaf).
//
// What Apply returns has not been cleaned again: whoever writes it hands it to a redactor first.
// A fake that is too short to hold its number keeps its text.
package renumber
