package cassettes_test

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// number15 has no issuer and no right sum: only a field can tell that it is a card.
const number15 = "999999" + "123456784"

// late are values that stand in a harmless place, and the request body that teaches that they
// are secret.
var late = []struct{ name, note, secret, teaches string }{
	{"a password in prose", "use hunter2-Secret-77 here", "hunter2-Secret-77",
		"userName=a&password=hunter2-Secret-77"},
	{"percent-encoded", "a%3Dmy%20pass%20phrase%2099&b", "my%20pass%20phrase%2099",
		"password=my+pass+phrase+99"},
	{"in base64", "aHVudGVyMi1TZWNyZXQtNzc=", "HVudGVyMi1TZWNyZXQtNz",
		"password=hunter2-Secret-77"},
	{"letters alone, percent-encoded three times", "%252551uietlyKept%252553ecret", "uietlyKept",
		"password=QuietlyKeptSecret"},
	{"letters alone, in hex", "51756965746c794b657074536563726574", "746c794b6570",
		"password=QuietlyKeptSecret"},
	{"a number that is no card by itself", "customer " + number15, number15, "$PAN=" + number15},
	{"with an ampersand, in XML", "<p>use hunter2&amp;Secret-77</p>", "amp;Secret-77",
		"password=hunter2%26Secret-77"},
	{"the same number, grouped", "customer 9999 9912 3456 784", "9912 3456", "cardNumber=" + number15},
}

// noted is an exchange with a note in its answer.
func noted(number int, note string) *leaf.Exchange {
	x := sample(number)
	x.Response.Body = fmt.Sprintf(`{"orderId":"o-%d","note":%q}`, number, note)
	return x
}

func teaching(number int, body string) *leaf.Exchange {
	x := sample(number)
	x.Request.Body = body
	return x
}

// TestASecretIsOutBeforeItsLessonIsAppended looks at the journal as kill -9 would leave it.
func TestASecretIsOutBeforeItsLessonIsAppended(t *testing.T) {
	for _, tt := range late {
		t.Run(tt.name, func(t *testing.T) {
			l, dir := library(t)
			r := redact.New(redact.Options{})
			c, err := l.Record("a", r)
			if err != nil {
				t.Fatal(err)
			}
			journal := func() []byte { return readFile(t, dir, "a.journal") }
			put := func(x *leaf.Exchange) {
				t.Helper()
				if err := c.Append(r.Clean(x)); err != nil {
					t.Fatal(err)
				}
			}
			put(noted(c.Next(), tt.note))
			if !bytes.Contains(journal(), []byte(tt.secret)) {
				t.Fatal("nobody can know yet, and it is gone: the case tells nothing")
			}
			for range 3 {
				put(sample(c.Next()))
			}
			put(teaching(c.Next(), tt.teaches))
			if bytes.Contains(journal(), []byte(tt.secret)) {
				t.Error("it is still in the journal")
			}
			put(noted(c.Next(), tt.note))
			if s := finish(t, c); s.New != 6 {
				t.Errorf("got summary %+v", s)
			}
			if bytes.Contains(readFile(t, dir, "a.yaml"), []byte(tt.secret)) {
				t.Error("it is on the tape")
			}
		})
	}
}

// TestASecretIsTakenOutOfAnyBody teaches passwords with signs that escapes have, which stood in a body that the
// journal writes with escapes of its own.
func TestASecretIsTakenOutOfAnyBody(t *testing.T) {
	for name, tt := range map[string]struct{ body, password string }{
		"XML, a plus and a quote":      {`<a><b>use P+ss"word9-hunter2</b></a>`, `P+ss"word9-hunter2`},
		"XML, a plus and backslashes":  {`<a b='P+ss\\word9-hunter2'/>`, `P+ss\\word9-hunter2`},
		"text, a percent sign":         {"x\r\nuse hunter2%41\"Secret-77\r\n", `hunter2%41"Secret-77`},
		"text, a plus and a tabulator": {"x\r\nuse hunter2+\tSecret-77\r\n", "hunter2+\tSecret-77"},
	} {
		t.Run(name, func(t *testing.T) {
			l, dir := library(t)
			r := redact.New(redact.Options{})
			c, err := l.Record("a", r)
			if err != nil {
				t.Fatal(err)
			}
			x := sample(c.Next())
			x.Response.Body = tt.body
			for _, x := range []*leaf.Exchange{x, teaching(c.Next(), "password="+url.QueryEscape(tt.password))} {
				if err := c.Append(r.Clean(x)); err != nil {
					t.Fatal(err)
				}
			}
			if bytes.Contains(readFile(t, dir, "a.journal"), []byte("hunter2")) {
				t.Error("it is still in the journal")
			}
			finish(t, c)
			if bytes.Contains(readFile(t, dir, "a.yaml"), []byte("hunter2")) {
				t.Error("it is on the tape")
			}
		})
	}
}

// TestASecretIsTakenOutOfAnOlderTape teaches what an earlier recording could not know.
func TestASecretIsTakenOutOfAnOlderTape(t *testing.T) {
	for _, tt := range late {
		t.Run(tt.name, func(t *testing.T) {
			l, dir := library(t)
			for _, x := range []*leaf.Exchange{noted(1, tt.note), teaching(2, tt.teaches)} {
				r := redact.New(redact.Options{})
				c, err := l.Record("a", r)
				if err != nil {
					t.Fatal(err)
				}
				c.Next()
				if err := c.Append(r.Clean(x)); err != nil {
					t.Fatal(err)
				}
				finish(t, c)
			}
			if bytes.Contains(readFile(t, dir, "a.yaml"), []byte(tt.secret)) {
				t.Error("it is still on the tape")
			}
		})
	}
}

