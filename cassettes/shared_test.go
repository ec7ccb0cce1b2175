package cassettes

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// An exchange is made of a few pieces of memory, and shares headers and names with others.
func TestExchangesShareWhatIsAlike(t *testing.T) {
	reader := &itemReader{formless: true, shared: newShared()}
	var texts [][]byte
	for i := range 3 {
		x := exchangeOf("body", "key", "value")
		x.Request.Body = `{"id":` + strconv.Itoa(i) + `}`
		x.Meta.Callback, x.Meta.Profiles, x.Meta.At = nil, nil, x.Meta.At.UTC() // few exchanges have these
		text, err := emit(x)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	next := 0
	got := testing.AllocsPerRun(30, func() {
		if _, ok := reader.read(texts[next%len(texts)]); !ok {
			t.Fatal("it was not read")
		}
		next++
	})
	// The exchange, two bodies, three lists, the text of the duration.
	if got > 7 {
		t.Errorf("%v allocations an exchange", got)
	}
}

// Sharing changes nothing: whatever places texts and headers have in common, each exchange reads as
// it does alone, and one that is not laid out by emit is refused each time.
func TestSharingReadsTheSame(t *testing.T) {
	reader := &itemReader{shared: newShared()}
	all := awkward()
	for i := range 3 * len(all) {
		a, b := all[i%len(all)], all[(i*7+3)%len(all)]
		text, err := emit(exchangeOf(a, b, a))
		if err != nil {
			t.Fatal(err)
		}
		want, ok := readItem(text)
		got, too := reader.read(text)
		if !ok || !too {
			t.Fatal("it was not read")
		}
		compare(t, "a reader that shares", want, got)
		broken := bytes.Replace(text, []byte("headers:\n      "), []byte("headers:\n      x"), 1)
		for range 2 {
			if _, ok := reader.read(broken); ok {
				t.Fatal("a broken header was read")
			}
		}
	}
}

// Nothing of the text of an item is kept.
func TestReadingKeepsNothingOfTheText(t *testing.T) {
	reader := &itemReader{shared: newShared()}
	text, err := emit(exchangeOf("body", "key", "value"))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := readItem(text)
	room := bytes.Clone(text)
	var got []*leaf.Exchange
	for range 2 {
		x, _ := reader.read(room)
		got = append(got, x)
	}
	clear(room)
	for _, x := range got {
		compare(t, "a reader whose text was written over", want, x)
	}
}
