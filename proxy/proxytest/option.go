package proxytest

import "github.com/paytape/paytape/proxy/deck"

// Option changes what Replay does.
type Option func(*settings)

// settings are what options change.
type settings struct {
	dir         string
	cassettes   []string
	upstreams   []string
	knowledge   *deck.Knowledge // nil for the built-in profiles
	play        deck.Play
	callbacks   deck.Callbacks
	allowMisses bool
	stable      bool
	store       string // URL; empty for none
}

// DefaultDir is the folder of cassettes without Dir: go test runs in the folder of the package.
const DefaultDir = "testdata/paytape"

// Dir names the folder of the cassettes, in place of testdata/paytape.
func Dir(folder string) Option { return func(s *settings) { s.dir = folder } }

// Also names more cassettes that belong to the tape. They are for replay: a test that records,
// records all on the cassette that Replay names.
func Also(cassettes ...string) Option {
	return func(s *settings) { s.cassettes = append(s.cassettes, cassettes...) }
}

// Store names the store of tapes, such as oci://registry.example/shop/tapes, in which cassettes are that
// paytape.lock names and the folder lacks: they are pulled before the first test replays them. It
// beats the environment variable PAYTAPE_STORE. See package store, and "paytape help store".
func Store(url string) Option { return func(s *settings) { s.store = url } }

// Upstream says where to record from: a URL, PROFILE=URL for the paths of one API, or
// deck.Builtin, "sandbox", for the built-in sandbox. Replay has no use for it.
func Upstream(urls ...string) Option {
	return func(s *settings) { s.upstreams = append(s.upstreams, urls...) }
}

// Stable has what is recorded be a stable tape: its text depends on what was said and not on when, so that
// it is the same when the tests record it again (deck.Options). Replay has no use for it.
func Stable() Option { return func(s *settings) { s.stable = true } }

// Knowledge says what is known of the APIs: deck.NewKnowledge reads profiles of one's own. Tests
// that share a Knowledge share tapes.
func Knowledge(k *deck.Knowledge) Option { return func(s *settings) { s.knowledge = k } }

// Play says how the tape is played: with ids that a seed makes repeatable, at another time, with
// credentials that are bad. Tests that play a tape in one way share it, unless Play has a clock
// or credentials.
func Play(p deck.Play) Option { return func(s *settings) { s.play = p } }

// AllowMisses is for tests of what a client does when it gets no answer: a miss is logged, and
// does not fail the test.
func AllowMisses() Option { return func(s *settings) { s.allowMisses = true } }
