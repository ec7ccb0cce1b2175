//go:build !unix

package main

import "os"

// ownSignals mean what a program takes them for. There are none here.
var ownSignals []os.Signal

// sizeSignals tell that the terminal has another size. There are none here.
var sizeSignals []os.Signal

// reloadSignals have a deck read its rules files again. There are none here.
var reloadSignals []os.Signal

// pipeSignals tell of a write to a pipe that nobody reads any more. There are none here: the write fails.
var pipeSignals []os.Signal
