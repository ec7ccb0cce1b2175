package proxy

import (
	"fmt"
	"sync"

	"github.com/paytape/paytape/internal/count"
)

// RecordStats are what a Record has counted.
type RecordStats struct {
	// Recorded is how many exchanges are on tape, and Lost how many could not be put there.
	Recorded, Lost int64
}

// losses are the account of what could be put on a tape and what could not.
type losses struct {
	mu      sync.Mutex // guards the rest
	stats   RecordStats
	first   error  // nil as long as nothing was lost
	trouble string // what is wrong at the moment, by its words; empty if nothing is
}

// note enters how an exchange fared and reports whether that is another way than the one
// before it.
func (l *losses) note(err error) (changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.trouble
	if err == nil {
		l.stats.Recorded++
		l.trouble = ""
		return before != ""
	}
	l.stats.Lost++
	if l.first == nil {
		l.first = err
	}
	l.trouble = err.Error()
	return l.trouble != before
}

func (l *losses) count() RecordStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

func (l *losses) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == nil {
		return nil
	}
	return fmt.Errorf("recording: %s not on tape: %w", count.Of(l.stats.Lost, "exchange"),
		l.first)
}
