package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const checkLong = `check looks for card numbers, CVCs, PINs, track data and credentials in files
and in all files of folders: cassettes, logs, sources. It says where something
stands and of what kind it is, never what it is, and exits with 1 if there is
anything. Binary files, .git folders and what is no regular file are skipped and
counted.`

// checker is the command "check" with its flags and its result.
type checker struct {
	*app
	asJSON bool
	result checked
}

// checked is what a check came to.
type checked struct {
	Files    int            `json:"files"` // that were looked into
	Findings []finding      `json:"findings"`
	Skipped  map[string]int `json:"skipped"` // by reason
}

func checkCommand(a *app) *cobra.Command {
	c := &checker{app: a}
	cmd := &cobra.Command{
		Use:   "check PATH...",
		Short: "look for secrets in cassettes and other files",
		Long:  checkLong,
		Example: `  paytape check cassettes
  paytape check --json . | jq '.findings[].file'`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "print JSON")
	return cmd
}

func (c *checker) run(ctx context.Context, paths []string) error {
	c.result = checked{Findings: []finding{}, Skipped: map[string]int{}}
	var unread error // one file that cannot be read does not hide what is in the others
	for _, path := range paths {
		unread = errors.Join(unread, c.walk(ctx, path))
	}
	if err := c.report(); err != nil {
		return errors.Join(unread, err)
	}
	if n := len(c.result.Findings); n > 0 {
		unread = errors.Join(unread, withHint(fmt.Errorf("%d places look like a secret", n),
			"take them out, or record the cassette again with paytape record"))
	}
	return unread
}

// walk checks a file, or a folder and all in it. Only a path that was named may be a link.
func (c *checker) walk(ctx context.Context, path string) error {
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("checking: %w", err)
	}
	var unread error
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			err = c.visit(file, d)
		}
		if errors.Is(err, fs.SkipDir) {
			return err
		}
		unread = errors.Join(unread, err)
		return nil
	})
	return errors.Join(unread, err)
}

func (c *checker) visit(file string, d fs.DirEntry) error {
	switch {
	case d.IsDir() && d.Name() == ".git":
		c.result.Skipped[".git"]++
		return fs.SkipDir
	case d.IsDir():
		return nil
	case !d.Type().IsRegular():
		c.result.Skipped["not a regular file"]++
		return nil
	}
	data, err := readWhole(file)
	switch {
	case err != nil:
		return fmt.Errorf("checking: %w", err)
	case binary(data):
		c.result.Skipped["binary"]++
		return nil
	}
	c.result.Files++
	c.result.Findings = append(c.result.Findings, audit(file, data)...)
	return nil
}

// maxChecked bounds the files that are looked into, in bytes. A larger one is an error: a
// check that looked away must not end well.
const maxChecked = 512 << 20

func readWhole(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxChecked {
		return nil, fmt.Errorf("%s is too large to look into", file)
	}
	return os.ReadFile(file)
}

// report prints the result.
func (c *checker) report() error {
	if c.asJSON {
		enc := json.NewEncoder(c.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(c.result)
	}
	for _, f := range c.result.Findings {
		c.print("%s\n", printable(f.String()))
	}
	var skipped []string
	for _, reason := range slices.Sorted(maps.Keys(c.result.Skipped)) {
		skipped = append(skipped, fmt.Sprintf("%d %s", c.result.Skipped[reason], reason))
	}
	summary := fmt.Sprintf("checked %d files, found %d", c.result.Files, len(c.result.Findings))
	if len(skipped) > 0 {
		summary += "; skipped " + strings.Join(skipped, ", ")
	}
	c.print("%s\n", summary)
	return nil
}
