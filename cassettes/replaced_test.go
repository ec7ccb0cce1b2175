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

// tamperedRecording is a recording whose folder somebody else works in.
type tamperedRecording struct {
	*Recorder
	t    *testing.T
	r    *redact.Redactor
	told []error // by Trouble
}

// newTamperedRecording begins a recording in dir, which has one exchange.
func newTamperedRecording(t *testing.T, dir string) *tamperedRecording {
	t.Helper()
	m := &tamperedRecording{t: t, r: redact.New(redact.Options{})}
	o := Options{Trouble: func(err error) { m.told = append(m.told, err) }}
	var err error
	if m.Recorder, err = openLibrary(t, dir).RecordWith(o, "a", m.r); err != nil {
		t.Fatal(err)
	}
	if err := m.appendExchange(); err != nil {
		t.Fatal(err)
	}
	return m
}

// appendExchange records another exchange, when it is time to look at the journal's name again.
func (t *tamperedRecording) appendExchange() error {
	t.maintenance.checked = time.Time{}
	return t.Append(t.r.Clean(told(t.Next(), "", "text")))
}

// onDisk returns how many exchanges would be found after kill -9.
func (t *tamperedRecording) onDisk() int {
	t.t.Helper()
	left, err := t.library.leftover("a")
	if err != nil {
		t.t.Fatal(err)
	}
	if err := left.close(); err != nil {
		t.t.Fatal(err)
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
			m := newTamperedRecording(t, dir)
			if err := do(filepath.Join(dir, "a.journal")); err != nil {
				t.Skip(err) // a system without links, or that lets nobody remove an open file
			}
			if err := m.appendExchange(); err != nil {
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
	m := newTamperedRecording(t, dir)
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
	m := newTamperedRecording(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Skip(err)
	}
	if err := m.appendExchange(); !errors.Is(err, ErrJournalReplaced) {
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
	m := newTamperedRecording(t, dir)
	if err := os.Rename(dir, dir+"2"); err != nil {
		t.Skip(err)
	}
	if err := m.appendExchange(); err != nil {
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
