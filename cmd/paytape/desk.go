package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"

	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/pflag"
)

// desk is where a deck is looked after: an address of its own for health, metrics and reset.
type desk struct {
	address   string // host:port, or off
	hosts     []string
	tokenFile string // empty means a new token each time

	token string // made by check; empty means a new one
}

func (d *desk) flags(fs *pflag.FlagSet) {
	fs.StringVar(&d.address, "admin", off, "`HOST:PORT` for health, metrics and reset, or off")
	fs.StringArrayVar(&d.hosts, "admin-host", nil, "`NAME` under which that address may be asked, "+
		"beside localhost; repeatable")
	fs.StringVar(&d.tokenFile, "admin-token", "", "`FILE` with the token for it; without it one "+
		"is made each time and printed")
	keepUnlessFile(fs.Lookup("admin-token"))
}

// check looks at the flags and reads the token.
func (d *desk) check() error {
	if d.address == off {
		return nil
	}
	if err := checkAddress("--admin", d.address); err != nil {
		return withHint(err, "--admin 127.0.0.1:0, or --admin off")
	}
	if d.tokenFile == "" {
		return nil
	}
	data, err := os.ReadFile(d.tokenFile)
	if err != nil {
		return misused(fmt.Errorf("--admin-token: reading the file it names: %w", unnamed(err)))
	}
	d.token = strings.TrimSpace(string(data))
	if err := admin.CheckToken(d.token); err != nil { // an empty one would be made anew
		return misused(fmt.Errorf("--admin-token: %w", err))
	}
	return nil
}

// options are what the flags say to a deck; nil for no such address.
func (d *desk) options() *deck.Admin {
	if d.address == off {
		return nil
	}
	return &deck.Admin{Listen: d.address, Hosts: d.hosts, Token: d.token, Version: version()}
}

// unnamed is an error of a file without the file's name, which may be a token that was given
// where the name of its file belongs.
func unnamed(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// version is that of this binary; empty if it was not built from one.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}
