package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fit"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/cobra"
)

const checkProfileLong = `check reads FILE as a deck would, with the files that it extends, and prints what is
wrong as FILE:LINE:COLUMN: TEXT, with the word that may be meant.

With --tape NAME it looks whether the profile fits the exchanges of a cassette: rows and
operations that none of them uses, things that requests name and no answer brings, calls
below the profile's paths that no operation has, fields without a row, and secrets that
cleaning found by their look or their name and that no row covers. Of a profile that
extends another, only what FILE says is looked for. What has no row is inferred, so not
every finding is a mistake.

The exit code is 0 if there is nothing, 1 if there is anything, and 2 for wrong usage.
--json prints one document: profile, digest, and findings with kind, file, line, column,
operation, side, field, noun, exchange, times, text and row.`

// profileChecker is the command "profile check" with its flags.
type profileChecker struct {
	*app
	knowledge
	dir    string
	tape   string
	asJSON bool
}

// checkedProfile is what a check of a profile came to.
type checkedProfile struct {
	Profile  string        `json:"profile,omitempty"`
	Digest   string        `json:"digest,omitempty"`
	Findings []fit.Finding `json:"findings"`
}

func checkProfileCommand(a *app) *cobra.Command {
	c := &profileChecker{app: a}
	cmd := &cobra.Command{
		Use: "check FILE", Short: "look for mistakes in a profile, and whether it fits a tape",
		Long: checkProfileLong,
		Example: `  paytape profile check mybank.yaml
  paytape profile check mybank.yaml --tape checkout
  paytape profile check mybank.yaml --tape checkout --json | jq -r '.findings[].row'`,
		Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return c.run(args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&c.tape, "tape", "", "look whether the profile fits the cassette `NAME`")
	fs.BoolVar(&c.asJSON, "json", false, "print JSON")
	dirFlag(fs, &c.dir)
	c.knowledge.flags(fs)
	c.piiFlag(fs)
	return cmd
}

func (c *profileChecker) run(file string) error {
	if !slices.Contains(c.files, file) {
		c.files = append(c.files, file)
	}
	if _, err := os.Stat(file); err != nil {
		return misused(fmt.Errorf("reading a profile: %w", err))
	}
	_, err := deck.NewKnowledge(deck.KnowledgeOptions{Profiles: c.files})
	if wrong, found := errors.AsType[*deck.OptionError](err); found && wrong.Option == "Profiles" {
		return c.report(checkedProfile{Findings: fit.Mistakes(wrong.Err)})
	}
	if err := c.check(); err != nil {
		return err
	}
	p := c.profileOf(file)
	result := checkedProfile{Profile: p.Name, Digest: p.Digest, Findings: fit.File(c.profiles(), p)}
	if c.tape != "" {
		tape, err := c.loadTape(c.dir, c.tape, c.voice.warn)
		if err != nil {
			return err
		}
		result.Findings = fit.Tape(c.profiles(), p, func(yield func(*leaf.Exchange) bool) {
			for _, x := range tape.Exchanges {
				if !yield(x.Exchange()) {
					return
				}
			}
		})
	}
	return c.report(result)
}

// profileOf returns the profile that a file holds.
func (c *profileChecker) profileOf(file string) *profile.Profile {
	for _, p := range c.profiles().Profiles() {
		if p.Origin.File == file {
			return p
		}
	}
	return c.profiles().HTTP() // the rows for all APIs are no API's
}

func (c *profileChecker) report(result checkedProfile) error {
	if c.asJSON {
		if result.Findings == nil {
			result.Findings = []fit.Finding{}
		}
		enc := json.NewEncoder(c.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(result); err != nil {
			return err
		}
	}
	for _, f := range result.Findings {
		if c.asJSON {
			break
		}
		c.print("%s\n", printable(f.String()))
		if f.Row != "" {
			c.print("  %s: %s\n", printable(f.Field), f.Row)
		}
	}
	if n := len(result.Findings); n > 0 {
		return withHint(fmt.Errorf("found %s", count.Of(n, "finding")), "paytape help profiles")
	}
	if !c.asJSON {
		c.print("found nothing wrong\n")
	}
	return nil
}
