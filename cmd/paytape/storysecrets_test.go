package main

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/check"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/audit"
)

// planted is the folder in which scripts put secrets for check to find.
const planted = "planted"

// storySecrets are the secrets that the stories send, however they are written. The words stand in
// parts here for the same reason as card numbers do: this file may be searched too.
var storySecrets = regexp.MustCompile(strings.Join([]string{
	"sandbox-" + "password",
	"sandbox-" + "token",
	"sandbox-" + "key",
	regexp.QuoteMeta(base64.StdEncoding.EncodeToString([]byte("sandbox:sandbox-" + "token"))),
	`(?i)cvc2?\W{1,8}` + "123" + `\b`,
}, "|"))

// checkNoSecrets fails the test for every secret in the files below folders.
func checkNoSecrets(t *testing.T, folders ...string) {
	t.Helper()
	var files []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() == planted {
				return cmpSkip(err)
			}
			if d.Type().IsRegular() {
				files = append(files, file)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if len(files) == 0 {
		t.Error("there was nothing to search")
	}
	checkNoSecretsInFiles(t, files)
}

// cmpSkip skips a folder unless it could not be read.
func cmpSkip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

func checkNoSecretsInFiles(t *testing.T, files []string) {
	t.Helper()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		if at := storySecrets.FindIndex(data); at != nil {
			t.Errorf("%s: a secret of the stories at byte %d", file, at[0])
		}
	}
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	// One script shows a file whose names its author wrote.
	o := redact.Options{Profiles: set, KeepPII: true}
	found, errs := check.New(o, runtime.GOMAXPROCS(0)).Files(t.Context(), files)
	for _, f := range slices.Concat(found...) {
		t.Errorf("check finds %s", f)
	}
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// The repository's own testdata holds cassettes, which must be as clean as any.
func TestTestdataHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{
		filepath.Join("..", "..", "testdata"), filepath.Join("..", "..", "cassettes", "testdata"),
		filepath.Join("..", "..", "proxy", "proxytest", "testdata"),
	} {
		if _, err := os.Stat(folder); err == nil {
			checkNoSecrets(t, folder)
		}
	}
}

// A search that finds nothing anywhere would look the same as files without secrets.
func TestStorySecretsAreFound(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a password":           "password=" + "sandbox-" + "password",
		"a Basic pair":         base64.StdEncoding.EncodeToString([]byte("sandbox:sandbox-" + "token")),
		"a CVC in a form":      "%24CVC=" + "123&",
		"a CVC in JSON":        `{"cvc2":"` + `123"}`,
		"a CVC on a YAML line": `"$CVC": ["` + `123"]`,
	} {
		if !storySecrets.MatchString(text) {
			t.Errorf("%s is not found", name)
		}
	}
	if len(audit.Find(paidCard)) != 1 {
		t.Error("a card number is not found")
	}
}

// stories are the three stories of a teller.
func stories(t *story.Teller) []func(context.Context) ([]story.Value, error) {
	return []func(context.Context) ([]story.Value, error){t.Checkout, t.CardLife, t.Transfer}
}
