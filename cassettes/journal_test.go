package cassettes

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plan is a disk that fails as told: room is how many bytes it still takes.
type plan struct {
	data        []byte
	room        int
	truncateErr error
	syncErr     error
	syncs       int
}

var errDisk = errors.New("no space left")

func (p *plan) Write(b []byte) (int, error) {
	n := min(len(b), p.room)
	p.data = append(p.data, b[:n]...)
	p.room -= n
	if n < len(b) {
		return n, errDisk
	}
	return n, nil
}

func (p *plan) ReadAt(b []byte, off int64) (int, error) {
	return bytes.NewReader(p.data).ReadAt(b, off)
}

func (p *plan) Truncate(size int64) error {
	if p.truncateErr == nil {
		p.data = p.data[:size]
	}
	return p.truncateErr
}

func (p *plan) Stat() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }

func (p *plan) Sync() error  { p.syncs++; return p.syncErr }
func (p *plan) Close() error { return nil }

func testEntry(t testing.TB, number int) entry {
	t.Helper()
	x := exchangeOf("body "+strconv.Itoa(number), "k", "v")
	x.Meta.Number = number
	text, err := emit(x)
	if err != nil {
		t.Fatal(err)
	}
	return entry{number: number, text: text}
}

func scannedNumbers(entries []span) []int {
	var out []int
	for _, e := range entries {
		out = append(out, e.number)
	}
	return out
}

func mustJournal(t *testing.T, p *plan) *journal {
	t.Helper()
	j, err := newJournal(p, false)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestFullDiskTakesBackHalfAnEntry(t *testing.T) {
	p := &plan{room: 1 << 20}
	j := mustJournal(t, p)
	if _, err := j.append(frame(testEntry(t, 1))); err != nil {
		t.Fatal(err)
	}
	whole := len(p.data)
	for room := range 100 {
		p.room = room
		if _, err := j.append(frame(testEntry(t, 2))); !errors.Is(err, errDisk) {
			t.Fatalf("room for %d bytes: got error %v", room, err)
		}
		if len(p.data) != whole {
			t.Fatalf("room for %d bytes: %d bytes were left", room, len(p.data)-whole)
		}
	}
	p.room = 1 << 20
	if _, err := j.append(frame(testEntry(t, 3))); err != nil {
		t.Fatalf("after room was made: %v", err)
	}
	entries, err := j.finish(time.Time{})
	if diff := cmp.Diff([]int{1, 3}, scannedNumbers(entries)); diff != "" || err != nil {
		t.Errorf("error %v, numbers (-want +got):\n%s", err, diff)
	}
}

func TestTornJournalFails(t *testing.T) {
	p := &plan{room: 1 << 20, truncateErr: errors.New("read-only file system")}
	j := mustJournal(t, p)
	if _, err := j.append(frame(testEntry(t, 1))); err != nil {
		t.Fatal(err)
	}
	p.room = 10
	_, first := j.append(frame(testEntry(t, 2)))
	p.room = 1 << 20
	if _, again := j.append(frame(testEntry(t, 3))); again == nil || again.Error() != first.Error() {
		t.Errorf("an entry was written behind a torn one, or another error given: %v", again)
	}
	for _, want := range []string{"no space left", "read-only file system"} {
		if !strings.Contains(first.Error(), want) {
			t.Errorf("the error %q does not say %q", first, want)
		}
	}
	s, err := scan(bytes.NewReader(p.data), int64(len(p.data)), time.Time{})
	if len(s.spans) != 1 || s.torn != 10 || err != nil {
		t.Errorf("got %d entries, %d torn bytes, %v", len(s.spans), s.torn, err)
	}
}

func TestFailedSyncIsNotRetried(t *testing.T) {
	p := &plan{room: 1 << 20, syncErr: errDisk}
	j := mustJournal(t, p)
	if err := j.sync(math.MaxInt64); !errors.Is(err, errDisk) {
		t.Fatalf("got error %v", err)
	}
	p.syncErr = nil
	if err := j.sync(math.MaxInt64); !errors.Is(err, errDisk) {
		t.Errorf("synced again: error %v", err)
	}
	if _, err := j.append(frame(testEntry(t, 1))); !errors.Is(err, errDisk) {
		t.Errorf("appended: error %v", err)
	}
	if _, err := j.finish(time.Time{}); !errors.Is(err, errDisk) || p.syncs != 1 {
		t.Errorf("finished: error %v, %d syncs", err, p.syncs)
	}
}

// TestOneSyncServesMany appends three entries and asks for the first to be kept, then for the
// others.
func TestOneSyncServesMany(t *testing.T) {
	p := &plan{room: 1 << 20}
	j := mustJournal(t, p)
	var ends []int64
	for number := range 3 {
		end, err := j.append(frame(testEntry(t, number+1)))
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	for _, end := range ends {
		if err := j.sync(end); err != nil {
			t.Fatal(err)
		}
	}
	if p.syncs != 1 {
		t.Errorf("%d syncs for what one would do", p.syncs)
	}
}

func TestFinishNoticesWhatIsMissing(t *testing.T) {
	tests := []struct {
		name   string
		damage func(p *plan)
	}{
		{"a byte of an entry changed", func(p *plan) { p.data[len(p.data)-3] ^= 1 }},
		{"the file became shorter", func(p *plan) { p.data = p.data[:len(p.data)-1] }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &plan{room: 1 << 20}
			j := mustJournal(t, p)
			if _, err := j.append(frame(testEntry(t, 1))); err != nil {
				t.Fatal(err)
			}
			tt.damage(p)
			if _, err := j.finish(time.Time{}); err == nil {
				t.Error("the journal was taken as whole")
			}
		})
	}
}

func TestAppendAfterFinish(t *testing.T) {
	j := mustJournal(t, &plan{room: 1 << 20})
	if _, err := j.finish(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := j.append(frame(testEntry(t, 1))); !errors.Is(err, errClosed) {
		t.Errorf("got error %v", err)
	}
}

func TestNewJournalFails(t *testing.T) {
	if _, err := newJournal(&plan{room: 5}, false); !errors.Is(err, errDisk) {
		t.Errorf("got error %v", err)
	}
}

// quiet is a file that writes less than asked and says nothing.
type quiet struct{ *plan }

func (q quiet) Write(b []byte) (int, error) {
	n, _ := q.plan.Write(b)
	return n, nil
}

func TestShortWriteIsAnError(t *testing.T) {
	p := &plan{room: 1 << 20}
	j := mustJournal(t, p)
	j.file = quiet{p}
	p.room = 20
	if _, err := j.append(frame(testEntry(t, 1))); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got error %v", err)
	}
	if string(p.data) != journalHead {
		t.Error("half an entry was left")
	}
}

// A journal that nobody has time for is not read.
func TestFinishWithoutTime(t *testing.T) {
	p := &plan{room: 1 << 20}
	j := mustJournal(t, p)
	for number := range 3 {
		if _, err := j.append(frame(testEntry(t, number+1))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.finish(time.Now().Add(-time.Second)); !errors.Is(err, errNoTime) {
		t.Errorf("got error %v", err)
	}
	if got, err := j.finish(time.Now().Add(time.Hour)); len(got) != 3 || err != nil {
		t.Errorf("got %d entries, %v", len(got), err)
	}
}
