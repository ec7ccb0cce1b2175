package cassettes_test

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// counting counts how many bytes of entries are searched for what was learned later.
type counting struct {
	*redact.Redactor
	searched *atomic.Int64
}

func (c counting) Stale(x *leaf.Exchange) bool {
	c.searched.Add(int64(len(x.URL) + len(x.Request.Body) + len(x.Response.Body)))
	return c.Redactor.Stale(x)
}

// searchedBytes records n exchanges with numbers that count up, and returns how many bytes were searched
// for what they taught.
func searchedBytes(t *testing.T, n int) int64 {
	t.Helper()
	l, _ := library(t)
	r := counting{redact.New(redact.Options{}), new(atomic.Int64)}
	c, err := l.Record("a", r)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		x := teaching(c.Next(), fmt.Sprintf("cardNumber=%s%010d&password=the-Login-of-all", "400000", i))
		x.Response.Body = fmt.Sprintf(`{"rrn":"%012d","cardId":"%020d"}`, i, i)
		if err := c.Append(r.Clean(x)); err != nil {
			t.Fatal(err)
		}
	}
	searched := r.searched.Load()
	finish(t, c)
	if folding := r.searched.Load() - searched; folding > 0 {
		t.Errorf("%d bytes of a clean journal were searched when it was folded", folding)
	}
	return searched
}

// TestWhatIsLearnedIsNotSearchedForInTheWholeJournal has each exchange teach a number that shares all its
// digits with ids before it.
func TestWhatIsLearnedIsNotSearchedForInTheWholeJournal(t *testing.T) {
	t.Parallel()
	const n = 50
	once, four := searchedBytes(t, n), searchedBytes(t, 4*n)
	if four > 4*once+20<<10 {
		t.Errorf("%d exchanges had %d bytes searched, and %d exchanges %d", n, once, 4*n, four)
	}
}

// TestWhatIsFoundLateIsSearchedForOnce teaches a password that stands in the last but one of n entries.
func TestWhatIsFoundLateIsSearchedForOnce(t *testing.T) {
	t.Parallel()
	l, dir := library(t)
	r := counting{redact.New(redact.Options{}), new(atomic.Int64)}
	c, err := l.Record("a", r)
	if err != nil {
		t.Fatal(err)
	}
	put := func(x redact.Clean) {
		t.Helper()
		if err := c.Append(x); err != nil {
			t.Fatal(err)
		}
	}
	const n = 200
	for range n {
		put(r.Clean(sample(c.Next())))
	}
	put(r.Clean(noted(c.Next(), late[0].note)))
	put(r.Clean(sample(c.Next())))
	size := int64(len(readFile(t, dir, "a.journal")))
	put(r.Clean(teaching(c.Next(), late[0].teaches)))
	if got := r.searched.Load(); got > size+size/10 {
		t.Errorf("%d bytes of a journal of %d were searched", got, size)
	}
	for range n {
		put(r.Clean(teaching(c.Next(), late[0].teaches)))
	}
	if got := r.searched.Load(); got > size+size/10 {
		t.Errorf("what was learned again was searched for again: %d bytes of %d", got, size)
	}
	if bytes.Contains(readFile(t, dir, "a.journal"), []byte(late[0].secret)) {
		t.Error("the password is still in the journal")
	}
	finish(t, c)
}

// searchedForLessons has n clients note a password each, and then log in with it at once: all have been
// cleaned when the first is appended. It returns how many bytes of entries were searched.
func searchedForLessons(t *testing.T, n int) int64 {
	t.Helper()
	l, dir := library(t)
	r := counting{redact.New(redact.Options{}), new(atomic.Int64)}
	c, err := l.Record("a", r)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := c.Append(r.Clean(noted(c.Next(), fmt.Sprintf("use hunter2-Secret-%03d", i)))); err != nil {
			t.Fatal(err)
		}
	}
	var logins []redact.Clean
	for i := range n {
		body := fmt.Sprintf("userName=a&password=hunter2-Secret-%03d", i)
		logins = append(logins, r.Clean(teaching(c.Next(), body)))
	}
	var wg sync.WaitGroup
	for _, x := range logins {
		wg.Go(func() {
			if err := c.Append(x); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	searched := r.searched.Load()
	if bytes.Contains(readFile(t, dir, "a.journal"), []byte("hunter2-Secret")) {
		t.Error("a password is still in the journal")
	}
	finish(t, c)
	return searched
}

// TestLessonsAtOnceShareAPass wants the journal gone through once or twice for all who teach at once, and
// not once for each of them.
func TestLessonsAtOnceShareAPass(t *testing.T) {
	t.Parallel()
	const n = 10
	once, four := searchedForLessons(t, n), searchedForLessons(t, 4*n)
	if four > 6*once {
		t.Errorf("%d lessons had %d bytes searched, and %d lessons %d", n, once, 4*n, four)
	}
}
