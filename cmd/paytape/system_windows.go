package main

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// obeys reports whether a console does what escape sequences say. A console of Windows must be asked
// to, once for all of its programs; one that is older than Windows 10 refuses.
func obeys(file *os.File) bool {
	console, mode := windows.Handle(file.Fd()), uint32(0)
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// inUse reports whether a file could not be removed because somebody has it open.
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
