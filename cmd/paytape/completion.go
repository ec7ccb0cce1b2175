package main

import (
	"slices"
	"strings"
	"unicode"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store/lockfile"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const completionLong = `completion prints a script that has a shell complete commands, flags, and what can be
known of their values: cassettes of the folder that --dir names, profiles, topics of the
reference, words, files and folders. The script asks paytape itself, so it holds for
later versions too. For all later shells of a user:

  bash        paytape completion bash >~/.local/share/bash-completion/completions/paytape
  zsh         paytape completion zsh >"${fpath[1]}/_paytape"
  fish        paytape completion fish >~/.config/fish/completions/paytape.fish
  powershell  paytape completion powershell >>$PROFILE

bash needs its package bash-completion for that; zsh needs compinit in its settings.`

// shells are what a script can be printed for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL", Short: "print what has a shell complete commands and values",
		Long: completionLong,
		Example: `  paytape completion bash
  paytape completion zsh
  paytape completion fish
  paytape completion powershell`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return wrongArguments(cmd, "no shell of "+strings.Join(shells, ", ")+" is named")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
			return root.GenBashCompletionV2(a.out, true)
		},
	}
}

// noFiles says that nothing else than what was returned is meant.
const noFiles = cobra.ShellCompDirectiveNoFileComp

// argumentKinds tell what an argument may be, by its name in the usage line of its command. What
// is none of these is the user's own to choose.
var argumentKinds = map[string]func(c *completer, cmd *cobra.Command) ([]string, directive){
	"NAME": cassetteNames, "PROFILE": profileNames, "SHELL": shellNames,
	"KEY":  func(*completer, *cobra.Command) ([]string, directive) { return readyKeys(), noFiles },
	"FILE": anyFile, "PATH": anyFile,
	"OLD": cassetteOrFile, "NEW": cassetteOrFile, "A": cassetteOrFile, "B": cassetteOrFile,
	"COMMAND": commandNames, "TOPIC": topicNames,
}

// directive says what a shell does with what it is given.
type directive = cobra.ShellCompDirective

// flagWords are words that a flag takes, beside other values or alone. A command whose flag takes
// only some of them names those in its help.
var flagWords = map[string][]string{
	"ids": {freshIDs, asRecorded}, "clock": {clockNow, asRecorded},
	"marked": {serveMarked, missMarked}, "unknown-dates": {moveDates, keepDates},
	"latency": {noLatency, asRecorded}, "pii": {fakePII, keepPII},
	"mode":      {string(deck.Record), string(deck.Replay), string(deck.Spy)},
	"sync":      {"none", string(cassettes.SyncInterval), string(cassettes.SyncAlways)},
	"log-level": {"debug", "info", "warn", "error"}, logFormatFlag: {logText, logJSON},
	"callbacks": {string(deck.CallbacksRelay), string(deck.CallbacksNow),
		string(deck.CallbacksRecorded), string(deck.CallbacksHold), string(deck.CallbacksUnsigned),
		string(deck.CallbacksOff)},
	"graph": {"mermaid", "dot", "svg"}, "inspect": {autoInspect, off}, "admin": {off},
	"control": {off}, "upstream": {"sandbox"},
}

// completer tells a shell what may come next. It reads only: a folder that is not there stays so.
type completer struct {
	lookup func(string) (string, bool) // of environment variables
}

// attach has all commands below one tell what their arguments and the values of their flags may be.
func (c *completer) attach(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = c.argument
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if complete := flagCompletion(f); complete != nil {
			// The only error is that there is one already.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
		}
	})
	for _, below := range cmd.Commands() {
		c.attach(below)
	}
}

// flagCompletion tells what the value of a flag may be; nil leaves files to the shell.
func flagCompletion(f *pflag.Flag) cobra.CompletionFunc {
	kind, usage := pflag.UnquoteUsage(f)
	switch kind {
	case "FILE":
		return nil
	case "FOLDER":
		return fixed(nil, cobra.ShellCompDirectiveFilterDirs)
	}
	told := strings.FieldsFunc(usage, func(r rune) bool { return !unicode.IsLetter(r) })
	var words []string
	for _, word := range flagWords[f.Name] {
		if slices.Contains(told, word) {
			words = append(words, word)
		}
	}
	return fixed(words, noFiles)
}

// fixed tells the same whatever has been typed.
func fixed(words []string, then directive) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, directive) { return words, then }
}

// argument tells what the next argument of a command may be.
func (c *completer) argument(cmd *cobra.Command, args []string, begun string,
) ([]string, directive) {
	kinds := placeholder(cmd, len(args))
	if len(kinds) == 0 && strings.Contains(cmd.Use, " -- ") {
		return nil, cobra.ShellCompDirectiveDefault // it is another command's
	}
	var all []string
	then := noFiles
	for _, kind := range kinds {
		complete, ok := argumentKinds[kind]
		if !ok {
			continue
		}
		words, d := complete(c, cmd)
		all, then = append(all, words...), then&d // files, if one kind may be a file
	}
	all = slices.DeleteFunc(all, func(word string) bool {
		return slices.Contains(args, word) || !strings.HasPrefix(word, begun)
	})
	return all, then
}

// placeholder returns by which names the usage line of a command calls its n-th argument, from 0:
// NAME of "rules try FILE NAME" is the argument 1. There is none behind the last, unless that is
// repeated, and none of a command that follows a double dash.
func placeholder(cmd *cobra.Command, n int) []string {
	names := placeholders(cmd)
	switch last := len(names) - 1; {
	case last < 0:
		return nil
	case n <= last:
		return strings.Split(strings.TrimSuffix(names[n], "..."), "|")
	case strings.HasSuffix(names[last], "..."):
		return strings.Split(strings.TrimSuffix(names[last], "..."), "|")
	}
	return nil
}

// placeholders returns the names of arguments in a usage line, "|" between two for one.
func placeholders(cmd *cobra.Command) []string {
	line := strings.NewReplacer(" | ", "|", "[", "", "]", "").Replace(cmd.Use)
	var names []string
	words := strings.Fields(line)[1:]
	for i := 0; i < len(words) && words[i] != "--"; i++ {
		if name, isFlag := strings.CutPrefix(words[i], "-"); isFlag {
			f := cmd.Flags().Lookup(strings.TrimPrefix(name, "-"))
			if f == nil && len(name) == 1 {
				f = cmd.Flags().ShorthandLookup(name)
			}
			if f != nil && f.NoOptDefVal == "" {
				i++ // its value is no argument
			}
			continue
		}
		names = append(names, words[i])
	}
	return names
}

func anyFile(*completer, *cobra.Command) ([]string, directive) {
	return nil, cobra.ShellCompDirectiveDefault
}

func cassetteOrFile(c *completer, cmd *cobra.Command) ([]string, directive) {
	names, _ := cassetteNames(c, cmd)
	return names, cobra.ShellCompDirectiveDefault
}

// cassetteNames tells the cassettes of the folder that the command would use, by its flags, the
// environment and the settings of the working directory.
func cassetteNames(c *completer, cmd *cobra.Command) ([]string, directive) {
	_, _ = fillFlags(cmd, c.lookup) // the command itself tells what is wrong
	f := cmd.Flags().Lookup("dir")
	if f == nil {
		return nil, noFiles
	}
	library, err := cassettes.OpenExisting(f.Value.String())
	if err != nil {
		return nil, noFiles
	}
	defer library.Close()
	names, err := library.List()
	if err != nil {
		return nil, noFiles
	}
	if cmd.Flags().Lookup("store") != nil {
		names = append(names, lockedNames(library)...)
	}
	slices.Sort(names)
	return slices.Compact(names), noFiles
}

// lockedNames tells the cassettes that paytape.lock names, which need not be here.
func lockedNames(library *cassettes.Library) []string {
	lock, err := lockfile.Read(library)
	if err != nil {
		return nil // the command itself tells of it
	}
	var names []string
	for _, t := range lock.Tapes() {
		names = append(names, t.Name)
	}
	return names
}

func profileNames(*completer, *cobra.Command) ([]string, directive) {
	set, err := profile.Builtin()
	if err != nil {
		return nil, noFiles
	}
	names := []string{"http"}
	for _, p := range set.Profiles() {
		names = append(names, p.Name+"\t"+p.Title)
	}
	return names, noFiles
}

func shellNames(*completer, *cobra.Command) ([]string, directive) { return shells, noFiles }

func commandNames(_ *completer, cmd *cobra.Command) ([]string, directive) {
	var names []string
	for _, other := range cmd.Root().Commands() {
		if other.IsAvailableCommand() {
			names = append(names, other.Name()+"\t"+other.Short)
		}
	}
	return names, noFiles
}

func topicNames(*completer, *cobra.Command) ([]string, directive) {
	all, err := topics()
	if err != nil {
		return nil, noFiles
	}
	var names []string
	for _, t := range all {
		names = append(names, t.name+"\t"+t.title)
	}
	return names, noFiles
}
