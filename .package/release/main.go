// Command release builds what users download, for every system and processor:
//
//	go run ./.package/release            # all targets, into dist
//	go run ./.package/release linux/arm64
//
// An archive holds the program, its manual pages, its completions for four shells, the README and
// the licence. Beside each archive is a list of what the program was built from (CycloneDX), and
// SHA256SUMS has the sums of all.
//
// Two builds of one revision give equal bytes, on any machine: the compiler is pinned, nothing of
// the machine gets in (no cgo, no paths, no settings of the user), and every time in an archive is
// that of the revision. The version is the tag of the revision, or what Go makes of an untagged
// one; the Go tool stamps it, and "paytape version" prints it. So a tree with changes is refused,
// and so is a folder that is no clone.
//
// With -image it also lays out what the container file copies, in dist/image.
package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// toolchain builds all releases, whichever Go runs this program: another compiler makes other bytes.
const toolchain = "go1.26.8"

// targets are the systems and processors that a release is for.
var targets = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64",
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var r release
	flag.StringVar(&r.out, "o", "dist", "`folder` for the archives")
	flag.BoolVar(&r.dirty, "allow-dirty", false, "build a tree with changes, to try things")
	flag.BoolVar(&r.image, "image", false, "lay out what the container file copies")
	flag.Parse()
	r.targets = flag.Args()
	if err := r.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release: error:", err)
		os.Exit(1)
	}
}

// release is a run of this program.
type release struct {
	out     string
	dirty   bool
	image   bool
	targets []string // none for all

	work   string    // a folder of its own, for what goes into archives
	common []entry   // what all archives hold
	at     time.Time // of the revision
	sums   []string  // lines of SHA256SUMS
}

func (r *release) run(ctx context.Context) (err error) {
	if len(r.targets) == 0 {
		r.targets = targets
	}
	for _, t := range r.targets {
		if !slices.Contains(targets, t) {
			return fmt.Errorf("unknown target %q: expected one of %s", t, strings.Join(targets, ", "))
		}
	}
	if r.work, err = os.MkdirTemp("", "paytape-release-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if err := r.document(ctx); err != nil {
		return err
	}
	for _, t := range r.targets {
		if err := r.pack(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	sums := strings.Join(r.sums, "")
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(sums), 0o644)
}

// document builds a program for this machine, and has it write manual pages and completions.
func (r *release) document(ctx context.Context) error {
	program, info, err := r.build(ctx, runtime.GOOS+"/"+runtime.GOARCH)
	if err != nil {
		return err
	}
	if r.at, err = r.timeOf(info); err != nil {
		return err
	}
	pages := filepath.Join(r.work, "pages")
	// The environment is empty, so that no setting of the user changes a page.
	man := exec.CommandContext(ctx, program, "man", "--output", filepath.Join(pages, "man"))
	man.Env, man.Dir, man.Stderr = []string{"PATH="}, r.work, io.Discard
	if err := man.Run(); err != nil {
		return fmt.Errorf("writing manual pages: %w", err)
	}
	for shell, file := range map[string]string{
		"bash": "paytape", "zsh": "_paytape", "fish": "paytape.fish", "powershell": "paytape.ps1",
	} {
		script := exec.CommandContext(ctx, program, "completion", shell)
		script.Env, script.Dir = []string{"PATH="}, r.work
		text, err := script.Output()
		if err != nil {
			return fmt.Errorf("writing completion for %s: %w", shell, err)
		}
		r.common = append(r.common, entry{"completions/" + shell + "/" + file, 0o644, text})
	}
	if err := r.addFolder(pages); err != nil {
		return err
	}
	for _, file := range []string{"README.md", "LICENSE", ".package/paytape@.service"} {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		r.common = append(r.common, entry{filepath.Base(file), 0o644, text})
	}
	return nil
}

// addFolder has all archives hold the files of a folder.
func (r *release) addFolder(dir string) error {
	return filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		r.common = append(r.common, entry{filepath.ToSlash(name), 0o644, text})
		return err
	})
}

// pack builds the program for a target, and writes its archive and the list of what is in it.
func (r *release) pack(ctx context.Context, target string) error {
	program, info, err := r.build(ctx, target)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	system, processor, _ := strings.Cut(target, "/")
	if r.image && system == "linux" {
		if err := layOut(filepath.Join(r.out, "image"), target, text); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("paytape_%s_%s_%s", info.Main.Version, system, processor)
	all := append([]entry{{filepath.Base(program), 0o755, text}}, r.common...)
	write, suffix := writeTar, ".tar.gz"
	if system == "windows" {
		write, suffix = writeZip, ".zip"
	}
	if err := r.add(name+suffix, func(to io.Writer) error { return write(to, name, r.at, all) }); err != nil {
		return err
	}
	return r.add(name+".cdx.json", func(to io.Writer) error { return writeBill(to, info, target) })
}

// build builds the program for a target, and returns its file with what it was built from.
func (r *release) build(ctx context.Context, target string) (string, *debug.BuildInfo, error) {
	system, processor, _ := strings.Cut(target, "/")
	program := filepath.Join(r.work, system, processor, "paytape")
	if system == "windows" {
		program += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-mod=readonly",
		"-ldflags=-s -w", "-o", program, "./cmd/paytape")
	cmd.Env = environment(os.Environ(), system, processor)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", nil, fmt.Errorf("building: %w", err)
	}
	info, err := buildinfo.ReadFile(program)
	return program, info, err
}

// environment returns the variables of a build: those that find files, and none that changes what is
// built.
func environment(all []string, system, processor string) []string {
	kept := []string{"PATH", "HOME", "USERPROFILE", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP", "GOPATH",
		"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOROOT", "SystemRoot",
		"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE"}
	env := slices.DeleteFunc(slices.Clone(all), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.Contains(kept, name)
	})
	return append(env, "GOOS="+system, "GOARCH="+processor, "GOAMD64=v1", "GOARM64=v8.0",
		"CGO_ENABLED=0", "GOENV=off", "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN="+toolchain)
}

// timeOf returns when the revision was made that a program was built from, and refuses one that does
// not say its revision, or that has changes beside it.
func (r *release) timeOf(info *debug.BuildInfo) (time.Time, error) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	at, err := time.Parse(time.RFC3339, settings["vcs.time"])
	switch {
	case err != nil:
		return at, errors.New("this folder is no clone of the repository: a release needs a revision")
	case settings["vcs.modified"] == "true" && !r.dirty:
		return at, errors.New("the tree has changes that are in no revision: git status")
	}
	return at.UTC(), nil
}
