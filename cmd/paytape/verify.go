package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/similar"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/verify"
)

const verifyLong = `verify plays the flows of the cassette NAME against the live sandbox and tells what has
changed since they were recorded. One flow of each shape is played, and what it stands on.
Order numbers and other names of the client are fresh, ids are those that the sandbox
gives in this run, and dates move.

A tape holds no secrets, so credentials and cards come from the file of --secrets, which
its owner alone may read. Each line is NAME=VALUE. Without the file verify prints the
names that it needs, and where they stand. Values are never printed or written.

Nothing but the upstreams is dialled, the tape is never changed, and operations of
--never are not sent. Callbacks are not received. The exit code is 0 if nothing has
changed, 1 if something has or nothing could be asked, 2 for wrong usage.`

// verifier is the command "verify" with its flags.
type verifier struct {
	*app
	knowledge
	secure    upstreamTLS
	dir       string
	upstreams []string
	hosts     []string
	secrets   string // file
	all       bool
	flows     []int
	never     []string
	rate      rate
	timeout   time.Duration
	seed      uint64
	asJSON    bool
	junit     string // file
	dryRun    bool
}

func verifyCommand(a *app) *cobra.Command {
	v := &verifier{app: a}
	cmd := &cobra.Command{
		Use:   "verify --upstream URL NAME",
		Short: "play a tape against the live sandbox, and tell what has changed",
		Long:  verifyLong,
		Example: `  paytape verify --upstream https://sandbox.example checkout    # which secrets are needed?
  paytape verify --upstream https://sandbox.example --secrets bank.secrets checkout
  paytape verify --upstream sandbox --secrets our.secrets --dry-run checkout
  paytape verify --upstream gateway=https://sandbox.example --secrets bank.secrets \
    --never refund.do,reverse.do --rate 2/s --junit drift.xml checkout`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.run(cmd.Context(), args[0])
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&v.upstreams, "upstream", nil, "`URL` of the sandbox, or sandbox for "+
		"ours; PROFILE=URL\nfor one API; repeatable")
	fs.StringArrayVar(&v.hosts, "host", nil, "`NAME=URL` of another host on the tape; repeatable")
	v.secure.flags(fs)
	fs.StringVar(&v.secrets, "secrets", "", "`FILE` with the credentials and cards, NAME=VALUE, "+
		"mode 0600")
	markSecretFile(fs.Lookup("secrets"))
	fs.BoolVar(&v.all, "all", false, "play all flows, and not one of each shape")
	fs.IntSliceVar(&v.flows, "flow", nil, "play flow `N`, as paytape flows counts; repeatable")
	fs.StringSliceVar(&v.never, "never", nil, "never send `OPERATION`; a star stands for any text; "+
		"repeatable")
	fs.Var(&v.rate, "rate", "send at most `N/s` requests, or N/m")
	fs.DurationVar(&v.timeout, "timeout", verify.DefaultTimeout, "wait for an answer so `LONG`")
	fs.Uint64Var(&v.seed, "seed", 0, "make fresh values repeatable; 0 takes a random `NUMBER`")
	fs.BoolVar(&v.dryRun, "dry-run", false, "print what would be sent, cleaned, and send nothing")
	fs.BoolVar(&v.asJSON, "json", false, "print JSON")
	fs.StringVar(&v.junit, "junit", "", "write `FILE` in the XML of JUnit, too")
	dirFlag(fs, &v.dir)
	v.knowledge.flags(fs)
	v.piiFlag(fs)
	return cmd
}

// check looks at the flags.
func (v *verifier) check() error {
	for i, pattern := range v.never {
		if v.never[i] = strings.TrimSpace(pattern); v.never[i] == "" {
			return misused(errors.New("--never: expected an operation, found none"))
		}
	}
	if err := noCassette("--junit", v.junit); err != nil {
		return err
	}
	switch {
	case len(v.upstreams) == 0:
		return withHint(misused(errors.New("no upstream is given")),
			"--upstream sandbox, or --upstream https://HOST")
	case v.timeout <= 0:
		return misused(fmt.Errorf("--timeout: expected more than 0, found %s", v.timeout))
	}
	return firstError(v.knowledge.check, v.secure.check)
}

