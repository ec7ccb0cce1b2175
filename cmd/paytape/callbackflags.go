package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy/deck"
)

// callbackFlags are what a deck is told of callbacks: what a sandbox says to the shop by itself.
type callbackFlags struct {
	mode     string
	listen   string
	public   string
	to       string
	keyFiles []string // [PROFILE=]FILE
	allow    []string
	retry    time.Duration
	wait     time.Duration
	box      deck.SandboxCallbacks

	keys []deck.CallbackKey // made by check
}

// sent reports whether --callbacks says how callbacks on tape are sent.
func (f *callbackFlags) sent() bool {
	switch deck.CallbackMode(f.mode) {
	case deck.CallbacksNow, deck.CallbacksRecorded, deck.CallbacksHold, deck.CallbacksUnsigned:
		return true
	}
	return false
}

// flags declares the flags of a command that asks a sandbox, that answers from tape, or both.
func (f *callbackFlags) flags(fs *pflag.FlagSet, asks, answers bool) {
	words := "callbacks of the sandbox: "
	switch {
	case !answers:
		fs.StringVar(&f.mode, "callbacks", "", words+"relay has them pass through the deck, which\n"+
			"records them; off (the default) leaves them alone (`WORD`)")
	case !asks:
		fs.StringVar(&f.mode, "callbacks", "", words+"now (the default), recorded (as long after\n"+
			"the answer as on tape), hold (each waits to be asked for), unsigned\n"+
			"(without checksums) or off (`WORD`)")
	default:
		fs.StringVar(&f.mode, "callbacks", "", words+"relay records them; from tape they are sent\n"+
			"now (the default), recorded, hold, unsigned or off (`WORD`)")
	}
	fs.StringVar(&f.to, "callback-to", "", "`URL` of the shop for callbacks that went to the "+
		"static address")
	fs.StringArrayVar(&f.keyFiles, "callback-key-file", nil, "`FILE` that only you can read, with the "+
		"key that signs callbacks;\nPROFILE=FILE for one API; repeatable")
	markSecretFile(fs.Lookup("callback-key-file"))
	fs.StringArrayVar(&f.allow, "callback-allow", nil, "`HOST` or HOST:PORT beyond this machine that "+
		"may be called\nback; repeatable")
	if asks {
		fs.StringVar(&f.listen, "callback-listen", "127.0.0.1:0", "`HOST:PORT` for callbacks that pass "+
			"through the\ndeck")
		fs.StringVar(&f.public, "public-url", "", "`URL` under which the sandbox reaches that address")
		f.sandboxFlags(fs)
	}
	if answers {
		fs.DurationVar(&f.retry, "callback-retry", time.Second, "longest `TIME` between two attempts "+
			"of a callback; negative for\nthat of the sandbox")
	}
}

// sandboxFlags declares the flags of the built-in sandbox.
func (f *callbackFlags) sandboxFlags(fs *pflag.FlagSet) {
	fs.StringVar(&f.box.Address, "callback", "", "`URL` that the built-in sandbox calls back unless an "+
		"order names\nanother")
	fs.StringVar(&f.box.Alias, "callback-alias", "", "`NAME` of the key, which it sends as sign_alias")
	fs.BoolVar(&f.box.Post, "callback-post", false, "have it call back by POST with a form, not by GET")
}

// waitFlag declares the flag of a command that ends by itself.
func (f *callbackFlags) waitFlag(fs *pflag.FlagSet) {
	fs.DurationVar(&f.wait, "callback-wait", 10*time.Second, "`TIME` to wait for pending callbacks "+
		"when the command\nhas ended")
}

// check looks at the flags and reads the keys. known are the names of APIs.
func (f *callbackFlags) check(known *profile.Set) error {
	for _, given := range f.keyFiles {
		k, err := readCallbackKey(given, known)
		if err != nil {
			return err
		}
		f.keys = append(f.keys, k)
	}
	return nil
}

// options are what the flags say to a deck of a mode. A command that may ask a sandbox or answer
// from tape is told once: what is to be sent from tape has to be recorded, and what was recorded is
// sent now.
func (f *callbackFlags) options(mode deck.Mode) deck.Callbacks {
	said := deck.CallbackMode(f.mode)
	asks, answers := mode != deck.Replay, answersFromTape(mode)
	switch {
	case asks && !answers && f.sent():
		said = deck.CallbacksRelay
	case answers && !asks && said == deck.CallbacksRelay:
		said = deck.CallbacksNow
	}
	c := deck.Callbacks{
		Mode: said, To: f.to, Keys: f.keys, Allow: f.allow, Retry: f.retry, Wait: f.wait,
	}
	if asks {
		c.Listen, c.PublicURL, c.Sandbox = f.listen, f.public, f.box
	}
	return c
}

// ownCallbackKeyFlag declares the flag of a command that serves the built-in sandbox itself.
func ownCallbackKeyFlag(fs *pflag.FlagSet, to *string, without string) {
	fs.StringVar(to, "callback-key-file", "", "`FILE` that only you can read, with the key for the "+
		"checksum of\ncallbacks; "+without)
	markSecretFile(fs.Lookup("callback-key-file"))
}

// readOwnCallbackKey reads the key of the built-in sandbox; "" without a file.
func readOwnCallbackKey(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	k, err := readCallbackKey(file, nil)
	return k.Text, err
}

// maxCallbackKey bounds the file of a key, in bytes.
const maxCallbackKey = 64 << 10

// readCallbackKey reads the file of --callback-key-file. Errors never tell what is in it, and not
// the name of the file either: who gives the key itself by mistake shall not read it in a log.
func readCallbackKey(given string, known *profile.Set) (deck.CallbackKey, error) {
	k, file := deck.CallbackKey{}, given
	wrong := func(err error) error { return misused(fmt.Errorf("--callback-key-file: %w", err)) }
	if api, rest, found := strings.Cut(given, "="); found && known != nil {
		if slices.ContainsFunc(known.Profiles(), func(p *profile.Profile) bool { return p.Name == api }) {
			k.Profile, file = api, rest
		}
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return k, wrong(fmt.Errorf("reading the file it names: %w", withoutFileName(err)))
	case !info.Mode().IsRegular():
		return k, wrong(errors.New("expected the name of a regular file"))
	case info.Size() > maxCallbackKey:
		return k, wrong(errors.New("the file is too large for a key"))
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return k, withHint(wrong(fmt.Errorf("others may read the file: it has mode %04o",
			info.Mode().Perm())), "chmod 600 FILE")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return k, wrong(fmt.Errorf("reading the file it names: %w", withoutFileName(err)))
	}
	if k.Text = strings.TrimSpace(string(data)); k.Text == "" {
		return k, wrong(errors.New("the file is empty"))
	}
	return k, nil
}
