package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"

	"github.com/paytape/paytape/proxy"
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

// open starts to listen. Listening beyond this machine is allowed, but not by accident:
// whoever reaches the deck reaches the sandbox with it. observe is told of clients with which
// TLS cannot be agreed on.
func (f *front) open(v voice, observe func(proxy.Event)) (net.Listener, error) {
	ln, err := net.Listen("tcp", f.listen)
	if err != nil {
		return nil, withHint(fmt.Errorf("listening: %w", err),
			"choose another port with --listen, or a free one with --listen 127.0.0.1:0")
	}
	warnOfOthers(v, ln)
	if f.identity.certificate != nil {
		return proxy.Secure(ln, *f.identity.certificate, observe), nil
	}
	return ln, nil
}

// warnOfOthers warns if not only this machine reaches a listener.
func warnOfOthers(v voice, ln net.Listener) {
	if at, ok := ln.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		v.warn(fmt.Sprintf("listening on %s, which other machines may reach", at))
	}
}

// addressOf returns the URL under which this machine reaches a listener.
func addressOf(ln net.Listener) string {
	scheme := "http://"
	if _, secured := ln.(*proxy.Secured); secured {
		scheme = "https://"
	}
	at, ok := ln.Addr().(*net.TCPAddr)
	if !ok {
		return scheme + ln.Addr().String()
	}
	host := at.IP.String()
	if at.IP.IsUnspecified() {
		host = "127.0.0.1" // Go listens on both families
	}
	return scheme + net.JoinHostPort(host, strconv.Itoa(at.Port))
}

// upstreamFlag adds the flag of commands that forward.
func upstreamFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "upstream", nil, "`URL` of the sandbox, or sandbox for "+
		"ours; PROFILE=URL for one API; repeatable")
}

// dirFlag adds the flag of commands that use cassettes.
func dirFlag(fs *pflag.FlagSet, to *string) {
	fs.StringVar(to, "dir", "cassettes", "`FOLDER` of the cassettes")
}
