//go:build race

package redact_test

// withRace says that the race detector watches. It takes a part of what is put into a pool, so that
// the memory of an exchange is another.
const withRace = true
