//go:build race

package match_test

// withRace says that the race detector watches. It takes a part of what is put into a pool, so that
// the memory of a request is another.
const withRace = true
