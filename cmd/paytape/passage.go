package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/paytape/paytape/proxy"
	"github.com/spf13/pflag"
)

// passage is how clients get to a deck that do not use its address as the base URL of the
// API: as a proxy, and by the names of other hosts.
type passage struct {
	forward bool
	hosts   []string // NAME=URL
	caDir   string   // empty means the user's config folder
	secure  upstreamTLS
	maxBody size // of bodies that are kept, and of requests in replay; 0 means the default

	authority *proxy.Authority // made by check if forward is set
}

// forwardFlag adds the flag of commands that are a proxy only if they are told so.
func (p *passage) forwardFlag(fs *pflag.FlagSet) {
	fs.BoolVar(&p.forward, "forward", false, "be a forward proxy too, for clients whose hosts are "+
		"hard-coded")
}

func (p *passage) flags(fs *pflag.FlagSet) {
	fs.StringArrayVar(&p.hosts, "host", nil, "`NAME=URL` of another host: at /_host/NAME/, and to "+
		"clients of the\nproxy as NAME; repeatable")
	caDirFlag(fs, &p.caDir)
}

// bodyFlag adds the flag of commands that keep bodies or compare them.
func (p *passage) bodyFlag(fs *pflag.FlagSet) {
	p.maxBody = proxy.DefaultLimit
	fs.Var(&p.maxBody, "max-body", "bodies above `SIZE` (500K, 16M) pass and are not recorded; in "+
		"replay\nsuch requests are refused")
}

func caDirFlag(fs *pflag.FlagSet, to *string) {
	fs.StringVar(to, "ca-dir", "", "`FOLDER` of the certificate authority; without it, paytape in "+
		"the\nuser's folder of settings")
}

// check looks at the flags, and opens the certificate authority if one is needed.
func (p *passage) check(v voice) error {
	specs, _ := upstreamSpecs(p.hosts, nowhere)
	if err := (&proxy.Upstreams{}).AddHosts(specs); err != nil {
		return withHint(misused(err), "--host acs=https://HOST, or --host HOST=sandbox")
	}
	if err := p.secure.check(); err != nil {
		return err
	}
	if !p.forward {
		return nil
	}
	dir, err := authorityFolder(p.caDir)
	if err != nil {
		return err
	}
	_, err = proxy.LoadAuthority(dir)
	first := errors.Is(err, proxy.ErrNoAuthority)
	if p.authority, err = proxy.OpenAuthority(dir); err != nil {
		return err
	}
	if first {
		v.say("made a certificate authority: %s", p.authority.File())
	}
	return nil
}

// nowhere stands for the built-in sandbox where nothing is dialled.
const nowhere = "http://sandbox.invalid"

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

// entry is what a passage leads to.
type entry struct {
	door    http.Handler
	hosts   *proxy.Upstreams
	cleaner cleaner
	observe func(proxy.Event)
}

// open returns the handler of a listener: the door, and before it what the flags ask for.
func (p *passage) open(e entry) (http.Handler, error) {
	door := e.door
	if e.hosts.Named() {
		door = proxy.NewHosts(door, e.hosts)
	}
	if !p.forward {
		return door, nil
	}
	f, err := proxy.NewForward(proxy.ForwardOptions{
		Door: door, Hosts: e.hosts, Authority: p.authority, Cleaner: e.cleaner, Observe: e.observe,
	})
	if errors.Is(err, proxy.ErrExpired) {
		err = withHint(err, "paytape ca rotate")
	}
	return f, err
}

// announce tells which hosts the proxy serves: clients are refused all others.
func (p *passage) announce(v voice, hosts *proxy.Upstreams) {
	if !p.forward {
		return
	}
	var names []string
	for _, up := range hosts.All() {
		for _, name := range []string{up.Origin, up.Name} {
			if name != "" && name != nowhere && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		v.warn("no host can be asked of the proxy: none is on tape, and none is named with --host")
		return
	}
	v.say("as a proxy it serves %s", strings.Join(names, ", "))
}
