package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/paytape/paytape/internal/count"
	"github.com/spf13/cobra"
)

const manLong = `man prints the manual page of paytape, of a COMMAND, or of a TOPIC of the reference.
With --output it writes all of them into a folder: paytape.1, a page of section 1 for each
command, and a page of section 7 for each topic. The pages are those of this paytape and
hold no date of today: the same paytape writes the same bytes.`

// manual is the command "man" with its flags.
type manual struct {
	*app
	folder string // for all pages; empty means that one is printed
}

func manCommand(a *app) *cobra.Command {
	m := &manual{app: a}
	cmd := &cobra.Command{
		Use: "man [COMMAND | TOPIC]", Short: "print or write manual pages",
		Long: manLong,
		Example: `  paytape man replay | man -l -
  paytape man rules | man -l -
  paytape man --output ~/.local/share/man`,
		Args: func(cmd *cobra.Command, args []string) error {
			if m.folder != "" && len(args) > 0 {
				return wrongArguments(cmd, "--output writes all pages")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			pages, err := manualPages(cmd.Root())
			if err != nil {
				return err
			}
			if m.folder != "" {
				return m.write(pages)
			}
			return m.printPage(cmd.Root(), pages, args)
		},
	}
	cmd.Flags().StringVarP(&m.folder, "output", "o", "", "write all pages into a `FOLDER`, below "+
		"man1 and man7")
	return cmd
}

// printPage prints the page of a command or a topic; without a name that of paytape. Of a name that both
// have the page of the command is printed: "paytape help" prints the topic.
func (m *manual) printPage(root *cobra.Command, pages []manualPage, args []string) error {
	about, rest, err := root.Find(args)
	name := manualName(about)
	if err != nil || len(rest) > 0 {
		name = manualName(root) + "-" + args[0]
		if len(args) > 1 {
			name = ""
		}
	}
	i := slices.IndexFunc(pages, func(p manualPage) bool { return p.name == name })
	if i < 0 {
		all, err := topics()
		if err != nil {
			return err
		}
		return unknownTopic(root, args[0], all)
	}
	m.print("%s", pages[i].roff)
	return nil
}

// write writes all pages. A page that is there already is replaced.
func (m *manual) write(pages []manualPage) error {
	for _, p := range pages {
		dir := filepath.Join(m.folder, fmt.Sprintf("man%d", p.section))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("making a folder for manual pages: %w", err)
		}
		file := filepath.Join(dir, fmt.Sprintf("%s.%d", p.name, p.section))
		if err := os.WriteFile(file, p.roff, 0o644); err != nil {
			return fmt.Errorf("writing a manual page: %w", err)
		}
	}
	m.voice.say("wrote %s to %s", count.Of(len(pages), "manual page"), m.folder)
	return nil
}
