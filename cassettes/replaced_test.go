package cassettes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/redact"
)

// meddled is a recording whose folder somebody else works in.
type meddled struct {
	*Recorder
	t    *testing.T
	r    *redact.Redactor
	told []error // by Trouble
}

// meddle begins a recording in dir, which has one exchange.
func meddle(t *testing.T, dir string) *meddled {
	t.Helper()
	m := &meddled{t: t, r: redact.New(redact.Options{})}
	o := Options{Trouble: func(err error) { m.told = append(m.told, err) }}
	var err error
	if m.Recorder, err = openLibrary(t, dir).RecordWith(o, "a", m.r); err != nil {
		t.Fatal(err)
	}
	if err := m.add(); err != nil {
		t.Fatal(err)
	}
	return m
}

// add records another exchange, when it is time to look at the journal's name again.
func (m *meddled) add() error {
	m.maintenance.checked = time.Time{}
	return m.Append(m.r.Clean(told(m.Next(), "", "text")))
}

// onDisk returns how many exchanges would be found after kill -9.
func (m *meddled) onDisk() int {
	m.t.Helper()
	left, err := m.library.leftover("a")
	if err != nil {
		m.t.Fatal(err)
	}
	if err := left.close(); err != nil {
		m.t.Fatal(err)
	}
	return len(left.spans)
}

func TestJournalThatGoesAstrayIsWrittenAnew(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(journal string) error{
		"removed": os.Remove,
		"replaced": func(journal string) error {
			return errors.Join(os.Remove(journal), os.WriteFile(journal, []byte("other"), 0o600))
		},
		"a link now": func(journal string) error {
			return errors.Join(os.Remove(journal), os.Symlink("elsewhere", journal))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			m := meddle(t, dir)
			if err := do(filepath.Join(dir, "a.journal")); err != nil {
				t.Skip(err) // a system without links, or that lets nobody remove an open file
			}
			if err := m.add(); err != nil {
				t.Fatal(err)
			}
			if n := m.onDisk(); n != 2 {
				t.Errorf("kill -9 would leave %d exchanges", n)
			}
			if len(m.told) != 1 || !errors.Is(m.told[0], ErrJournalReplaced) {
				t.Errorf("the operator is told %v", m.told)
			}
			if s, err := m.Close(); err != nil || s.Exchanges != 2 {
				t.Errorf("got %+v, %v", s, err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); err == nil {
				t.Error("a link was followed")
			}
		})
	}
}

// An append right after the last does not look, the end of the recording does.
func TestJournalThatIsGoneAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := meddle(t, dir)
	if err := os.Remove(filepath.Join(dir, "a.journal")); err != nil {
		t.Skip(err)
	}
	if s, err := m.Close(); err != nil || s.Exchanges != 1 {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestFolderThatIsRemovedWhileRecording(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tapes")
	m := meddle(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Skip(err)
	}
	if err := m.add(); !errors.Is(err, ErrJournalReplaced) {
		t.Errorf("appending: %v", err)
	}
	s, err := m.Close()
	if err == nil || !strings.Contains(err.Error(), "1 exchange lost") {
		t.Errorf("closing: %v", err)
	}
	if (s != Summary{}) {
		t.Errorf("it names what is not there: %+v", s)
	}
}

func TestFolderThatIsMovedWhileRecording(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tapes")
	m := meddle(t, dir)
	if err := os.Rename(dir, dir+"2"); err != nil {
		t.Skip(err)
	}
	if err := m.add(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Close(); err == nil || !strings.Contains(err.Error(), "was moved or replaced") {
		t.Errorf("closing: %v", err)
	}
	tape, err := openLibrary(t, dir+"2").Load("a", m.r)
	if err != nil || len(tape.Exchanges) != 2 {
		t.Errorf("the folder that was moved: %v", err)
	}
}
