package mint

import "sync"

// Issuer makes card numbers for both versions of the card service, no number twice. It is safe
// for many callers at once.
type Issuer struct {
	prefix string

	mu     sync.Mutex // guards the fields below
	source *Source
	issued map[string]bool
}

// NewIssuer issues numbers of the prefix, ten digits follow it. The source is the issuer's alone.
func NewIssuer(prefix string, s *Source) *Issuer {
	return &Issuer{prefix: prefix, source: s, issued: map[string]bool{}}
}

// Template stands for "a new number" in createVirtualCard and is never issued.
func (i *Issuer) Template() string {
	return i.prefix + "0000000000"
}

// Next issues a number that was not issued before.
func (i *Issuer) Next() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	for {
		body := i.prefix + i.source.Digits(9)
		number := body + string(luhnDigit(body))
		if number == i.Template() || i.issued[number] {
			continue
		}
		i.issued[number] = true
		return number
	}
}