// TestLessonsOfOthersReachWhatWasCleanedBefore cleans an exchange, learns from another, and
// appends the first after it.
func TestLessonsOfOthersReachWhatWasCleanedBefore(t *testing.T) {
	l, dir := library(t)
	r := redact.New(redact.Options{})
	c, err := l.Record("a", r)
	if err != nil {
		t.Fatal(err)
	}
	before := r.Clean(noted(c.Next(), late[0].note))
	after := r.Clean(teaching(c.Next(), late[0].teaches))
	for _, x := range []redact.Clean{after, before} {
		if err := c.Append(x); err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Contains(readFile(t, dir, "a.journal"), []byte(late[0].secret)) {
		t.Error("it is in the journal")
	}
	finish(t, c)
}

// TestLessonsFromManyClients has notes and lessons come at once.
func TestLessonsFromManyClients(t *testing.T) {
	l, dir := library(t)
	r := redact.New(redact.Options{})
	c, err := l.Record("a", r)
	if err != nil {
		t.Fatal(err)
	}
	const clients = 16
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() {
			secret := fmt.Sprintf("Secret-%02d-of-a-client", i)
			for _, x := range []*leaf.Exchange{
				noted(c.Next(), "use "+secret), teaching(c.Next(), "password="+secret),
			} {
				if err := c.Append(r.Clean(x)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for _, file := range []string{"a.journal", "a.yaml"} {
		if bytes.Contains(readFile(t, dir, file), []byte("-of-a-client")) {
			t.Errorf("%s holds a secret", file)
		}
		finish(t, c)
		if file == "a.journal" {
			continue
		}
		if got := len(load(t, l, "a").Exchanges); got != 2*clients {
			t.Errorf("the tape holds %d exchanges", got)
		}
	}
}

// gated holds whoever looks first through a text that has a word.
type gated struct {
	*redact.Redactor
	word    string
	first   *atomic.Bool
	entered chan struct{} // closed when the text is looked through
	leave   chan struct{} // closed when that may go on
}

func (g gated) Stale(x *leaf.Exchange) bool {
	if strings.Contains(x.Request.Body+x.Response.Body, g.word) && g.first.CompareAndSwap(false, true) {
		close(g.entered)
		<-g.leave
	}
	return g.Redactor.Stale(x)
}

// TestNobodyWaitsForTheCleaningOfTheJournal has exchanges come while the journal is looked through
// for a secret: they are appended at once, clean of it, and the exchange that taught it is not.
func TestNobodyWaitsForTheCleaningOfTheJournal(t *testing.T) {
	l, dir := library(t)
	r := redact.New(redact.Options{})
	g := gated{r, "hunter2", new(atomic.Bool), make(chan struct{}), make(chan struct{})}
	c, err := l.Record("a", g)
	if err != nil {
		t.Fatal(err)
	}
	put := func(x redact.Clean) {
		t.Helper()
		if err := c.Append(x); err != nil {
			t.Error(err)
		}
	}
	put(r.Clean(noted(c.Next(), late[0].note)))
	unaware := r.Clean(noted(c.Next(), late[0].note))
	lesson := r.Clean(teaching(c.Next(), late[0].teaches+"&user=the-lesson"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		put(lesson)
	}()
	<-g.entered
	put(unaware)
	for range 50 {
		put(r.Clean(noted(c.Next(), late[0].note)))
	}
	journal := readFile(t, dir, "a.journal")
	if n := bytes.Count(journal, []byte(late[0].secret)); n != 1 {
		t.Errorf("the secret is %d times in the journal while it is looked for, want once", n)
	}
	if bytes.Contains(journal, []byte("the-lesson")) {
		t.Error("the lesson was appended before the secret was out")
	}
	close(g.leave)
	<-done
	journal = readFile(t, dir, "a.journal")
	if bytes.Contains(journal, []byte(late[0].secret)) || !bytes.Contains(journal, []byte("the-lesson")) {
		t.Error("the secret is still in the journal, or the lesson is not")
	}
	if s := finish(t, c); s.New != 53 {
		t.Errorf("came to %+v", s)
	}
}

// BenchmarkAppendLessons appends exchanges each of which teaches a new secret, behind a
// journal of 10,000.
func BenchmarkAppendLessons(b *testing.B) {
	l, _ := library(b)
	r := redact.New(redact.Options{})
	c, err := l.Record("a", r)
	if err != nil {
		b.Fatal(err)
	}
	put := func(n int) {
		x := teaching(c.Next(), fmt.Sprintf("password=Secret-%08d", n))
		x.Response.Body = strings.Repeat(fmt.Sprintf("some %d text that goes on ", n), 40)
		if err := c.Append(r.Clean(x)); err != nil {
			b.Fatal(err)
		}
	}
	for n := range benchExchanges {
		put(n)
	}
	b.ReportAllocs()
	n := benchExchanges
	for b.Loop() {
		n++
		put(n)
	}
	if _, err := c.Close(); err != nil {
		b.Fatal(err)
	}
}
