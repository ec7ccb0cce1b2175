package main

import (
	"encoding/json"
	"slices"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/rules"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const schemaLong = `schema prints a JSON Schema, for editors that complete and check YAML: of profiles, of
rules files, or of the settings in paytape.yaml (config). Save it, and write
"# yaml-language-server: $schema=profile.schema.json" into the file. A schema tells form
alone; "paytape profile check" and "paytape rules check" find what else is wrong.`

// schemaCommand is the command "schema", with one below it for each kind of file.
func schemaCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "schema", Short: "print the JSON Schema of a kind of files, for editors",
		Long: schemaLong,
		Args: knownCommand,
		Example: `  paytape schema profile >profile.schema.json
  paytape schema rules >rules.schema.json
  paytape schema config >paytape.schema.json`,
		RunE: needsCommand,
	}
	k := &knowledge{}
	ofRules := rulesSchema(a, "rules", k)
	ofRules.Short = "print the JSON Schema of rules files"
	cmd.AddCommand(
		&cobra.Command{
			Use: "profile", Short: "print the JSON Schema of profiles",
			Example: "  paytape schema profile >profile.schema.json",
			Args:    arguments(0, 0),
			RunE:    func(*cobra.Command, []string) error { return printSchema(a, profile.Schema()) },
		},
		ofRules,
		&cobra.Command{
			Use: "config", Short: "print the JSON Schema of paytape.yaml",
			Example: "  paytape schema config >paytape.schema.json",
			Args:    arguments(0, 0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				return printSchema(a, settingsSchema(cmd.Root()))
			},
		},
	)
	return cmd
}

// rulesSchemaCommand is "rules schema", which is "schema rules" under its older name.
func rulesSchemaCommand(a *app) *cobra.Command {
	cmd := rulesSchema(a, "schema", &knowledge{})
	cmd.Short = "print the JSON Schema of rules files, as paytape schema rules does"
	return cmd
}

func rulesSchema(a *app, name string, k *knowledge) *cobra.Command {
	cmd := &cobra.Command{
		Use:     name,
		Long:    schemaLong,
		Example: "  paytape schema rules >rules.schema.json",
		Args:    arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if err := k.check(); err != nil {
				return err
			}
			return printSchema(a, rules.Schema(k.profiles()))
		},
	}
	k.flags(cmd.Flags())
	return cmd
}

func printSchema(a *app, schema map[string]any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(schema)
}

// settingsSchema is the JSON Schema of paytape.yaml: its keys are the flags of all commands.
func settingsSchema(root *cobra.Command) map[string]any {
	keys := map[string]any{}
	eachCommand(root, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !isSetting(f) {
				return
			}
			one := settingSchema(f)
			if known, found := keys[f.Name].(map[string]any); found && !sameSetting(known, one) {
				one = map[string]any{"description": known["description"], "anyOf": []any{known, one}}
			}
			keys[f.Name] = one
		})
	})
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "paytape.yaml",
		"type": []string{"object", "null"}, "additionalProperties": false, "properties": keys,
	}
}

// eachCommand calls f with a command and all below it.
func eachCommand(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, below := range cmd.Commands() {
		eachCommand(below, f)
	}
}

// sameSetting reports whether two commands take the same values for flags of one name.
func sameSetting(a, b map[string]any) bool {
	as, aList := a["type"].([]string)
	bs, bList := b["type"].([]string)
	return aList && bList && slices.Equal(as, bs)
}

// settingSchema is what a flag takes. YAML has numbers and truth values where a flag has texts; a
// flag that may be repeated takes a list too.
func settingSchema(f *pflag.Flag) map[string]any {
	_, usage := pflag.UnquoteUsage(f)
	types := []string{"string", "number", "boolean"}
	switch f.Value.Type() {
	case "bool":
		return map[string]any{"description": usage, "type": []string{"boolean", "string"},
			"pattern": "^(true|false|1|0|t|f|T|F|TRUE|FALSE|True|False)$"}
	case "int", "int64", "uint", "uint64", "uint16", "count":
		return map[string]any{"description": usage, "type": []string{"integer", "string"},
			"pattern": "^[+-]?[0-9a-fA-FxXoObB_]+$"}
	case "duration":
		return map[string]any{"description": usage, "type": []string{"string", "integer"},
			"pattern": "^[+-]?([0-9.]+(ns|us|µs|μs|ms|s|m|h))+$|^0$"}
	}
	one := map[string]any{"type": types}
	if _, list := f.Value.(pflag.SliceValue); list {
		types = append(types, "array")
		return map[string]any{"description": usage, "type": types, "items": one}
	}
	return map[string]any{"description": usage, "type": types}
}
