//go:build !windows

package main

import "os"

// obeys reports whether a terminal does what escape sequences say. TERM tells of those that do not.
func obeys(*os.File) bool { return true }

// inUse reports whether a file could not be removed because somebody has it open. Only Windows
// refuses that.
func inUse(error) bool { return false }
