package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/proxy/deck"
)

// serveFlags is where a command that serves listens, and how it tells what goes on there.
type serveFlags struct {
	listen    string // host:port; port 0 picks one
	ready     string // file; empty means none
	logLevel  string
	logFormat string
	identity  identity // to speak TLS with

	log         *slog.Logger // made by check
	formatGiven func() bool  // reports whether somebody has asked for a log of a format
}

func (f *serveFlags) flags(fs *pflag.FlagSet, listen string) {
	fs.StringVar(&f.listen, "listen", listen, "`HOST:PORT` to listen on; port 0 picks one")
	f.identity.flags(fs, "tls", "to speak TLS with, and HTTP/2")
	fs.StringVar(&f.ready, "ready-file", "", "`FILE` that holds addresses and process id, as "+
		"JSON, while serving")
	fs.StringVar(&f.logLevel, "log-level", "info", "log from `LEVEL` on: debug, info, warn or error")
	fs.StringVar(&f.logFormat, logFormatFlag, "text", "log as `FORMAT`: text or json")
	f.formatGiven = func() bool { return fs.Changed(logFormatFlag) }
}

// check looks at the flags, makes the log, and removes a ready file that a killed process
// left: whoever waits for the file must not take that one for ours.
func (f *serveFlags) check(v voice) error {
	err := checkAddress("--listen", f.listen)
	if err != nil {
		return err
	}
	if f.log, err = newLog(f.logLevel, f.logFormat, v.w); err != nil {
		return misused(err)
	}
	if f.logFormat == logJSON {
		v.useLog(f.log)
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

// ready is what a ready file tells a program that waits for paytape to serve.
type ready struct {
	Proxy   string `json:"proxy,omitempty"`   // URL of the deck
	Sandbox string `json:"sandbox,omitempty"` // URL of the built-in sandbox
	Control string `json:"control,omitempty"` // URL of its control address
	Admin   string `json:"admin,omitempty"`   // URL for health, metrics and reset
	Inspect string `json:"inspect,omitempty"` // URL of the inspector, with its token
	// Callbacks is the URL at which a sandbox calls the shop through the deck.
	Callbacks string `json:"callbacks,omitempty"`
	PID       int    `json:"pid"`
}

// readyKeys returns the keys that a ready file may have.
func readyKeys() []string {
	var keys []string
	for field := range reflect.TypeFor[ready]().Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	return keys
}

// readyAt is what a ready file tells of a deck.
func readyAt(d *deck.Deck) ready {
	return ready{Proxy: d.URL, Sandbox: d.Sandbox, Admin: d.Admin, Inspect: d.Inspector,
		Callbacks: d.CallbackURL}
}

// publish keeps the ready file there until done is closed. Empty means no file.
func (r ready) publish(file string, done <-chan struct{}) error {
	if file == "" {
		<-done
		return nil
	}
	r.PID = os.Getpid()
	if err := r.write(file); err != nil {
		return fmt.Errorf("writing the ready file: %w", err)
	}
	<-done
	if err := removeRead(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing the ready file: %w", err)
	}
	return nil
}

// removeRead removes a file that others may be reading: some systems refuse that for as long as they do.
func removeRead(file string) error {
	const tries, pause = 50, 20 * time.Millisecond
	err := os.Remove(file)
	for i := 0; i < tries && inUse(err); i++ {
		time.Sleep(pause)
		err = os.Remove(file)
	}
	return err
}

// write puts the whole file there at once: whoever sees it can read it.
func (r ready) write(file string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return replaceFile(file, append(data, '\n'))
}

// noCassette refuses the name of a cassette for a file that is something else: it would be lost.
func noCassette(flag, file string) error {
	if filepath.Ext(file) == tapeSuffix {
		return misused(fmt.Errorf("%s: %q may be a cassette, and is not overwritten", flag, file))
	}
	return nil
}

// replaceFile writes a file beside the place where it is to be, and renames it. Its owner alone can read
// it.
func replaceFile(file string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(file), ".paytape-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// adminFlags is where a deck is looked after: an address of its own for health, metrics and reset.
type adminFlags struct {
	address   string // host:port, or off
	hosts     []string
	tokenFile string // empty means a new token each time

	token string // made by check; empty means a new one
}

func (d *adminFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&d.address, "admin", off, "`HOST:PORT` for health, metrics and reset, or off")
	fs.StringArrayVar(&d.hosts, "admin-host", nil, "`NAME` under which that address may be asked, "+
		"beside localhost; repeatable")
	fs.StringVar(&d.tokenFile, "admin-token", "", "`FILE` with the token for it; without it one "+
		"is made each time and printed")
	markSecretFile(fs.Lookup("admin-token"))
}

// check looks at the flags and reads the token.
func (d *adminFlags) check() error {
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
		return misused(fmt.Errorf("--admin-token: reading the file it names: %w", withoutFileName(err)))
	}
	d.token = strings.TrimSpace(string(data))
	if err := admin.CheckToken(d.token); err != nil { // an empty one would be made anew
		return misused(fmt.Errorf("--admin-token: %w", err))
	}
	return nil
}

// options are what the flags say to a deck; nil for no such address.
func (d *adminFlags) options() *deck.Admin {
	if d.address == off {
		return nil
	}
	return &deck.Admin{Listen: d.address, Hosts: d.hosts, Token: d.token, Version: version()}
}

// inspectFlags is where people look at a deck: a page in a browser, and its API.
type inspectFlags struct {
	address string   // host:port, off or auto
	hosts   []string // names beside localhost
}

// Words of --inspect beside an address and off.
const autoInspect = "auto"

func (i *inspectFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&i.address, "inspect", autoInspect, "`HOST:PORT` of the page that shows the traffic; "+
		"auto for a free\nport where somebody sits at a terminal, or off")
	fs.StringArrayVar(&i.hosts, "inspect-host", nil, "`NAME` under which the page may be asked for, "+
		"beside localhost;\nrepeatable")
}

