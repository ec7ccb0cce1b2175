package traffic

import (
	"strings"
	"time"

	"github.com/paytape/paytape/proxy/inspect/filter"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// prepare lets a filter say what it says of exchanges: of those that nobody has read, where the
// filter asks for what is read, and of those into which it looks. Both take time, so that much is
// left for the next look.
func (t *Traffic) prepare(f *filter.Filter) {
	if f.Reading() {
		t.readNow(t.someUnread())
	}
	if f.Body() {
		t.search(f)
	}
}

// someUnread returns the newest rows that are to be read.
func (t *Traffic) someUnread() []uint64 {
	const most = 64
	t.mu.Lock()
	defer t.mu.Unlock()
	var ids []uint64
	for i := len(t.rows) - 1; i >= max(0, len(t.rows)-maxQueued) && len(ids) < most; i-- {
		if r := t.atLocked(i); r.readable {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// longSearch is how long a search in exchanges goes on at one look.
const longSearch = 50 * time.Millisecond

// search asks a filter that looks into exchanges about the rows of which nobody has asked it yet, the
// newest first.
func (t *Traffic) search(f *filter.Filter) {
	began := time.Now()
	for time.Since(began) < longSearch {
		t.mu.Lock()
		res := t.resultLocked(f)
		if len(res.pending) == 0 {
			t.mu.Unlock()
			return
		}
		id := res.pending[len(res.pending)-1]
		r := t.findLocked(id)
		v := r.view()
		t.mu.Unlock()
		wants := f.Match(&v, t.bodyOf(id))
		t.mu.Lock()
		if r := t.findLocked(id); r != nil {
			t.resultLocked(f).decide(r, wants)
		}
		t.mu.Unlock()
	}
}

// bodyOf returns a function that returns what was said in an exchange, once it is asked.
func (t *Traffic) bodyOf(id uint64) func() string {
	return func() string {
		clean, ok := t.hub.Exchange(id)
		if !ok {
			return ""
		}
		return said(clean)
	}
}

// said returns the texts of an exchange: what a filter searches.
func said(clean redact.Clean) string {
	x := clean.Exchange()
	if x == nil {
		return ""
	}
	var b strings.Builder
	for _, text := range []string{x.Request.Method + " " + x.Target(), x.Request.Body, x.Response.Body} {
		b.WriteString(text)
		b.WriteString("\n\n")
	}
	return b.String()
}

// rowsLocked returns rows as people see them.
func (t *Traffic) rowsLocked(ids []uint64) []view.Row {
	rows := make([]view.Row, 0, len(ids))
	for _, id := range ids {
		if r := t.findLocked(id); r != nil {
			rows = append(rows, r.view())
		}
	}
	return rows
}
