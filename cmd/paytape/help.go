package main

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/tabwriter"

	"github.com/paytape/paytape/internal/similar"
	"github.com/spf13/cobra"
)

// pages is the reference: help/TOPIC.md is what "paytape help TOPIC" prints. The first line of a
// page is its title.
//
//go:embed help/*.md
var pages embed.FS

// topic is a page of the reference.
type topic struct{ name, title, text string }

// topics returns all pages, in the order of their names.
func topics() ([]topic, error) {
	files, err := fs.Glob(pages, "help/*.md")
	if err != nil {
		return nil, err
	}
	all := make([]topic, 0, len(files))
	for _, file := range files {
		text, err := pages.ReadFile(file)
		if err != nil {
			return nil, err
		}
		title, _, _ := strings.Cut(string(text), "\n")
		all = append(all, topic{
			name:  strings.TrimSuffix(path.Base(file), ".md"),
			title: strings.TrimPrefix(title, "# "),
			text:  string(text),
		})
	}
	return all, nil
}

// topicAnnotation is where the help of a command finds its topic.
const topicAnnotation = "topic"

const helpLong = `help shows what a command does, or prints a page of the reference. Without a name
it lists the commands and the topics.`

// helpCommand makes "paytape help record" what "paytape record --help" is, and prints pages of
// the reference. Of a name that both have the page is printed.
func helpCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND | TOPIC]", Short: "show what a command does, or a page of the reference",
		Long: helpLong,
		Example: `  paytape help
  paytape help record
  paytape help redaction`,
		// Help must not depend on settings.
		PersistentPreRun: func(*cobra.Command, []string) {},
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := topics()
			if err != nil {
				return err
			}
			for _, t := range all {
				if len(args) == 1 && args[0] == t.name {
					a.print("%s", t.text)
					return nil
				}
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownTopic(cmd.Root(), args[0], all)
			}
			about.InitDefaultHelpFlag()
			if err := about.Help(); err != nil || about != cmd.Root() {
				return err
			}
			return listTopics(a, all)
		},
	}
}

// listTopics prints the names and titles of the pages.
func listTopics(a *app, all []topic) error {
	a.print("\nTopics:\n")
	t := tabwriter.NewWriter(a.out, 0, 0, 1, ' ', 0)
	for _, topic := range all {
		fmt.Fprintf(t, "  %s\t%s\n", topic.name, topic.title)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	a.print("\nType \"paytape help TOPIC\" for a page of the reference.\n")
	return nil
}

// unknownTopic refuses a name of neither a command nor a topic, and suggests the most similar.
func unknownTopic(root *cobra.Command, name string, all []topic) error {
	known := map[string]bool{}
	for _, t := range all {
		known[t.name] = true
	}
	for _, c := range root.Commands() {
		known[c.Name()] = true
	}
	err := fmt.Errorf("unknown command or topic %q", name)
	near := similar.Most(name, known)
	if near == "" {
		return withHint(misused(err), "paytape help")
	}
	return withHint(misused(fmt.Errorf("%w: did you mean %s?", err, near)), "paytape help %s", near)
}
