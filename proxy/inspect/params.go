package inspect

import (
	"net/http"
	"net/url"
	"strconv"
)

// params reads parameters, and keeps the first error.
type params struct {
	url.Values
	err error
}

// number returns a number that is not negative; other if there is none.
func (p *params) number(name string, other int) int {
	text := p.Get(name)
	if text == "" {
		return other
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		p.wrong("%s: expected a number from 0", name)
		return other
	}
	return n
}

// id returns the number of an event; 0 if there is none.
func (p *params) id(name string) uint64 {
	text := p.Get(name)
	if text == "" {
		return 0
	}
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		p.wrong("%s: expected the number of an exchange", name)
	}
	return id
}

// filter returns the filter.
func (p *params) filter() string {
	q := p.Get("q")
	if len(q) > maxFilter {
		p.wrong("q: a filter has %d bytes at most", maxFilter)
	}
	return q
}

func (p *params) wrong(format string, args ...any) {
	if p.err == nil {
		p.err = refuse(http.StatusBadRequest, format, args...)
	}
}
