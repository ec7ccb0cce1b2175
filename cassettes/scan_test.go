package cassettes

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sampleJournal is a journal of three entries and the offsets at which each ends.
func sampleJournal(t testing.TB) (data []byte, ends []int) {
	data = []byte(journalHead)
	for number := range 3 {
		data = append(data, frame(testEntry(t, number+1))...)
		ends = append(ends, len(data))
	}
	return data, ends
}

func scanBytes(data []byte) (scanned, error) {
	return scan(bytes.NewReader(data), int64(len(data)), time.Time{})
}

func TestJournalCutAtAnyByte(t *testing.T) {
	data, ends := sampleJournal(t)
	for size := range len(data) + 1 {
		s, err := scanBytes(data[:size])
		if err != nil {
			t.Fatalf("cut at %d: %v", size, err)
		}
		whole, good := 0, len(journalHead)
		for whole < len(ends) && ends[whole] <= size {
			good = ends[whole]
			whole++
		}
		if size < len(journalHead) {
			good = 0
		}
		if len(s.spans) != whole || s.torn != int64(size-good) {
			t.Fatalf("cut at %d: %d entries and %d torn bytes, want %d and %d",
				size, len(s.spans), s.torn, whole, size-good)
		}
		for i, e := range s.spans {
			if e.number != i+1 {
				t.Fatalf("cut at %d: entry %d has number %d", size, i, e.number)
			}
		}
	}
}

// TestJournalChangedAtAnyByte changes every byte in turn: what is read is a prefix of what
// was written, or nothing is, and the place is told.
func TestJournalChangedAtAnyByte(t *testing.T) {
	data, ends := sampleJournal(t)
	for at := range data {
		bad := bytes.Clone(data)
		bad[at] ^= 4
		s, err := scanBytes(bad)
		whole, place := 0, len(journalHead)
		for whole < len(ends) && ends[whole] <= at {
			place = ends[whole]
			whole++
		}
		want := fmt.Sprintf("the entry at byte %d is damaged", place)
		if at < len(journalHead) {
			want = "does not begin like a journal"
		}
		switch {
		case err != nil && !strings.Contains(err.Error(), want):
			t.Errorf("byte %d: got error %v, want one with %q", at, err, want)
		case err == nil && len(s.spans) != whole:
			t.Errorf("byte %d: got %d entries, want %d", at, len(s.spans), whole)
		case err == nil && whole != len(ends)-1:
			t.Errorf("byte %d: a bad entry was passed over, or taken for a torn one", at)
		}
	}
}

func TestDamagedJournalIsRefused(t *testing.T) {
	data, ends := sampleJournal(t)
	change := func(old, fresh string) []byte {
		return bytes.Replace(data, []byte(old), []byte(fresh), 1)
	}
	second := "the entry at byte " + strconv.Itoa(ends[0])
	first := "the entry at byte " + strconv.Itoa(len(journalHead))
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"a byte in the middle", change("body 2", "body 3"), second},
		{"a number that is not the entry's", change("entry 2 ", "entry 9 "), second},
		{"a length past the end", change("entry 1 ", "entry 1 9"), first},
		{"a negative length", change("entry 1 ", "entry 1 -"), first},
		{"a missing entry start", change("entry 2", "entrx 2"), second},
		{"zeros with others behind", append(append(bytes.Clone(data[:ends[0]]),
			make([]byte, 4096)...), data[ends[0]:]...), second},
		{"another file", []byte("version: 1\n"), "does not begin like a journal"},
		{"another version", change("journal 1\n", "journal 9\n"), "does not begin like a journal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scanBytes(tt.data)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestLastEntryOfWrongContentIsTorn(t *testing.T) {
	data, ends := sampleJournal(t)
	zeros := append(bytes.Clone(data[:ends[1]]), make([]byte, 4096)...)
	for name, d := range map[string][]byte{
		"a byte changed":        bytes.Replace(data, []byte("body 3"), []byte("body 4"), 1),
		"zeros in place of it":  zeros,
		"only its line is left": data[:ends[1]+90],
		"half of it, and zeros far behind its end": append(bytes.Clone(data[:ends[1]+90]),
			make([]byte, 3*buffered)...),
	} {
		s, err := scanBytes(d)
		if err != nil || len(s.spans) != 2 || s.torn != int64(len(d)-ends[1]) {
			t.Errorf("%s: %d entries, %d torn bytes, %v", name, len(s.spans), s.torn, err)
		}
	}
}

// A journal of which no entry has reached the disk is torn as a whole.
func TestJournalOfZerosIsTorn(t *testing.T) {
	for _, start := range []string{"", journalHead[:5], journalHead} {
		data := append([]byte(start), make([]byte, 4096)...)
		s, err := scanBytes(data)
		want := int64(len(data))
		if start == journalHead {
			want = 4096
		}
		if err != nil || len(s.spans) != 0 || s.torn != want {
			t.Errorf("behind %q: %d entries, %d torn bytes, %v", start, len(s.spans), s.torn, err)
		}
	}
}

// FuzzScan checks that any bytes are read without panic, and that what is read out of them
// is whole: a journal of the same entries holds the same bytes.
func FuzzScan(f *testing.F) {
	data, ends := sampleJournal(f)
	f.Add(data)
	f.Add(data[:ends[1]+3])
	f.Add([]byte(journalHead + "entry 1 0 x\n\n"))
	f.Add([]byte(stableHead))
	f.Add([]byte(journalHead + "entry 99999999999999999999 1 x\na\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := scanBytes(data)
		if err != nil {
			if s.spans != nil {
				t.Fatal("an error came with entries")
			}
			return
		}
		again := []byte(headOf(s.stable))
		for _, lies := range s.spans {
			e, err := lies.entry()
			if err != nil {
				t.Fatal(err)
			}
			again = append(again, frame(e)...)
		}
		if s.torn != int64(len(data)) && !bytes.Equal(again, data[:len(data)-int(s.torn)]) {
			t.Fatal("the whole part of the journal reads as something else")
		}
	})
}

// FuzzSplit checks that a file taken as sealed is what would be written for its entries, but
// for the words of its head.
func FuzzSplit(f *testing.F) {
	one, two := testEntry(f, 1), testEntry(f, 2)
	f.Add(render(f, []entry{one, two}))
	f.Add(render(f, []entry{two, one}))
	f.Add(render(f, nil))
	f.Add([]byte("\n# paytape: 0 exchanges, sha256 \n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		spans, err := unseal(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		_, items, _ := bytes.Cut(data, []byte("\n"+itemsStart))
		for _, lies := range spans {
			e, err := lies.entry()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(items, e.text) {
				t.Fatal("an entry is not where it was read")
			}
			items = items[len(e.text):]
		}
		if !bytes.HasPrefix(items, []byte(markStart)) {
			t.Fatal("something was passed over")
		}
	})
}
