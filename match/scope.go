package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// identity is a text under which a variable of a noun is known. The empty noun stands for
// any: there a long value is found wherever it turns up.
type identity struct{ of, text string }

// sharedKey names a value that is shared by many threads, within one of them. Text without
// a noun is kept apart by the key it was sent under.
type sharedKey struct{ of, key, text string }

// scope is what one thread knows on its way through the compiler.
type scope struct {
	thread  *thread
	shared  map[sharedKey]*variable
	dates   moments
	given   map[string][]*variable // what the client sent, by text
	nouns   map[string][]*variable // by noun, in the order of their use
	urls    []*variable            // addresses that the client sent
	names   map[string][]*variable // of people, as the client sent them, in small letters
	waiting map[string][]*hole     // by noun: renderings shown before what they render
	passing map[string]*variable   // by text
	used    int                    // the number of the last exchange
	asked   map[uint64]bool        // the writes that carried no id of the thread's own
	opener  uint64                 // the one of them that opened the thread; 0 for none
}

func newScope(t *thread) *scope {
	return &scope{
		thread: t,
		shared: map[sharedKey]*variable{}, dates: moments{},
		given: map[string][]*variable{}, nouns: map[string][]*variable{},
		names: map[string][]*variable{}, passing: map[string]*variable{},
	}
}

// ask notes a write that carried no id of the thread's own.
func (s *scope) ask(question uint64) {
	if s.asked == nil {
		s.asked = map[uint64]bool{}
	}
	s.asked[question] = true
}

// use notes that a variable turned up in the thread, for the renderings that follow it and
// those that went before.
func (s *scope) use(v *variable) {
	if v.of == "" || v.user == s.thread || v.user != nil && slices.Contains(s.nouns[v.of], v) {
		return
	}
	v.user = s.thread
	s.nouns[v.of] = append(s.nouns[v.of], v)
	if len(s.waiting[v.of]) == 0 {
		return
	}
	s.waiting[v.of] = slices.DeleteFunc(s.waiting[v.of], func(h *hole) bool {
		if !h.writes(v.text, h.like) {
			return false
		}
		h.vars = []*variable{v}
		return true
	})
}

// wait notes a rendering of a noun that was shown before its value.
func (s *scope) wait(of string, h *hole) {
	if s.waiting == nil {
		s.waiting = map[string][]*hole{}
	}
	s.waiting[of] = append(s.waiting[of], h)
}

// give notes a value that the client sent.
func (s *scope) give(v *variable) {
	s.given[v.text] = append(s.given[v.text], v)
	if strings.Contains(v.text, "://") {
		s.urls = append(s.urls, v)
	}
	if v.secret == profile.Name {
		folded := strings.ToLower(v.text)
		s.names[folded] = append(s.names[folded], v)
	}
}

// asCard returns the field as the tape must be read: a card's surrogate in a place of which
// the profile knows nothing stands for a number that cannot be compared, and binds.
func asCard(f profile.Field, text string) profile.Field {
	if f.From == profile.Exact && surrogate(text) {
		return profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}
	}
	return f
}

// asSecret is asCard for requests, where the mark of another secret binds too.
func asSecret(f profile.Field, text string) profile.Field {
	if f.From == profile.Exact && strings.Contains(text, "REDACTED-") {
		return profile.Field{From: profile.Shared}
	}
	return asCard(f, text)
}

// surrogate reports whether text is a card number as cleaning leaves it.
func surrogate(text string) bool {
	digits := pan.Digits(text)
	if !pan.Issued(digits) || strings.Trim(text, "0123456789 -") != "" {
		return false
	}
	r := pan.Residue(digits)
	return r == pan.Surrogate || r == pan.Broken
}
