package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit codes (design, section 8).
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// voice speaks to the operator. Its lines are in lower case and have no full stop. What it
// is given comes from the operator, from us, or from the redactor, never from traffic.
type voice struct {
	w io.Writer
	// in is how lines are put once that is known; nil means that they stay plain text.
	in *lineFormat
}

// lineFormat is shared by all copies of a voice. It is set before anything is started.
type lineFormat struct {
	log *slog.Logger // takes the lines, for programs that read JSON; nil means that nobody does
}

// useLog lets all lines from now on be entries of a log.
func (v voice) useLog(log *slog.Logger) {
	if v.in != nil {
		v.in.log = log
	}
}

// say tells what goes on.
func (v voice) say(format string, args ...any) { v.line("", fmt.Sprintf(format, args...)) }

// warn tells of something that the operator should look at.
func (v voice) warn(text string) { v.line("warning: ", text) }

// notice tells what a deck has to tell.
func (v voice) notice(n deck.Notice) {
	if n.Warning {
		v.warn(n.Text)
		return
	}
	v.say("%s", n.Text)
}

// tagged are the levels of lines that are more than a word about what goes on.
var tagged = map[string]slog.Level{
	"warning: ": slog.LevelWarn, "error: ": slog.LevelError, "hint: ": slog.LevelError,
}

func (v voice) line(tag, text string) {
	if v.in != nil && v.in.log != nil {
		if tag == "hint: " {
			text = tag + text // the level of the error before it tells too little
		}
		v.in.log.Log(context.Background(), tagged[tag], printable(text))
		return
	}
	// Nobody is left to be told if stderr is closed.
	_, _ = fmt.Fprintf(v.w, "paytape: %s%s\n", tag, printable(text))
}

// verdict tells why a run failed, if it did, and returns its exit code.
func (v voice) verdict(err error) int {
	if err == nil {
		return exitDone
	}
	for text := range strings.SplitSeq(err.Error(), "\n") { // several errors, joined
		v.line("error: ", text)
	}
	if h, ok := errors.AsType[*hinted](err); ok {
		v.line("hint: ", h.hint)
	}
	return exitCodeOf(err)
}

// exitCodeOf returns the exit code of a run that ends with an error; nil is none.
func exitCodeOf(err error) int {
	if err == nil {
		return exitDone
	}
	if code, ran := errors.AsType[exitCode](err); ran {
		return int(code)
	}
	// A name that no cassette can have is found out where the name is used.
	if _, wrong := errors.AsType[*usageError](err); wrong || errors.Is(err, cassettes.ErrName) {
		return exitUsage
	}
	return exitFailed
}

// hinted is an error with the next command to type.
type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }

// withHint adds the next command to type to an error.
func withHint(err error, format string, args ...any) error {
	return &hinted{err, fmt.Sprintf(format, args...)}
}

// usageError is an error of whoever typed the command.
type usageError struct{ error }

func (u *usageError) Unwrap() error { return u.error }

// misused makes a usage error of err; nil stays nil.
func misused(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// printable writes control characters as escapes, because a terminal would obey them: tapes
// hold what a sandbox has sent. Line ends and tabs stay. Bytes that are no UTF-8 are shown as U+FFFD:
// some terminals obey those too.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isControl(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isControl reports whether a terminal may do something else with r than show it; the marks
// that turn the direction of text are among them.
func isControl(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// logFormatFlag is the flag that says how lines on stderr are put.
const logFormatFlag = "log-format"

// chooseFormat has lines be JSON from now on if a command was asked for that, be it in a way that is
// wrong otherwise: whoever reads JSON reads why it did not start, too. What a file says counts
// only if the file can be read.
func (a *app) chooseFormat(cmd *cobra.Command) {
	f := cmd.Flags().Lookup(logFormatFlag)
	if f == nil || a.voice.in.log != nil {
		return
	}
	format, given := logFormatIn(a.env.Args)
	if !given {
		file, _ := readSettings(cmd.Root()) // settle tells of the error
		if _, values := outsideValue(f, a.env.Lookup, file); len(values) == 1 {
			format = values[0]
		}
	}
	if format != logJSON {
		return
	}
	if log, err := newLog("info", logJSON, a.voice.w); err == nil {
		a.voice.useLog(log) // until the command has made its own
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
