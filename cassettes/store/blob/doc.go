// Package blob says what a store of tapes is: a place that keeps blobs by their names, and nothing
// more. What a blob means, which blobs are a tape, and which tape a folder wants, is not a store's to
// know.
//
// There are two kinds of blobs. A piece is a stretch of a tape, compressed; its name is the SHA-256 of
// its bytes. An index says which pieces are a tape, in which order; its name is the SHA-256 of the
// file of that tape, so that whoever knows the tape by its hash finds the index. For example a tape of
// 900 kB whose file has the hash 9f86...
//
//	tapes/9f/9f86...     the index: pieces 3c1d... and 77b0...
//	blobs/3c/3c1d...     the first 600 kB of the file, compressed
//	blobs/77/77b0...     the rest
//
// No blob is ever changed. An index is put when all of its pieces are there, so whoever finds an index
// finds a whole tape, whatever became of those who put others. Two who put the same blob put the same
// bytes, or, for an index, bytes that lead to the same tape: which of them is last does not matter.
//
// A store is not trusted. Careful asks it again where it may help, bounds how long it may be silent,
// and compares all that it gives with the name that was asked for.
package blob
