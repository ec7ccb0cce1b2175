package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const rootLong = `paytape records what a client and a card-payment sandbox say to each other, with
every card number, CVC, PIN and token taken out, and plays it back without the
sandbox: with fresh ids and today's dates, to as many clients as ask.`

// helpTemplate puts examples before flags: most people came for a command to copy.
const helpTemplate = `{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}
{{end}}{{if .HasExample}}
Examples:
{{.Example}}
{{end}}
Usage:
  {{if .HasAvailableSubCommands}}{{if and .HasParent (ne .Use .Name)}}{{.UseLine}}
  {{end}}{{.CommandPath}} COMMAND{{else}}{{.UseLine}}{{end}}
{{$cmd := .}}{{if .HasAvailableSubCommands}}{{range .Groups}}
{{.Title}}{{$id := .ID}}{{range $cmd.Commands}}{{if and .IsAvailableCommand (eq .GroupID $id)}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{else}}
Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}{{end}}{{if .HasAvailableLocalFlags}}
Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{end}}{{if .HasAvailableSubCommands}}
Type "{{.CommandPath}} COMMAND --help" for a command{{if not .HasParent}}, and "{{.CommandPath}} help"
for the topics of the reference{{end}}.
{{else}}
A flag NAME is read from the environment as PAYTAPE_NAME (dashes become underscores, commas
separate several values) and from paytape.yaml in the working directory; the flag beats the
environment, which beats the file.
{{end}}{{with index .Annotations "topic"}}
More about this: paytape help {{.}}
{{end}}`

// newRoot returns the whole command line.
func newRoot(a *app, lookup func(string) (string, bool)) *cobra.Command {
	showVersion := false
	root := &cobra.Command{
		Use:   "paytape",
		Short: "a tape deck for card-payment sandboxes",
		Long:  rootLong,
		Example: `  paytape demo                                   # all of it, in a few seconds
  paytape record --upstream sandbox checkout     # record; the built-in sandbox answers
  paytape replay checkout                        # play it back`,
		Args:          knownCommand,
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Name() == cobra.ShellCompRequestCmd {
				return nil // a shell that asks what may come next must not depend on settings
			}
			if endsWithReader[cmd.Name()] && a.env.EndWithReader != nil {
				a.env.EndWithReader()
			}
			a.chooseFormat(cmd)
			for _, w := range unknownVariables(cmd.Root(), a.env.Environ) {
				a.voice.warn(w)
			}
			_, err := fillFlags(cmd, lookup)
			return misused(err)
		},
		RunE: func(*cobra.Command, []string) error {
			if showVersion {
				return printVersion(a)
			}
			return withHint(misused(errors.New("no command is given")), "paytape --help")
		},
	}
	root.Flags().BoolVar(&showVersion, versionFlag, false, "show what this paytape was built from")
	root.SetHelpTemplate(helpTemplate)
	shell, help := &completer{lookup}, helpCommand(a)
	shell.attach(help)
	root.SetHelpCommand(help)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return withHint(misused(flagError(err)), "%s --help", cmd.CommandPath())
	})
	keepOrder()
	addCommands(root, a, lookup)
	shell.attach(root)
	return root
}

// keepOrder lists commands in the order in which a user meets them. cobra has one setting
// for the whole process.
var keepOrder = sync.OnceFunc(func() { cobra.EnableCommandSorting = false })

// knownCommand refuses the name of a command that there is none of, and suggests another.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := cmd.CommandPath() + " --help"
	cmd.SuggestionsMinimumDistance = 2 // letters that may be wrong
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = cmd.CommandPath() + " " + near[0]
	}
	return withHint(misused(fmt.Errorf("unknown command %q", args[0])), "%s", hint)
}

// arguments refuses a wrong number of arguments; most below 0 means any number.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return wrongArguments(cmd, "too few arguments")
		case most >= 0 && len(args) > most:
			return wrongArguments(cmd, fmt.Sprintf("unexpected argument %q", args[most]))
		}
		return nil
	}
}

// needsCommand tells which commands there are below one that does nothing by itself.
func needsCommand(cmd *cobra.Command, _ []string) error {
	var names []string
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	last := len(names) - 1
	return withHint(misused(fmt.Errorf("expected %s and a command: %s or %s", cmd.CommandPath(),
		strings.Join(names[:last], ", "), names[last])), "%s --help", cmd.CommandPath())
}

// expectedOf says what values of flags look like for which strconv and time have words of their own, by
// the type that pflag has for them.
var expectedOf = map[string]string{
	"int": "a whole number", "intSlice": "a whole number", "uint64": "a whole number, 0 or more",
	"bool": "true or false", "duration": "a time, such as 30s or 2m",
}

// flagError puts an error of pflag into words for people.
func flagError(err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok || expectedOf[wrong.GetFlag().Value.Type()] == "" {
		return err
	}
	return errors.New(strings.TrimSuffix(err.Error(), wrong.Unwrap().Error()) + "expected " +
		expectedOf[wrong.GetFlag().Value.Type()])
}

func wrongArguments(cmd *cobra.Command, what string) error {
	expected := strings.TrimSuffix(cmd.UseLine(), " [flags]")
	return withHint(misused(fmt.Errorf("%s: expected %s", what, expected)),
		"%s --help", cmd.CommandPath())
}