func (v *verifier) run(ctx context.Context, name string) (err error) {
	if err := v.check(); err != nil {
		return err
	}
	var secrets *verify.Secrets
	if v.secrets != "" {
		if secrets, err = verify.ReadSecrets(v.secrets); err != nil {
			return misused(err)
		}
	}
	tape, err := v.loadTape(v.dir, name, v.voice.warn)
	if err != nil {
		return err
	}
	boxes, err := deck.Reach(ctx, deck.ReachOptions{
		Knowledge: v.known, Upstreams: v.upstreams, Hosts: v.hosts, UpstreamTLS: v.secure.config,
	})
	if err != nil {
		return byFlag(err)
	}
	defer func() { err = errors.Join(err, boxes.Close()) }()
	plan, err := verify.NewPlan(verify.Options{
		Profiles: v.profiles(), Cleaner: v.redactor(), Route: boxes.Route(), Secrets: secrets,
		All: v.all, Flows: v.flows, Never: v.never, Every: v.rate.every, Timeout: v.timeout,
		Seed: v.seed,
	}, cassetteOf(tape))
	if err != nil && !errors.Is(err, verify.ErrNothing) {
		return misused(err)
	}
	v.tellIdle(plan.Operations())
	switch {
	case v.dryRun:
		return v.show(plan)
	case len(plan.Missing()) > 0:
		return v.ask(plan)
	}
	v.tellUnused(plan, secrets)
	report, err := plan.Play(ctx)
	switch {
	case report == nil, errors.Is(err, verify.ErrUnreachable):
		return withHint(err, "look at --upstream; --upstream-ca names an authority to trust")
	case errors.Is(err, context.Canceled):
		err = errInterrupted
	}
	return errors.Join(err, v.report(report))
}

// ask prints which secrets are missing.
func (v *verifier) ask(plan *verify.Plan) error {
	missing := plan.Missing()
	if v.asJSON {
		if err := writeJSON(v.out, map[string]any{"missing": missing}); err != nil {
			return err
		}
	} else {
		var b strings.Builder
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "NAME\tKIND\tON TAPE\tWHERE")
		for _, n := range missing {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", n.Name, n.Kind, n.Stands, listed(n.Where))
		}
		_ = w.Flush() // a strings.Builder takes everything
		v.print("%s", printable(b.String()))
	}
	return withHint(misused(fmt.Errorf("the tape does not hold %s that the requests need",
		count.Of(len(missing), "secret"))),
		"write each as NAME=VALUE into a file, chmod 600, and name it with --secrets FILE")
}

// tellUnused warns of names in the file of secrets that look like names that are asked for. A file may be
// for several tapes, so other names say nothing.
func (v *verifier) tellUnused(plan *verify.Plan, secrets *verify.Secrets) {
	known := map[string]bool{}
	for _, n := range plan.Needs() {
		for _, name := range n.Names {
			known[name] = true
		}
	}
	for _, name := range secrets.Unused() {
		if known[name] {
			continue // a more particular name has told
		}
		if near := similar.Most(name, known); near != "" {
			v.voice.warn(fmt.Sprintf("--secrets: %q is not asked for: %q is", name, near))
		}
	}
}

// tellIdle warns of --never where it holds nothing back: whoever has misspelt an operation must not learn
// of it from the sandbox.
func (v *verifier) tellIdle(operations map[string]bool) {
	for _, pattern := range v.never {
		holds := func(operation string) bool { return rules.Glob(pattern, operation) }
		if slices.ContainsFunc(slices.Collect(maps.Keys(operations)), holds) {
			continue
		}
		text := fmt.Sprintf("--never: no operation of the tape is %q", pattern)
		if near := similar.Most(pattern, operations); near != "" {
			text += fmt.Sprintf(": did you mean %q?", near)
		}
		v.voice.warn(text)
	}
}

