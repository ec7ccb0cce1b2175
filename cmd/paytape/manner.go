package main

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// logFormatFlag is the flag that says how lines on stderr are put.
const logFormatFlag = "log-format"

// speak has lines be JSON from now on if a command was asked for that, be it in a way that is
// wrong otherwise: whoever reads JSON reads why it did not start, too. What a file says counts
// only if the file can be read.
func (a *app) speak(cmd *cobra.Command) {
	f := cmd.Flags().Lookup(logFormatFlag)
	if f == nil || a.voice.in.log != nil {
		return
	}
	format, given := logFormatIn(a.env.Args)
	if !given {
		file, _ := readSettings(cmd.Root()) // settle tells of the error
		if _, values := outside(f, a.env.Lookup, file); len(values) == 1 {
			format = values[0]
		}
	}
	if format != logJSON {
		return
	}
	if log, err := newLog("info", logJSON, a.voice.w); err == nil {
		a.voice.become(log) // until the command has made its own
	}
}

// logFormatIn looks for the flag in a command line of which other parts may be wrong.
func logFormatIn(args []string) (format string, given bool) {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.ParseErrorsAllowlist.UnknownFlags = true
	fs.BoolP("help", "h", false, "")
	fs.StringVar(&format, logFormatFlag, "", "")
	_ = fs.Parse(args) // the command tells of it
	return format, fs.Changed(logFormatFlag)
}
