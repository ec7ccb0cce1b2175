package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/similar"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// settingsFile may stand in the working directory. Its keys are names of flags, of whichever
// command; a command takes those that it has.
const settingsFile = "paytape.yaml"

// setting is the value that a file gives to a flag.
type setting struct {
	values []string // one, or any number for a flag that may be repeated
	line   int
}

// fillFlags fills the flags that were not given from the environment, and those that are not in
// the environment either from the file. It returns where the value of each came from.
func fillFlags(cmd *cobra.Command, lookup func(string) (string, bool)) (map[string]origin, error) {
	file, err := readSettings(cmd.Root())
	if err != nil {
		return nil, err
	}
	from := map[string]origin{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !isSetting(f) || err != nil {
			return
		}
		at := origin{Source: fromFlag}
		var values []string
		if !f.Changed {
			at, values = outsideValue(f, lookup, file)
		}
		from[f.Name] = at
		if values != nil && fill(cmd.Flags(), f, values) != nil {
			err = fmt.Errorf("%s: the value is not valid for --%s", at.Place, f.Name)
		}
	})
	return from, err
}

// origin is where the value of a flag comes from.
type origin struct {
	Source string `json:"source"`          // one of those below
	Place  string `json:"place,omitempty"` // the variable, or file and line
}

// The sources, in order of precedence.
const (
	fromFlag        = "flag"
	fromEnvironment = "environment"
	fromFile        = "file"
	fromDefault     = "default"
)

// outsideValue looks for a flag that was not given. A variable that is empty counts as not set. No
// values, nil, are found for a default.
func outsideValue(f *pflag.Flag, lookup func(string) (string, bool), file map[string]setting,
) (origin, []string) {
	name := variable(f.Name)
	if text, ok := lookup(name); ok && text != "" {
		return origin{fromEnvironment, name}, split(f, text)
	}
	if s, ok := file[f.Name]; ok {
		return origin{fromFile, s.place()}, s.values
	}
	return origin{Source: fromDefault}, nil
}

// prefix is what the environment names of flags begin with.
const prefix = "PAYTAPE_"

// variable is the environment name of a flag: PAYTAPE_READY_FILE.
func variable(flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// split reads the text of a variable: commas separate the values of a flag that may be
// repeated.
func split(f *pflag.Flag, text string) []string {
	if _, list := f.Value.(pflag.SliceValue); !list {
		return []string{text}
	}
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// fill sets a flag. The error of pflag is not passed on: it repeats the value, and there are
// flags for passwords.
func fill(flags *pflag.FlagSet, f *pflag.Flag, values []string) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		f.Changed = true
		return list.Replace(values)
	}
	if len(values) != 1 {
		return errors.New("expected one value")
	}
	return flags.Set(f.Name, values[0])
}

// readSettings reads the file, which need not exist.
func readSettings(root *cobra.Command) (map[string]setting, error) {
	data, err := os.ReadFile(settingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading settings: %w", err)
	}
	return parseSettings(data, flagNames(root))
}

// parseSettings reads a document whose keys are among known.
func parseSettings(data []byte, known map[string]bool) (map[string]setting, error) {
	top, err := onlyDocument(data)
	if top == nil || err != nil {
		return nil, err
	}
	if top.Kind != yaml.MappingNode {
		return nil, setting{line: top.Line}.wrong("expected names of flags with values")
	}
	all := map[string]setting{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		s := setting{line: key.Line}
		if !known[key.Value] {
			return nil, s.unknown(key.Value, known)
		}
		if _, twice := all[key.Value]; twice {
			return nil, s.wrong(fmt.Sprintf("key %q is there twice", key.Value))
		}
		var ok bool
		if s.values, ok = scalars(value); !ok {
			return nil, s.wrong(fmt.Sprintf("key %q: expected a value or a list of values", key.Value))
		}
		all[key.Value] = s
	}
	return all, nil
}

// onlyDocument returns the document of a file; nil if it is empty, or holds comments alone.
func onlyDocument(data []byte) (*yaml.Node, error) {
	var doc, second yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(data))
	err := in.Decode(&doc)
	if err == io.EOF {
		return nil, nil
	}
	if err == nil {
		err = in.Decode(&second)
	}
	switch {
	case err == nil:
		return nil, setting{line: second.Line}.wrong("a second document: expected one")
	case err != io.EOF:
		return nil, setting{line: yamlPlace(err)}.wrong("not valid YAML")
	}
	return doc.Content[0], nil
}

