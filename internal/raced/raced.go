// Package raced tells tests whether the race detector watches. It makes a program some ten times slower,
// and takes a part of what is put into a pool, so memory is another.
//
// A test that measures memory, or that plays many drawn cases on one goroutine, learns nothing from it:
// it asks Enabled, and does less. .ci/run plays such tests in full without the detector.
package raced
