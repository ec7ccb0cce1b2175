package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/paytape/paytape/proxy"
	"github.com/spf13/pflag"
)

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
