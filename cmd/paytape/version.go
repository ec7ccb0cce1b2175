package main

import (
	"cmp"
	"errors"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionFlag makes "paytape --version" what "paytape version" is. It is a question and no
// setting: neither the environment nor a file can ask it.
const versionFlag = "version"

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "show what this paytape was built from",
		Example: "  paytape version",
		Args:    arguments(0, 0),
		RunE:    func(*cobra.Command, []string) error { return printVersion(a) },
	}
}

func printVersion(a *app) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this paytape was built without build information")
	}
	a.print("%s\n", describe(info))
	return nil
}

// describe says in one line what a binary was built from: version, revision if it is known,
// and Go.
func describe(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	line := "paytape " + cmp.Or(info.Main.Version, "(devel)")
	if revision := settings["vcs.revision"]; revision != "" {
		line += " revision " + revision
	}
	if settings["vcs.modified"] == "true" {
		line += " modified"
	}
	return line + " " + info.GoVersion
}

// version is that of this binary; empty if it was not built from one.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}
