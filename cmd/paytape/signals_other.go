//go:build !unix

package main

import "os"

// ownSignals mean what a program takes them for. There are none here.
var ownSignals []os.Signal
