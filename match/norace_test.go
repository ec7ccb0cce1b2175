//go:build !race

package match_test

const withRace = false
