package cassettes

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
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

func TestJournalCutAtAnyByte(t *testing.T) {
	data, ends := sampleJournal(t)
	for size := range len(data) + 1 {
		s, err := scan(data[:size])
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
		if len(s.entries) != whole || s.torn != int64(size-good) {
			t.Fatalf("cut at %d: %d entries and %d torn bytes, want %d and %d",
				size, len(s.entries), s.torn, whole, size-good)
		}
		for i, e := range s.entries {
			if e.number != i+1 {
				t.Fatalf("cut at %d: entry %d has number %d", size, i, e.number)
			}
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
		{"another file", []byte("version: 1\n"), "does not begin like a journal"},
		{"another version", change("journal 1\n", "journal 2\n"), "does not begin like a journal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scan(tt.data)
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
	} {
		s, err := scan(d)
		if err != nil || len(s.entries) != 2 || s.torn != int64(len(d)-ends[1]) {
			t.Errorf("%s: %d entries, %d torn bytes, %v", name, len(s.entries), s.torn, err)
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
	f.Add([]byte(journalHead + "entry 99999999999999999999 1 x\na\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := scan(data)
		if err != nil {
			if s.entries != nil {
				t.Fatal("an error came with entries")
			}
			return
		}
		again := []byte(journalHead)
		for _, e := range s.entries {
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
	f.Add(render([]entry{one, two}))
	f.Add(render([]entry{two, one}))
	f.Add(render(nil))
	f.Add([]byte("\n# paytape: 0 exchanges, sha256 \n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := unseal(data)
		if err != nil {
			return
		}
		_, items, _ := bytes.Cut(data, []byte(itemsStart))
		for _, e := range entries {
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
