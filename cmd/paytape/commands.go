package main

import "github.com/spf13/cobra"

// group is a part of the list of commands in the help.
type group struct{ id, title string }

// groups are in the order in which a user meets them.
var groups = []group{
	{"play", "Record and play back:"},
	{"look", "Look at traffic and tapes:"},
	{"tapes", "Work on tapes:"},
	{"know", "Say what is known of an API, and what a run should do:"},
	{"setup", "Set up:"},
}

// addCommands adds all commands, in the order in which a user meets them.
func addCommands(root *cobra.Command, a *app, lookup func(string) (string, bool)) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
	}
	add := func(group string, cmd *cobra.Command) {
		cmd.GroupID = group
		if topic := topicOf[cmd.Name()]; topic != "" {
			cmd.Annotations = map[string]string{topicAnnotation: topic}
		}
		root.AddCommand(cmd)
	}
	add("play", recordCommand(a))
	add("play", replayCommand(a))
	add("play", spyCommand(a))
	add("play", runCommand(a))
	add("play", passCommand(a))
	add("play", sandboxCommand(a))
	add("play", demoCommand(a))
	add("look", listCommand(a))
	add("look", showCommand(a))
	add("look", flowsCommand(a))
	add("look", diffCommand(a))
	add("look", verifyCommand(a))
	add("look", tailCommand(a))
	add("look", whyCommand(a))
	add("look", callbacksCommand(a))
	add("tapes", checkCommand(a))
	add("tapes", importCommand(a))
	add("tapes", exportCommand(a))
	add("tapes", mergeCommand(a))
	add("tapes", sealCommand(a))
	add("tapes", rmCommand(a))
	add("tapes", rerecordCommand(a))
	add("tapes", pushCommand(a))
	add("tapes", pullCommand(a))
	add("know", profileCommand(a))
	add("know", rulesCommand(a))
	add("know", schemaCommand(a))
	add("setup", configCommand(a, lookup))
	add("setup", caCommand(a))
	add("setup", readyCommand(a))
	add("setup", completionCommand(a))
	add("setup", manCommand(a))
	add("setup", versionCommand(a))
}

// topicOf names the page that tells more of a command than its help. Commands that are not here
// need no page.
var topicOf = map[string]string{
	"record":    "recording",
	"replay":    "replaying",
	"spy":       "recording",
	"run":       "doors",
	"pass":      "doors",
	"sandbox":   "test-cards",
	"list":      "recording",
	"show":      "recording",
	"flows":     "replaying",
	"diff":      "drift",
	"verify":    "drift",
	"tail":      "inspect",
	"why":       "inspect",
	"callbacks": "callbacks",
	"check":     "redaction",
	"import":    "recording",
	"export":    "team",
	"merge":     "team",
	"seal":      "team",
	"rm":        "team",
	"rerecord":  "team",
	"push":      "store",
	"pull":      "store",
	"profile":   "profiles",
	"rules":     "rules",
	"config":    "configuration",
	"ca":        "doors",
	"ready":     "ready-file",
}

// endsWithReader are the commands that only print, perhaps for ever: when whoever reads that goes, there is
// nothing left to do. All others finish what they have begun.
var endsWithReader = map[string]bool{
	"list": true, "show": true, "flows": true, "diff": true, "tail": true, "why": true,
}
