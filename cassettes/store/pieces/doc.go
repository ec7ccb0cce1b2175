// Package pieces cuts the file of a tape into pieces, and puts the file together again, byte for byte.
// A tape that was changed in one place has nearly all pieces in common with the tape as it was, so
// that only the others must move to a store or from it.
//
// The file is cut between exchanges, where the exchanges say so: an exchange of n bytes ends its piece
// if a checksum of its text is less than n/512 kB of all checksums. So the cuts depend on what is near
// them and not on what stands before. For example a tape of 3000 exchanges, 400 of them to a piece:
//
//	before   [1 .. 380] [381 .. 810] [811 .. 1190] ...
//	after    [1 .. 380] [381 .. 811] [812 .. 1191] ...      flow 9 was recorded anew
//
// Flow 9 had exchanges 500, 502 and 507, and has one poll more now. Its piece has changed. All others
// have the same exchanges, under other numbers. So that they stay the same pieces, a piece tells a
// number as the distance from the number before ("number: +1"), and the number that a callback has of
// its cause as the distance from its own ("of: -3"); the number before the first is told beside the
// piece, in the index. A piece that this cannot be undone for is kept as it is.
//
// An index lists pieces in order: what the blob of each is called, what its text is, and the number
// before its first. Nothing here knows what an exchange means. Whoever cuts holds one piece, of 4 MB at
// the most: a longer exchange is cut at each 4 MB.
package pieces
