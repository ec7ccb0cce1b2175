//go:build !race

package redact_test

const withRace = false
