package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const configLong = `config shows with which settings COMMAND would run here: the value of every
flag, and whether it comes from a flag (given after COMMAND), from the environment,
from paytape.yaml or is the default. Nothing is started, and values are not checked
beyond their form. Without COMMAND it shows what environment and file set, for
whichever command. Passwords, tokens and keys are not shown.`

// configurer is the command "config" with its flags.
type configurer struct {
	*app
	lookup func(string) (string, bool)
	asJSON bool
}

func configCommand(a *app, lookup func(string) (string, bool)) *cobra.Command {
	c := &configurer{app: a, lookup: lookup}
	cmd := &cobra.Command{
		Use:   "config [--json] [COMMAND [FLAG...]]",
		Short: "show each setting and where it comes from",
		Long:  configLong,
		Example: `  paytape config
  paytape config record
  paytape config --json replay --strict`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Root(), args) },
	}
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "print JSON")
	cmd.Flags().SetInterspersed(false) // what comes after COMMAND is COMMAND's
	cmd.DisableFlagsInUseLine = true
	return cmd
}

// shownSetting is a setting as it is printed.
type shownSetting struct {
	Flag  string `json:"flag"`
	Value any    `json:"value"` // text, or texts for a flag that may be repeated; null for a secret
	origin
}

func (c *configurer) run(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.printOutside(root)
	}
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == root {
		return knownCommand(root, args)
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return cmd.FlagErrorFunc()(cmd, err)
	}
	from, err := fillFlags(cmd, c.lookup)
	if err != nil {
		return misused(err)
	}
	var all []shownSetting
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if at, ok := from[f.Name]; ok {
			all = append(all, shownSetting{f.Name, valueOf(f, at, valuesOf(f)), at})
		}
	})
	return c.print(all)
}

// printOutside shows what environment and file set for any command.
func (c *configurer) printOutside(root *cobra.Command) error {
	file, err := readSettings(root)
	if err != nil {
		return misused(err)
	}
	var all []shownSetting
	seen := map[string]bool{"help": true}
	for _, cmd := range append(root.Commands(), below(root)...) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			at, values := outsideValue(f, c.lookup, file)
			if seen[f.Name] || at.Source == fromDefault {
				return
			}
			seen[f.Name] = true
			all = append(all, shownSetting{f.Name, valueOf(f, at, values), at})
		})
	}
	if len(all) == 0 {
		c.voice.say("neither the environment nor %s sets anything", settingsFile)
	}
	return c.print(all)
}

// below returns the commands below those of root.
func below(root *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, cmd := range root.Commands() {
		all = append(all, cmd.Commands()...)
	}
	return all
}

// secretFlag marks flags whose values are not shown.
const secretFlag = "paytape-secret"

// markSecret marks a flag whose value is a secret.
func markSecret(f *pflag.Flag) { f.Annotations = map[string][]string{secretFlag: nil} }

// secretFileFlag marks flags that name a file with a secret. Who gives the secret itself by
// mistake shall not read it in a log.
const secretFileFlag = "paytape-secret-file"

// markSecretFile marks a flag whose value is shown only if it names a file.
func markSecretFile(f *pflag.Flag) { f.Annotations = map[string][]string{secretFileFlag: nil} }

// hidden reports whether a flag has a value that is not shown.
func hidden(f *pflag.Flag, values []string) bool {
	if _, secret := f.Annotations[secretFlag]; secret {
		return true
	}
	_, named := f.Annotations[secretFileFlag]
	return named && slices.ContainsFunc(values, func(v string) bool {
		_, err := os.Stat(v)
		return err != nil
	})
}

// valueOf returns what may be shown of a value. Defaults are in the help for all to read. The
// rest is cleaned, because an address may hold a password where none belongs.
func valueOf(f *pflag.Flag, at origin, values []string) any {
	if at.Source != fromDefault && hidden(f, values) {
		return nil
	}
	cleaner := redact.New(redact.Options{})
	texts := make([]string, 0, len(values))
	for _, v := range values {
		texts = append(texts, cleaner.Text(v).String())
	}
	if _, list := f.Value.(pflag.SliceValue); !list && len(texts) == 1 {
		return texts[0]
	}
	return texts
}

// valuesOf returns the values that a flag has.
func valuesOf(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

func (c *configurer) print(all []shownSetting) error {
	if c.asJSON {
		out := json.NewEncoder(c.out)
		out.SetEscapeHTML(false)
		return out.Encode(append([]shownSetting{}, all...))
	}
	if len(all) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FLAG\tVALUE\tFROM")
	for _, s := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\n", s.Flag, s.text(), s.origin)
	}
	return t.Flush()
}

// text is the value as people read it.
func (s shownSetting) text() string {
	switch v := s.Value.(type) {
	case string:
		return printable(v)
	case []string:
		return printable(strings.Join(v, ", "))
	}
	return "(not shown)"
}

// String says where a value comes from as people read it.
func (o origin) String() string {
	if o.Source == fromEnvironment || o.Source == fromFile {
		return o.Place
	}
	return o.Source
}
