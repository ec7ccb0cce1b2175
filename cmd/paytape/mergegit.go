package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/merge"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match/stable"
)

// drive merges for git. Git gives the names of three files, of which the second is to hold what comes
// of it, and perhaps the path that the user knows. The exit code is 0 if all is merged and 1 if
// somebody has to choose; git then says so, and has the file in the working tree.
func (m *merger) drive(args []string) error {
	if err := m.check(); err != nil {
		return err
	}
	shown := "the cassette"
	if len(args) == 4 {
		shown = args[3]
	}
	var tapes [3]*cassettes.Tape
	for i, file := range args[:3] {
		t, err := cassettes.ReadFile(file, m.redactor())
		if err != nil {
			return withHint(fmt.Errorf("merging %s: %w", shown, err), "git checkout --ours, or --theirs, %s",
				shellWord(shown))
		}
		for _, w := range t.Warnings {
			m.voice.warn(strings.Replace(w, file, shown+", "+driverSides[i], 1))
		}
		tapes[i] = t
	}
	merged := merge.Merge(merge.Tapes{
		Base: tapes[0].Exchanges, Ours: tapes[1].Exchanges, Theirs: tapes[2].Exchanges,
		Stable: stable.Tapes{Profiles: m.profiles()},
	}, m.redactor)
	heads := append(tapes[1].HeadProfiles(), tapes[2].HeadProfiles()...)
	encode := func() ([]byte, error) { return cassettes.Encode(merged.Exchanges(), heads...) }
	if len(merged.Conflicts) > 0 {
		encode = func() ([]byte, error) { return cassettes.EncodeConflicts(merged.Pieces) }
	}
	text, err := encode()
	if err == nil {
		err = m.auditText(text)
	}
	if err == nil {
		err = cassettes.WriteFile(args[1], text)
	}
	if err != nil {
		return fmt.Errorf("merging %s: %w", shown, err)
	}
	for _, w := range merged.Warnings {
		m.voice.warn(w)
	}
	m.warnOfGone(driverSides[1], tapes[1], merged.OursGone)
	m.warnOfGone(driverSides[2], tapes[2], merged.TheirsGone)
	if len(merged.Conflicts) == 0 {
		m.voice.say("merged %s: %s", shown, told(merged))
		return nil
	}
	for _, c := range merged.Conflicts {
		m.voice.warn(fmt.Sprintf("conflict in %s: %s", shown, c))
	}
	return withHint(fmt.Errorf("merging %s: %s", shown, count.Of(len(merged.Conflicts), "conflict")),
		"choose between the marks in the file, then type: paytape seal %s", shellWord(shown))
}

// driverSides are the files of the driver in words.
var driverSides = [...]string{"what both come from", "ours", "theirs"}

// driverName is what git knows the driver by.
const driverName = "paytape"

// installDriver tells git of the driver, and which files are cassettes. Doing so twice changes nothing.
func (m *merger) installDriver() error {
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	prefix, err := git("rev-parse", "--show-prefix")
	if err != nil {
		return err
	}
	// git runs the driver at the top, and paytape.yaml with its profiles is in the folder of the project.
	above := strings.Repeat("../", strings.Count(prefix, "/"))
	driver := programName() + " merge --driver " + above + "%O " + above + "%A " + above + "%B %P"
	if prefix != "" {
		driver = "cd " + shellQuote(strings.TrimSuffix(prefix, "/")) + " && " + driver
	}
	for _, setting := range [][2]string{
		{"merge." + driverName + ".name", "paytape cassettes"},
		{"merge." + driverName + ".driver", driver},
	} {
		if _, err := git("config", setting[0], setting[1]); err != nil {
			return err
		}
		m.print("git config %s %s\n", setting[0], shellQuote(setting[1]))
	}
	line, err := attributesLine(prefix, m.dir)
	if err != nil {
		return err
	}
	file := filepath.Join(top, ".gitattributes")
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for had := range strings.Lines(string(text)) {
		if strings.TrimSpace(had) == line {
			m.print("%s has %s\n", file, line)
			return nil
		}
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	if err := os.WriteFile(file, append(text, line+"\n"...), 0o644); err != nil {
		return err
	}
	m.print("%s has now %s: commit it\n", file, line)
	return nil
}

// attributesLine returns the line of .gitattributes that has git merge cassettes so, and leave their line
// ends alone: on Windows it would change them, and no seal would hold. prefix is the path of the working
// directory below the top.
func attributesLine(prefix, dir string) (string, error) {
	if filepath.IsAbs(dir) {
		return "", misused(errors.New("--dir: expected the folder of the cassettes below this one"))
	}
	below := path.Join(prefix, filepath.ToSlash(dir))
	if below == ".." || strings.HasPrefix(below, "../") || strings.ContainsAny(below, " \t\"*?[\\") {
		return "", misused(fmt.Errorf("--dir: a line of .gitattributes cannot name the folder %q", dir))
	}
	return path.Join(below, "**", "*"+tapeSuffix) + " text eol=lf merge=" + driverName, nil
}

// programName returns how git finds this program: by its name, if that is on the path.
func programName() string {
	own, err := os.Executable()
	if err != nil {
		return driverName
	}
	if found, err := exec.LookPath(driverName); err == nil {
		a, errA := os.Stat(found)
		b, errB := os.Stat(own)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return driverName
		}
	}
	return shellWord(filepath.ToSlash(own))
}

// git runs git and returns the line that it prints.
func git(args ...string) (string, error) {
	var stderr strings.Builder
	cmd := exec.Command("git", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not installed")
	case err != nil:
		said := strings.TrimPrefix(strings.TrimSpace(stderr.String()), "fatal: ")
		return "", fmt.Errorf("asking git for %s: %s", args[0], said)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