// yamlLine is the place that the YAML library's errors name, unless it is the first line.
var yamlLine = regexp.MustCompile(`line (\d+)`)

// yamlPlace is all that is told of an error of the YAML library: its own words may quote a value,
// and a value may be a password.
func yamlPlace(err error) int {
	if found := yamlLine.FindStringSubmatch(err.Error()); found != nil {
		if line, err := strconv.Atoi(found[1]); err == nil {
			return line
		}
	}
	return 1
}

// scalars returns the values of a scalar or of a list of scalars. What is not there is none: it
// may be half of a line that somebody meant to write.
func scalars(n *yaml.Node) ([]string, bool) {
	switch n.Kind {
	case yaml.ScalarNode:
		return []string{n.Value}, n.Tag != "!!null"
	case yaml.SequenceNode:
		values := make([]string, 0, len(n.Content))
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
				return nil, false
			}
			values = append(values, item.Value)
		}
		return values, true
	}
	return nil, false
}

// wrong says where in the file something is wrong.
func (s setting) wrong(what string) error { return fmt.Errorf("%s: %s", s.place(), what) }

func (s setting) place() string { return fmt.Sprintf("%s:%d", settingsFile, s.line) }

// unknown tells of a key that is the name of no flag, and which may have been meant.
func (s setting) unknown(key string, known map[string]bool) error {
	err := s.wrong(fmt.Sprintf("unknown key %q: expected the name of a flag", key))
	if near := similar.Most(key, known); near != "" {
		return withHint(err, "write %s", near)
	}
	return withHint(err, "paytape config COMMAND")
}

// notSettings are variables that are no settings, without our prefix.
var notSettings = map[string]bool{
	"URL": true, // what run tells its command
}

// unknownVariables returns a warning for every variable with our prefix that is the name of no flag. It
// is no error: a variable may be meant for another paytape than this one.
func unknownVariables(root *cobra.Command, environ []string) []string {
	known := map[string]bool{}
	for flag, ok := range flagNames(root) {
		known[strings.TrimPrefix(variable(flag), prefix)] = ok
	}
	var warnings []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		name, ours := strings.CutPrefix(name, prefix)
		if !ours || known[name] || notSettings[name] {
			continue
		}
		w := prefix + name + " is the name of no setting"
		if near := similar.Most(name, known); near != "" {
			w += ": " + prefix + near + " is"
		}
		warnings = append(warnings, w)
	}
	slices.Sort(warnings)
	return warnings
}

// isSetting reports whether environment and file can fill a flag: help and version are questions.
func isSetting(f *pflag.Flag) bool { return f.Name != "help" && f.Name != versionFlag }

// flagNames returns the names of the flags of a command and of all below it.
func flagNames(cmd *cobra.Command) map[string]bool {
	names := map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names[f.Name] = isSetting(f) })
	for _, c := range cmd.Commands() {
		for name, ok := range flagNames(c) {
			names[name] = ok
		}
	}
	return names
}

// size is a number of bytes, as a flag: 16M, 500K, 1048576.
type size int64

// units are what a size may end with; they are powers of 1024.
var units = []struct {
	name  string
	bytes int64
}{{"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}}

// Set reads a size, which is at least one byte.
func (s *size) Set(text string) error {
	number, factor := text, int64(1)
	for _, unit := range units {
		if n, found := strings.CutSuffix(text, unit.name); found {
			number, factor = n, unit.bytes
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/2/factor {
		return errors.New("expected a number of bytes, or one that ends in K, M or G")
	}
	*s = size(n * factor)
	return nil
}

// String writes a size as it may be read.
func (s *size) String() string {
	for _, unit := range units {
		if n := int64(*s); n > 0 && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type names the kind of value for the help text.
func (s *size) Type() string { return "SIZE" }

// parseClock reads where a clock starts. A date alone is its midnight here; a time with a
// zone keeps the zone, in which the stand-ins then print theirs.
func parseClock(text string) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	at, err := time.ParseInLocation(time.DateOnly, text, time.Local)
	if err != nil {
		return time.Time{}, fmt.Errorf("--clock: expected 2031-05-17 or 2031-05-17T09:30:00Z, "+
			"found %q", text)
	}
	return at, nil
}

// firstError runs steps until one fails.
func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
