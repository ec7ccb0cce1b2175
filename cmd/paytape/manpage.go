package main

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Manual pages are made of the command line itself, so that there is nothing to keep up to date:
// help texts, flags and examples become a page of section 1 for each command, and the pages of the
// reference become section 7. Both are put as Markdown, which md2man turns into roff; it is the
// library that cobra's own generator of manual pages uses. That generator is not used, because it
// takes help texts for Markdown ($PAN of "--data '$PAN=...'" would be lost with every * and _),
// and because it knows nothing of environment names, topics and exit codes.

// manualPage is a manual page in roff.
type manualPage struct {
	name    string // paytape-replay
	section int    // 1 for commands, 7 for topics
	roff    []byte
}

// manualName is the name of the page of a command.
func manualName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manualPages returns the pages of a command and of all below it, and those of the reference. A
// topic may have the name of a command: they are in two sections.
func manualPages(root *cobra.Command) ([]manualPage, error) {
	var all []manualPage
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		all = append(all, manualPage{manualName(cmd), 1, commandManual(cmd)})
		for _, below := range cmd.Commands() {
			if below.IsAvailableCommand() {
				add(below)
			}
		}
	}
	add(root)
	reference, err := topics()
	if err != nil {
		return nil, err
	}
	for _, t := range reference {
		all = append(all, manualPage{topicManualName(root, t.name), 7, topicManual(root, t)})
	}
	return all, nil
}

// topicManualName is the name of the page of a topic. The sections keep it apart from a command.
func topicManualName(root *cobra.Command, topic string) string { return root.Name() + "-" + topic }

// manualHead is the title of a page. The date is that of the source, so that a build of one revision
// has one text; it is empty for a build that does not know its revision.
func manualHead(name string, section int) string {
	source, date := "paytape", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		source = strings.TrimSpace("paytape " + strings.Trim(cmp.Or(info.Main.Version), "()"))
		for _, s := range info.Settings {
			if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				date = at.UTC().Format(time.DateOnly)
			}
		}
	}
	return fmt.Sprintf("%% %q %q %q %q %q\n", strings.ToUpper(name), fmt.Sprint(section), date,
		source, "paytape manual")
}

// commandManual returns the page of a command.
func commandManual(cmd *cobra.Command) []byte {
	cmd.InitDefaultHelpFlag()
	var b bytes.Buffer
	name := manualName(cmd)
	b.WriteString(manualHead(name, 1))
	fmt.Fprintf(&b, "# NAME\n%s \\- %s\n\n# SYNOPSIS\n", literal(name), literal(cmd.Short))
	if cmd.Runnable() && (cmd.HasParent() || !cmd.HasAvailableSubCommands()) {
		fmt.Fprintf(&b, "**%s**\n\n", literal(cmd.UseLine()))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "**%s** *COMMAND* [*ARGUMENT*...]\n\n", literal(cmd.CommandPath()))
	}
	fmt.Fprintf(&b, "# DESCRIPTION\n%s\n", proseOf(cmp.Or(cmd.Long, cmd.Short+".")))
	if cmd.HasAvailableSubCommands() {
		b.WriteString("# COMMANDS\n")
		for _, below := range cmd.Commands() {
			if below.IsAvailableCommand() {
				item(&b, "**"+literal(below.Name())+"**", literal(below.Short)+"; see **"+
					literal(manualName(below))+"**(1)")
			}
		}
	}
	b.WriteString("# OPTIONS\n")
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			option(&b, f)
		}
	})
	if cmd.HasExample() {
		fmt.Fprintf(&b, "# EXAMPLES\n```\n%s\n```\n\n", cmd.Example)
	}
	b.WriteString(manualTail(cmd))
	return md2man.Render(b.Bytes())
}

// option writes a flag with what it is called elsewhere.
func option(b *bytes.Buffer, f *pflag.Flag) {
	term := "**--" + literal(f.Name) + "**"
	if f.Shorthand != "" {
		term = "**-" + f.Shorthand + "**, " + term
	}
	kind, usage := pflag.UnquoteUsage(f)
	if kind != "" {
		term += " *" + literal(kind) + "*"
	}
	text := literal(strings.ReplaceAll(usage, "\n", " "))
	switch f.DefValue {
	case "", "false", "0", "[]":
	default:
		text += "; the default is " + literal(f.DefValue)
	}
	if isSetting(f) {
		text += ". Environment: **" + literal(variable(f.Name)) + "**"
	}
	item(b, term, text)
}

// item writes an item of a list of terms.
func item(b *bytes.Buffer, term, text string) { fmt.Fprintf(b, "%s\n: %s\n\n", term, text) }

// manualTail is what pages of commands end with: settings and exit codes are alike for all.
func manualTail(cmd *cobra.Command) string {
	root := cmd.Root()
	tail := "# FILES\n**" + literal(settingsFile) + "** in the working directory gives flags " +
		"their values by name. A flag beats the environment, which beats the file.\n\n" +
		"# EXIT STATUS\n"
	var b bytes.Buffer
	for code, text := range []string{"done", "failed", "wrong usage"} {
		item(&b, fmt.Sprintf("**%d**", code), text)
	}
	tail += b.String() + "# SEE ALSO\n"
	see := []string{}
	if cmd.HasParent() {
		see = append(see, "**"+literal(manualName(cmd.Parent()))+"**(1)")
	}
	if topic := topicOf[cmd.Name()]; topic != "" {
		see = append(see, "**"+literal(topicManualName(root, topic))+"**(7)")
	}
	for _, topic := range []string{"configuration", "exit-codes"} {
		see = append(see, "**"+literal(topicManualName(root, topic))+"**(7)")
	}
	return tail + strings.Join(see, ", ") + "\n"
}

// topicManual returns the page of a topic, whose text is Markdown with a title in its first line.
func topicManual(root *cobra.Command, t topic) []byte {
	_, text, _ := strings.Cut(t.text, "\n")
	name := topicManualName(root, t.name)
	return md2man.Render([]byte(manualHead(name, 7) + "# NAME\n" + literal(name) + " \\- " +
		literal(t.title) + "\n\n# DESCRIPTION\n" + text))
}

// proseOf makes Markdown of a help text: what is indented stays as it is, the rest is paragraphs.
func proseOf(text string) string {
	var b strings.Builder
	for block := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		if strings.HasPrefix(block, " ") {
			fmt.Fprintf(&b, "```\n%s\n```\n\n", block)
			continue
		}
		fmt.Fprintf(&b, "%s\n\n", literal(block))
	}
	return b.String()
}

// literal writes a text so that Markdown means nothing but the text.
func literal(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]()#+-.!:|&<>~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
