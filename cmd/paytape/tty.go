package main

import (
	"io"
	"os"

	"github.com/paytape/paytape/proxy/inspect/line"
	"golang.org/x/term"
)

// pipeColumns is how wide text is where nobody can say how wide its reader is.
const pipeColumns = 120

// tty is a stream as a terminal, if it is one.
type tty struct {
	file *os.File // nil: it is none
	dumb bool     // it obeys nothing
	mono bool     // its owner wants no colour
}

// ttyOf looks at a stream and at what the environment says of terminals.
func (a *app) ttyOf(stream io.Writer) tty {
	if o, ok := stream.(*output); ok {
		stream = o.to
	}
	file, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return tty{}
	}
	kind, _ := a.env.Lookup("TERM")
	colour, _ := a.env.Lookup("NO_COLOR")
	return tty{file: file, dumb: kind == "dumb" || !obeys(file), mono: colour != ""}
}

// columns returns how wide the terminal is now.
func (t tty) columns() int {
	if t.file == nil {
		return pipeColumns
	}
	if columns, _, err := term.GetSize(int(t.file.Fd())); err == nil && columns > 0 {
		return columns
	}
	return line.DefaultColumns
}

// color reports whether the terminal shows colours.
func (t tty) color() bool { return t.file != nil && !t.dumb && !t.mono }
