//go:build !linux

package pages

func populate([]byte) {}
