//go:build unix

package main

import (
	"os"
	"syscall"
)

// ownSignals mean what a program takes them for.
var ownSignals = []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2}

// sizeSignals tell that the terminal has another size.
var sizeSignals = []os.Signal{syscall.SIGWINCH}

// reloadSignals have a deck read its rules files again.
var reloadSignals = []os.Signal{syscall.SIGHUP}

// pipeSignals tell of a write to a pipe that nobody reads any more.
var pipeSignals = []os.Signal{syscall.SIGPIPE}
