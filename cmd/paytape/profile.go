package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
)

const profileLong = `A profile describes one API as data: its operations, and where the values of
its fields come from. Your own, for --profile FILE, have the same format: begin with
a copy of one of ours.

A row of yours may call a field secret, and keep personal data. It cannot keep card
numbers, CVCs, PINs, tracks, tokens and keys that ours, or their names, tell.`

const redactionRulesLong = `rules lists what is taken out of recordings, by the names under which record
counts it: the rows of profiles that call a field secret, yours first, the words
that name a secret in any API, prefixes and shapes of card numbers, and the rest.`

func profileCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "profile", Short: "show what is known of the APIs",
		Long: profileLong,
		Args: knownCommand,
		Example: `  paytape profile list
  paytape profile show gateway >mybank.yaml
  paytape profile rules --profile mybank.yaml
  paytape profile check mybank.yaml --tape checkout`,
		RunE: needsCommand,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "list the built-in profiles",
			Example: "  paytape profile list",
			Args:    arguments(0, 0),
			RunE:    func(*cobra.Command, []string) error { return listProfiles(a) },
		},
		&cobra.Command{
			Use: "show [PROFILE]", Short: "print a built-in profile, or all of them",
			Example: "  paytape profile show gateway >mybank.yaml",
			Args:    arguments(0, 1),
			RunE:    func(_ *cobra.Command, args []string) error { return showProfiles(a, args) },
		},
		redactionRulesCommand(a),
		checkProfileCommand(a),
		draftProfileCommand(a),
	)
	return cmd
}

func redactionRulesCommand(a *app) *cobra.Command {
	k := &knowledge{}
	cmd := &cobra.Command{
		Use: "rules", Short: "list what is taken out of recordings",
		Long: redactionRulesLong,
		Example: `  paytape profile rules
  paytape profile rules --profile mybank.yaml --card-prefix 427600`,
		Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if err := k.check(); err != nil {
				return err
			}
			return listRules(a, k.redactor().Rules())
		},
	}
	k.flags(cmd.Flags())
	k.piiFlag(cmd.Flags())
	return cmd
}

// listRules prints rules: those that take out whatever they find are of any kind.
func listRules(a *app, rules []redact.Rule) error {
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "KIND\tRULE")
	for _, r := range rules {
		kind := r.Kind.String()
		if kind == "" {
			kind = "any"
		}
		fmt.Fprintf(t, "%s\t%s\n", kind, printable(r.ID))
	}
	return t.Flush()
}

// listProfiles prints the profiles of APIs. The HTTP rows, which belong to none, are one that
// can be shown all the same, so the list ends with them.
func listProfiles(a *app) error {
	set, err := profile.Builtin()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, p := range set.Profiles() {
		fmt.Fprintf(t, "%s\t%d operations\t%s\t%s\n",
			p.Name, len(p.Operations), strings.Join(p.Paths, " "), p.Title)
	}
	fmt.Fprintf(t, "http\t\t\trows for every API\n")
	return t.Flush()
}

// showProfiles prints the named profile, or all as the documents of one stream.
func showProfiles(a *app, names []string) error {
	if len(names) == 0 {
		names = []string{"cardv1", "cardv2", "gateway", "http"}
	}
	for i, name := range names {
		data, err := profile.Source(name)
		if err != nil {
			return withHint(misused(err), "paytape profile list")
		}
		if i > 0 {
			a.print("---\n")
		}
		a.print("%s\n", bytes.TrimRight(data, "\n"))
	}
	return nil
}