// check looks at the flags.
func (i *inspectFlags) check() error {
	if i.address == off || i.address == autoInspect {
		return nil
	}
	if err := checkAddress("--inspect", i.address); err != nil {
		return withHint(err, "--inspect 127.0.0.1:0, or --inspect off")
	}
	return nil
}

// options are what the flags say to a deck; nil for no such address. Somebody may want to look where
// messages go to a terminal, unless it is that of a build.
func (i *inspectFlags) options(env Env) *deck.Inspect {
	o := &deck.Inspect{Listen: i.address, Hosts: i.hosts, Version: version()}
	if i.address == autoInspect {
		ci, _ := env.Lookup(deck.CIVariable)
		if !terminal(env.Stderr) || deck.InCI(ci) {
			return nil
		}
		o.Listen = ""
	}
	if i.address == off {
		return nil
	}
	return o
}

// withoutFileName is an error of a file without the file's name, which may be a token that was given
// where the name of its file belongs.
func withoutFileName(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// doorFlags is how clients get to a deck that do not use its address as the base URL of the
// API: as a proxy, and by the names of other hosts.
type doorFlags struct {
	forward bool
	hosts   []string // NAME=URL
	caDir   string   // empty means the user's config folder
	secure  upstreamTLS
	maxBody size // of bodies that are kept, and of requests in replay; 0 means the default
}

func (p *doorFlags) flags(fs *pflag.FlagSet) {
	fs.StringArrayVar(&p.hosts, "host", nil, "`NAME=URL` of another host: at /_host/NAME/, and to "+
		"clients of the\nproxy as NAME; repeatable")
	caDirFlag(fs, &p.caDir)
}

// bodyFlag adds the flag of commands that keep bodies or compare them.
func (p *doorFlags) bodyFlag(fs *pflag.FlagSet) {
	p.maxBody = proxy.DefaultLimit
	fs.Var(&p.maxBody, "max-body", "bodies above `SIZE` (500K, 16M) pass and are not recorded; in "+
		"replay\nsuch requests are refused")
}

func caDirFlag(fs *pflag.FlagSet, to *string) {
	fs.StringVar(to, "ca-dir", "", "`FOLDER` of the certificate authority; without it, paytape in "+
		"the\nuser's folder of settings")
}

// authority opens the certificate authority of a forward proxy, and makes it on first use. Nil is
// for a deck that is no proxy.
func (p *doorFlags) authority(v voice) (*proxy.Authority, error) {
	if !p.forward {
		return nil, nil
	}
	dir, err := authorityFolder(p.caDir)
	if err != nil {
		return nil, err
	}
	_, err = proxy.LoadAuthority(dir)
	first := errors.Is(err, proxy.ErrNoAuthority)
	authority, err := proxy.OpenAuthority(dir)
	if err != nil {
		return nil, err
	}
	if first {
		v.say("made a certificate authority: %s", authority.File())
	}
	return authority, nil
}

// authorityFolder returns where the certificate authority is.
func authorityFolder(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	settings, err := os.UserConfigDir()
	if err != nil {
		return "", withHint(fmt.Errorf("finding the certificate authority: %w", err),
			"name a folder with --ca-dir")
	}
	return filepath.Join(settings, "paytape"), nil
}