// show prints what would be sent.
func (v *verifier) show(plan *verify.Plan) error {
	shown := plan.DryRun()
	if v.asJSON {
		return writeJSON(v.out, shown)
	}
	var b strings.Builder
	for _, s := range shown {
		fmt.Fprintf(&b, "#%d %s", s.Number, s.Operation)
		if s.Flow > 0 {
			fmt.Fprintf(&b, " (flow %d)", s.Flow)
		}
		if s.Skip != "" {
			fmt.Fprintf(&b, ": not sent: %s\n\n", s.Skip)
			continue
		}
		fmt.Fprintf(&b, "\n  %s %s\n", s.Method, s.URL)
		for _, h := range s.Header {
			fmt.Fprintf(&b, "  %s\n", h)
		}
		if s.Body != "" {
			fmt.Fprintf(&b, "\n  %s\n", strings.ReplaceAll(s.Body, "\n", "\n  "))
		}
		b.WriteByte('\n')
	}
	flows, callbacks := plan.Skipped()
	fmt.Fprintf(&b, "%s would be sent%s\n", count.Of(plan.Len(), "request"), leftOut(flows, callbacks))
	v.print("%s", printable(b.String()))
	return nil
}

// report prints and writes what a run came to.
func (v *verifier) report(r *verify.Report) error {
	if v.asJSON {
		if err := writeJSON(v.out, r); err != nil {
			return err
		}
	} else {
		v.print("%s", printable(verifyText(r)))
	}
	if v.junit != "" {
		var b bytes.Buffer
		if err := r.WriteJUnit(&b); err != nil {
			return err
		}
		if err := replaceFile(v.junit, b.Bytes()); err != nil {
			return fmt.Errorf("writing %q: %w", v.junit, withoutFileName(err))
		}
	}
	switch {
	case r.Drifted > 0:
		return fmt.Errorf("the sandbox has changed: %s", differs(r.Drifted))
	case r.Played == 0:
		return errors.New("nothing was played")
	}
	return nil
}

func differs(n int) string {
	if n == 1 {
		return "1 exchange differs"
	}
	return fmt.Sprintf("%d exchanges differ", n)
}

// verifyText writes a report for people.
func verifyText(r *verify.Report) string {
	var b strings.Builder
	for _, f := range r.Flows {
		b.WriteString(f.Name())
		if f.Support {
			b.WriteString(" (others stand on it)")
		}
		b.WriteByte('\n')
		for _, x := range f.Exchanges {
			verdict := x.Verdict
			if x.Why != "" {
				verdict += ": " + x.Why
			}
			fmt.Fprintf(&b, "  #%d %s: %s\n", x.Number, x.Operation, verdict)
			findingsText(&b, x.Findings)
		}
		b.WriteByte('\n')
	}
	changesText(&b, r.Changes)
	fmt.Fprintf(&b, "played %s: %d same, %d drifted; %d not played%s\n",
		count.Of(r.Played, "exchange"), r.Played-r.Drifted, r.Drifted, r.NotPlayed,
		leftOut(r.SameFlows, r.Callbacks))
	return b.String()
}

// leftOut says what of a tape is no part of a run.
func leftOut(flows, callbacks int) string {
	text := ""
	if flows > 0 {
		text += fmt.Sprintf("; %s of the same shape left out (--all plays them)", count.Of(flows, "flow"))
	}
	if callbacks > 0 {
		text += fmt.Sprintf("; %s on tape: verify receives none", count.Of(callbacks, "callback"))
	}
	return text
}

// rate is how many requests are sent in a time, as a flag: 5/s, 30/m.
type rate struct {
	text  string
	every time.Duration
}

// Set reads a rate, which is above 0.
func (r *rate) Set(text string) error {
	number, unit, _ := strings.Cut(text, "/")
	per, known := map[string]time.Duration{"": time.Second, "s": time.Second, "m": time.Minute}[unit]
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !known || !(n >= 1e-3 && n <= 1e6) {
		return errors.New("expected a number of requests in a second or a minute: 5/s, 30/m")
	}
	r.text, r.every = text, time.Duration(float64(per)/n)
	return nil
}

// String writes a rate as it was given; empty for none.
func (r *rate) String() string { return r.text }

// Type names the kind of value for the help text.
func (r *rate) Type() string { return "RATE" }
