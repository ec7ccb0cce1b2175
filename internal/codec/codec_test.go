package codec

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// node is an object of a graph in which there are cycles.
type node struct {
	name  string
	n     int
	word  uint64
	sort  byte
	good  bool
	at    time.Time
	zone  *time.Location
	next  *node
	kin   []*node
	texts []string
	by    map[string]*node
	seen  map[string]int
}

func nodes() (*File, *Table[node]) {
	var table *Table[node]
	table = NewTable(func(c *Coder, n *node) {
		Text(c, &n.name)
		Int(c, &n.n)
		c.Word(&n.word)
		Int(c, &n.sort)
		c.Bools(&n.good)
		c.Time(&n.at)
		c.Zone(&n.zone)
		table.Ref(c, &n.next)
		Slice(c, &n.kin, table.Ref)
		Texts(c, &n.texts)
		Map(c, &n.by, Text, table.Ref)
		Map(c, &n.seen, Text, Int)
	})
	f := &File{}
	f.Add(table)
	return f, table
}

// ring is a graph of so many nodes that form a ring.
func ring(n int) *node {
	zones := []*time.Location{time.UTC, time.Local, time.FixedZone("", 3*3600), time.FixedZone("MSK", 10800)}
	all := make([]node, n)
	for i := range all {
		zone := zones[i%len(zones)]
		all[i] = node{
			name: fmt.Sprintf("node %d", i/2), n: i - n/2, word: uint64(i) << 40, sort: byte(i), good: i%3 == 0,
			at:   time.Date(2026, time.July, 1, 12, 0, i%60, 1000*i, zone),
			zone: zone, next: &all[(i+1)%n], kin: []*node{&all[i], nil, &all[n-1-i]},
			texts: []string{"", strings.Repeat("x", i%100)},
			by:    map[string]*node{"a": &all[0], "b": nil}, seen: map[string]int{},
		}
	}
	all[n-1] = node{next: &all[0]} // all of it nil and zero
	return &all[0]
}

var key = Key{1, 2, 3}

func written(t testing.TB, root *node) []byte {
	t.Helper()
	f, table := nodes()
	var b bytes.Buffer
	if err := Write(&b, key, f, table, root); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(data []byte, key Key) (*node, error) {
	f, table := nodes()
	return Read(bytes.NewReader(data), int64(len(data)), key, f, table)
}

func TestReadIsWhatWasWritten(t *testing.T) {
	for _, n := range []int{1, 2, 3*objectsTogether + 5} {
		root := ring(n)
		data := written(t, root)
		got, err := read(data, key)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, root) {
			t.Errorf("%d nodes: read others than were written", n)
		}
		again := got
		for range n {
			again = again.next
		}
		if again != got {
			t.Errorf("%d nodes: the ring is open", n)
		}
		if !bytes.Equal(written(t, got), data) {
			t.Errorf("%d nodes: what was read is written otherwise", n)
		}
	}
}

// TestDamage changes every byte of a file, and cuts the file everywhere.
func TestDamage(t *testing.T) {
	data := written(t, ring(8))
	check := func(what string, data []byte, key Key) {
		if got, err := read(data, key); !errors.Is(err, ErrDamaged) || got != nil {
			t.Errorf("%s: expected no root and ErrDamaged, found %v, %v", what, got != nil, err)
		}
	}
	for i := range data {
		for _, bits := range []byte{1, 0x80, 0xff} {
			damaged := bytes.Clone(data)
			damaged[i] ^= bits
			check(fmt.Sprintf("byte %d with %#x", i, bits), damaged, key)
		}
		check(fmt.Sprintf("cut at %d", i), data[:i], key)
	}
	check("a byte more", append(bytes.Clone(data), 0), key)
	check("a byte more in front", append([]byte{0}, data...), key)
	check("another key", data, Key{1, 2})
}

func TestZoneWithSummer(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("this machine does not know the zone")
	}
	f, table := nodes()
	if err := Write(&bytes.Buffer{}, key, f, table, &node{zone: zone}); err == nil {
		t.Error("a zone was written that nobody could read")
	}
}

func TestLocalZone(t *testing.T) {
	_, offset := time.Date(1990, time.January, 1, 0, 0, 0, 0, time.UTC).In(time.Local).Zone()
	if want := fmt.Sprintf("1990-01-01%+d ", offset); !strings.HasPrefix(LocalZone(), want) {
		t.Errorf("the zone of the machine is told as %.40q, which does not begin with %q", LocalZone(), want)
	}
}

// FuzzRead reads sections of any content, whose checksums agree.
func FuzzRead(f *testing.F) {
	f.Add([]byte("\x04node"), 1, []byte(strings.Repeat("\x00", 30)), 1)
	f.Add([]byte{}, 0, []byte{}, 0)
	f.Add([]byte("\x00\x03UTC"), 2, []byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d"), 7)
	f.Fuzz(func(t *testing.T, texts []byte, strings int, objects []byte, count int) {
		var b bytes.Buffer
		w := &writer{out: &b, coder: &Coder{}}
		w.coder.buf = bytes.Clone(texts)
		if err := w.section(ofTexts, strings); err != nil {
			t.Fatal(err)
		}
		w.coder.buf = bytes.Clone(objects)
		if err := w.section(0, count); err != nil {
			t.Fatal(err)
		}
		if err := w.directory(key); err != nil {
			t.Fatal(err)
		}
		got, err := read(b.Bytes(), key)
		if (got == nil) != errors.Is(err, ErrDamaged) || err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatalf("found a root: %v, and the error %v", got != nil, err)
		}
		if got != nil {
			written(t, got)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	data := written(b, ring(20_000))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read(data, key); err != nil {
			b.Fatal(err)
		}
	}
}
