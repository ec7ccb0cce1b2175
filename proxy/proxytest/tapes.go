package proxytest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/paytape/paytape/cassettes/store"
	"github.com/paytape/paytape/proxy/deck"
)

// tapes are those of this test binary. Tests have nothing else in common that could hold them, and
// what is in them never changes.
var tapes tapeCache

// tapeCache holds compiled tapes. It is safe for concurrent use; its zero value is empty.
type tapeCache struct {
	mu   sync.Mutex // guards held
	held map[tapeKey]*heldTape
}

// tapeKey says which tape it is.
type tapeKey struct {
	dir, cassettes string
	store          string
	knowledge      *deck.Knowledge
	play           string
}

// heldTape is a tape that is loaded by whoever asks for it first. What went wrong is not held: the next
// test may have another store, or find it well again.
type heldTape struct {
	mu   sync.Mutex // guards the rest
	tape *deck.Tape // nil until it is loaded
	told []deck.Notice
}

// load returns a tape, and what there is to know of it. The context ends the wait for a store.
func (c *tapeCache) load(ctx context.Context, s settings) (*deck.Tape, []deck.Notice, error) {
	h := c.hold(s)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tape != nil {
		return h.tape, h.told, nil
	}
	h.told = nil
	err := h.require(ctx, s)
	if err == nil {
		h.tape, err = deck.Load(deck.Options{
			Cassettes: s.cassettes, Dir: s.dir, Knowledge: s.knowledge, Play: s.play,
			Tell: func(n deck.Notice) { h.told = append(h.told, n) },
		})
	}
	return h.tape, h.told, err
}

// require brings what the lock of the folder names and the folder lacks.
func (h *heldTape) require(ctx context.Context, s settings) error {
	location, offline := s.store, false
	if location == "" {
		location = os.Getenv(StoreVariable)
	}
	if text := os.Getenv(OfflineVariable); text != "" {
		var err error
		if offline, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("%s: expected true or false", OfflineVariable)
		}
	}
	return store.Require(ctx, s.cassettes, store.Options{
		Dir: s.dir, URL: location, Offline: offline, Lookup: os.LookupEnv,
		Warn: func(err error) {
			h.told = append(h.told, deck.Notice{Warning: true, Text: err.Error()})
		},
		Tell: func(d store.Done) {
			switch d.What {
			case store.Kept:
				h.told = append(h.told, deck.Notice{Warning: true, Text: fmt.Sprintf("cassette %q is another "+
					"than that of paytape.lock, and is played as it is", d.Tape.Name)})
			case store.Pulled:
				h.told = append(h.told, deck.Notice{Text: fmt.Sprintf("pulled cassette %q", d.Tape.Name)})
			}
		},
	})
}

// hold returns the place of a tape: one that others share or, if it is played in a way that
// cannot be compared, one of its own.
func (c *tapeCache) hold(s settings) *heldTape {
	play, ok := playKey(s.play)
	if !ok {
		return &heldTape{}
	}
	key := tapeKey{absolute(s.dir), strings.Join(s.cassettes, "\n"), s.store, s.knowledge, play}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		c.held = map[tapeKey]*heldTape{}
	}
	h := c.held[key]
	if h == nil {
		h = &heldTape{}
		c.held[key] = h
	}
	return h
}

// absolute returns the folder that a name means now: a test may change its working directory.
func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// playKey writes a way to play as a text that is equal for equal ways. There is none for a way with
// a clock or with credentials.
func playKey(p deck.Play) (text string, ok bool) {
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Comparable():
			text += fmt.Sprintf("%v,", f.Interface())
		case !f.IsNil():
			return "", false
		}
	}
	return text, true
}
