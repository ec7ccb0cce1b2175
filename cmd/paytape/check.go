package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/check"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
)

const checkLong = `check looks for card numbers, CVCs, PINs, track data, keys and credentials in
files and in all files of folders, without knowing the traffic: in cassettes of
any go-vcr, HTTP archives (HAR), JSON, YAML, forms, logs and sources, as they are
and beneath escapes, base64, hex, UTF-16, compression and card TLV. It says where
something stands and of what kind it is, never what it is.

In cassettes and archives the fields that a profile calls secret must hold
surrogates; --pii keep lets personal data pass. In sources (by the end of the
name: .go, .md, .sh ...) a word beside "password" counts only if it is a literal
of 8 characters or more with letters and digits, and CVCs and PINs do not count.
References (${PASSWORD}, <token>), masks, and words like changeme never do.

Binary files are searched for text, and so are files of more than 32 MB of any
kind, window by window; gzip and zip may unpack to 64 times their size, and a zip
that is encrypted could not be read. .git folders and what is no regular file,
links too, are skipped and counted. --ignore takes a pattern of a name (*.pem),
or with slashes of a path below PATH (testdata/*.har).

The exit code is 0 if there is nothing, 1 if there is anything, and 2 if there is
nothing in what could be read but something could not be. --json prints one
document: files, findings (file, line, exchange, field, kind) and skipped.`

// checker is the command "check" with its flags and its result.
type checker struct {
	*app
	knowledge
	asJSON bool
	ignore []string
	files  []string // to look into
	result checked
}

// checked is what a check came to.
type checked struct {
	Files    int             `json:"files"` // that were looked into
	Findings []check.Finding `json:"findings"`
	Skipped  map[string]int  `json:"skipped"` // by reason
}

func checkCommand(a *app) *cobra.Command {
	c := &checker{app: a}
	cmd := &cobra.Command{
		Use:   "check PATH...",
		Short: "look for secrets in cassettes and other files",
		Long:  checkLong,
		Example: `  paytape check cassettes
  paytape check --ignore '*.pem' --ignore node_modules .
  paytape check --json . | jq '.findings[].file'`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&c.asJSON, "json", false, "print JSON")
	fs.StringArrayVar(&c.ignore, "ignore", nil, "leave out files and folders that `GLOB` matches; "+
		"repeatable")
	c.knowledge.flags(fs)
	c.piiFlag(fs)
	return cmd
}

func (c *checker) run(ctx context.Context, paths []string) error {
	if err := firstError(c.globs, c.check); err != nil {
		return err
	}
	c.result = checked{Findings: []check.Finding{}, Skipped: map[string]int{}}
	var unread error // one file that cannot be read does not hide what is in the others
	for _, path := range paths {
		unread = errors.Join(unread, c.walk(ctx, path))
	}
	unread = errors.Join(unread, c.audit(ctx))
	if err := c.report(); err != nil {
		return errors.Join(unread, err)
	}
	if n := len(c.result.Findings); n > 0 {
		return errors.Join(unread, withHint(fmt.Errorf("what looks like a secret is in %s",
			count.Of(n, "place")),
			"take them out, or record the cassette again with paytape record"))
	}
	return misused(unread)
}

// globs refuses patterns that match nothing because they are broken.
func (c *checker) globs() error {
	for _, glob := range c.ignore {
		if _, err := path.Match(glob, ""); err != nil || glob == "" {
			return misused(fmt.Errorf("--ignore: %q is no pattern", glob))
		}
	}
	return nil
}

// walk lists a file, or a folder and all in it. Only a path that was named may be a link.
func (c *checker) walk(ctx context.Context, named string) error {
	root, err := filepath.EvalSymlinks(named)
	if err != nil {
		return fmt.Errorf("checking: %w", err)
	}
	var unread error
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			unread = errors.Join(unread, fmt.Errorf("checking: %w", err))
			return nil
		}
		below, _ := filepath.Rel(root, file) // both are of one walk
		return c.visit(file, filepath.ToSlash(below), d)
	})
	return errors.Join(unread, err)
}

// visit takes a file whose path below the walk's root is given.
func (c *checker) visit(file, below string, d fs.DirEntry) error {
	reason := ""
	switch {
	case d.IsDir() && d.Name() == ".git":
		reason = ".git"
	case c.ignored(below, d.Name()):
		reason = "ignored"
	case !d.IsDir() && !d.Type().IsRegular():
		reason = "not a regular file"
	}
	switch {
	case reason == "" && !d.IsDir():
		c.files = append(c.files, file)
		return nil
	case reason == "":
		return nil
	}
	c.result.Skipped[reason]++
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// ignored reports whether a pattern matches a name or, if it has a slash, a path.
func (c *checker) ignored(below, name string) bool {
	return slices.ContainsFunc(c.ignore, func(glob string) bool {
		what := name
		if strings.Contains(glob, "/") {
			what = below
		}
		matched, _ := path.Match(strings.TrimSuffix(glob, "/"), what) // globs has looked at it
		return matched
	})
}

// audit looks into the files, several at a time, and collects what they hold in their order.
func (c *checker) audit(ctx context.Context) error {
	files := slices.Compact(slices.Sorted(slices.Values(c.files)))
	o := redact.Options{Profiles: c.profiles(), Prefixes: c.prefixes, KeepPII: c.pii == keepPII}
	found, errs := check.New(o, runtime.GOMAXPROCS(0)).Files(ctx, files)
	for i, err := range errs {
		if err != nil {
			errs[i] = fmt.Errorf("checking: %w", err)
			continue
		}
		c.result.Files++
	}
	c.result.Findings = append(c.result.Findings, slices.Concat(found...)...)
	return errors.Join(errs...)
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
	summary := fmt.Sprintf("checked %s, found %d", count.Of(c.result.Files, "file"),
		len(c.result.Findings))
	if len(skipped) > 0 {
		summary += "; skipped " + strings.Join(skipped, ", ")
	}
	c.print("%s\n", summary)
	return nil
}
