package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/paytape/paytape/internal/profile"
	"github.com/spf13/cobra"
)

const profileLong = `A profile describes one API as data: its operations, and where the values of its
fields come from. Your own, for --profile FILE, have the same format: begin with
a copy of one of ours.`

func profileCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "profile", Short: "show what is known of the APIs",
		Long: profileLong,
		Args: knownCommand,
		Example: `  paytape profile list
  paytape profile show gateway >mybank.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return wrongArguments(cmd, "too few arguments")
		},
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "list the built-in profiles",
			Example: "  paytape profile list",
			Args:    arguments(0, 0),
			RunE:    func(*cobra.Command, []string) error { return listProfiles(a) },
		},
		&cobra.Command{
			Use: "show [NAME]", Short: "print a built-in profile, or all of them",
			Example: "  paytape profile show gateway >mybank.yaml",
			Args:    arguments(0, 1),
			RunE:    func(_ *cobra.Command, args []string) error { return showProfiles(a, args) },
		},
	)
	return cmd
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
