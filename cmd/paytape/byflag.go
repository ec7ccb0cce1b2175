package main

import (
	"errors"
	"fmt"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
)

// optionFlags say how the options of a deck are given, and what to type where one is wrong.
var optionFlags = map[string]struct {
	flag string // that an error begins with; empty where the error says by itself what is meant
	hint string // empty for none
	busy bool   // it was given as it should be, and cannot be had
}{
	"Profiles":     {flag: "--profile"},
	"CardPrefixes": {flag: "--card-prefix"},
	"RuleFiles":    {hint: "paytape help rules"}, // errors name the file
	"Sync":         {flag: "--sync"},
	"Admin.Token":  {flag: "--admin-token"},
	"Upstreams":    {hint: "--upstream sandbox, or --upstream https://HOST"},
	"Hosts":        {hint: "--host acs=https://HOST, or --host HOST=sandbox"},
	"Listen": {busy: true,
		hint: "choose another port with --listen, or a free one with --listen 127.0.0.1:0"},
	"Callbacks":           {hint: "paytape help callbacks"},
	"Cluster":             {flag: "--cluster", hint: "paytape help scale", busy: true},
	"Cluster.Servers":     {flag: "--cluster"},
	"Cluster.Upstreams":   {flag: "--cluster", hint: "paytape help scale"},
	"Cluster.Key":         {flag: "--cluster-key-file"},
	"Cluster.Lease":       {flag: "--cluster-lease"},
	"Callbacks.Mode":      {flag: "--callbacks", hint: "paytape help callbacks"},
	"Callbacks.To":        {flag: "--callback-to"},
	"Callbacks.PublicURL": {flag: "--public-url"},
	"Callbacks.Keys":      {flag: "--callback-key-file"},
	"Callbacks.Allow":     {flag: "--callback-allow"},
	"Callbacks.Listen": {busy: true, hint: "choose another port with --callback-listen, or a free " +
		"one with --callback-listen 127.0.0.1:0"},
	"Inspect.Listen": {busy: true,
		hint: "choose another port with --inspect, or a free one with --inspect 127.0.0.1:0"},
	"Admin.Listen": {busy: true,
		hint: "choose another port with --admin, or a free one with --admin 127.0.0.1:0"},
}

// byFlag puts the error of a deck into the words of the command line: it names the flag of an
// option, and tells what to type.
func byFlag(err error) error {
	wrong, option := errors.AsType[*deck.OptionError](err)
	switch {
	case errors.Is(err, proxy.ErrExpired):
		return withHint(err, "paytape ca rotate")
	case !option:
		return hintFolder(err)
	}
	at := optionFlags[wrong.Option]
	err = wrong.Err
	if at.flag != "" {
		err = fmt.Errorf("%s: %w", at.flag, err)
	}
	if !at.busy {
		err = misused(err)
	}
	if at.hint != "" {
		err = withHint(err, "%s", at.hint)
	}
	if len(profile.EachMistake(wrong.Err)) > 1 {
		err = withHint(err, "paytape profile check FILE tells each of them")
	}
	return err
}
