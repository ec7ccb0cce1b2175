package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// front is where a command that serves listens, and how it tells what goes on there.
type front struct {
	listen    string // host:port; port 0 picks one
	ready     string // file; empty means none
	logLevel  string
	logFormat string
	identity  identity // to speak TLS with

	log *slog.Logger // made by check
}

func (f *front) flags(fs *pflag.FlagSet, listen string) {
	fs.StringVar(&f.listen, "listen", listen, "`HOST:PORT` to listen on; port 0 picks one")
	f.identity.flags(fs, "tls", "to speak TLS with, and HTTP/2")
	fs.StringVar(&f.ready, "ready-file", "", "`FILE` that holds addresses and process id, as "+
		"JSON, while serving")
	fs.StringVar(&f.logLevel, "log-level", "info", "log from `LEVEL` on: debug, info, warn or error")
	fs.StringVar(&f.logFormat, logFormatFlag, "text", "log as `FORMAT`: text or json")
}

// check looks at the flags, makes the log, and removes a ready file that a killed process
// left: whoever waits for the file must not take that one for ours.
func (f *front) check(v voice) error {
	err := checkAddress("--listen", f.listen)
	if err != nil {
		return err
	}
	if f.log, err = newLog(f.logLevel, f.logFormat, v.w); err != nil {
		return misused(err)
	}
	if f.logFormat == logJSON {
		v.become(f.log)
	}
	if err := f.identity.load("tls"); err != nil {
		return err
	}
	if f.ready == "" {
		return nil
	}
	if err := os.Remove(f.ready); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing an old ready file: %w", err)
	}
	return nil
}

// checkAddress looks at the HOST:PORT of a flag.
func checkAddress(flag, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return misused(fmt.Errorf("%s: expected HOST:PORT, found %q", flag, address))
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return misused(fmt.Errorf("%s: expected a port from 0 to 65535, found %q", flag, port))
	}
	return nil
}

// upstreamFlag adds the flag of commands that forward.
func upstreamFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "upstream", nil, "`URL` of the sandbox, or sandbox for "+
		"ours; PROFILE=URL for one API; repeatable")
}

// syncFlag adds the flag of commands that record.
func syncFlag(fs *pflag.FlagSet, to *string) {
	fs.StringVar(to, "sync", string(cassettes.SyncInterval), "have the disk confirm `WHEN`: none, "+
		"interval or always")
}

// dirFlag adds the flag of commands that use cassettes.
func dirFlag(fs *pflag.FlagSet, to *string) {
	fs.StringVar(to, "dir", deck.DefaultDir, "`FOLDER` of the cassettes")
}
