package infer

import (
	"strings"
	"sync/atomic"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// Reader takes exchanges apart for a survey. It needs nothing of the survey, so that goroutines of their
// own may run ahead of it. It is safe for concurrent use.
type Reader struct {
	set *profile.Set
	own atomic.Bool // some request had a parameter that may be the client's own
}

// NewReader returns a reader that has read nothing yet.
func NewReader(set *profile.Set) *Reader { return &Reader{set: set} }

// Reading is an exchange that was taken apart. It may be read into again when the survey has looked
// at it.
type Reading struct {
	x       *leaf.Exchange
	call    profile.Call
	asked   half
	answer  half
	looked  bool            // whether answer has tokens: most of the answers that the survey looks at have
	params  []request.Param // of the request, for each leaf of asked; zero for a header
	own     []request.Param // those that may be the client's
	called  string          // what the request calls, if its body says so
	numbers []number        // of cards that the sandbox has issued
}

// number is the number of a card, and the digest of what all masks of it have in common.
type number struct {
	digits string
	ends   uint64
}

// half is one direction of an exchange.
type half struct {
	message leaf.Message
	leaves  []leaf.Leaf // its leaves
	tokens  []digested
	ends    []int           // behind the tokens of each leaf
	found   []request.Token // in the leaf that is looked at
}

// digested is a token and the digest by which the survey knows it.
type digested struct {
	request.Token
	key uint64
}

// of returns the tokens of a leaf.
func (h *half) of(leaf int) []digested {
	from := 0
	if leaf > 0 {
		from = h.ends[leaf-1]
	}
	return h.tokens[from:h.ends[leaf]]
}

// mostRoom is for how many leaves room is kept: larger messages are rare.
const mostRoom = 1 << 10

// read takes a message apart.
func (h *half) read(m leaf.Message) *leaf.Message {
	if cap(h.leaves) > mostRoom {
		*h = half{}
	}
	h.message = *leaf.ReadInto(h.leaves, m)
	h.leaves = h.message.Leaves
	return &h.message
}

// digest notes the tokens of a message, those of headers only where it is an answer.
func (h *half) digest(m *leaf.Message, headers bool) {
	passages := m.Passages()
	h.tokens, h.ends = h.tokens[:0], h.ends[:0]
	for i := range h.leaves {
		if l := &h.leaves[i]; headers || l.Place != leaf.Header {
			h.found = AppendTokens(h.found[:0], l, passages)
			for _, tok := range h.found {
				h.tokens = append(h.tokens, digested{tok, request.Folded(tok.Text)})
			}
		}
		h.ends = append(h.ends, len(h.tokens))
	}
}

// Read takes an exchange of a cassette apart, which is no callback.
func (rd *Reader) Read(r *Reading, x *leaf.Exchange) {
	r.x, r.call = x, rd.set.Find(x.Method, request.PathOf(x.Target()))
	rd.request(r)
	r.numbers = r.numbers[:0]
	r.looked = r.call.Infers() || rd.own.Load()
	numbered := r.call.Operation != nil && holdsNumber(x.Response.Body)
	if r.looked {
		r.readAnswer()
	} else if numbered {
		r.answer.read(x.Answered())
	}
	if numbered {
		rd.cards(r)
	}
}

// readAnswer reads the answer with its tokens.
func (r *Reading) readAnswer() {
	r.answer.digest(r.answer.read(r.x.Answered()), true)
	r.looked = true
}

// request reads the request of an exchange.
func (rd *Reader) request(r *Reading) {
	q := r.x.Asked()
	q.Headless = true
	r.asked.digest(r.asked.read(q), false)
	r.params, r.own = r.params[:0], r.own[:0]
	call := &request.Request{Method: r.x.Method, Target: r.x.Target(), Call: r.call}
	for i := range r.asked.leaves {
		l := &r.asked.leaves[i]
		var p request.Param
		if l.Place != leaf.Header {
			p, _ = request.Parameter(rd.set, r.call, l)
		}
		r.params = append(r.params, p)
		if !p.Known && p.Field.From == profile.Exact && p.Place != leaf.Path && choosable(l) &&
			l.Place != leaf.Header {
			r.own = append(r.own, p)
		}
	}
	if len(r.own) > 0 {
		rd.own.Store(true)
	}
	call.Params = r.params
	r.called = Called(call)
}

// holdsNumber reports whether a text has a run of digits as long as a card number.
func holdsNumber(text string) bool {
	run := 0
	for i := range len(text) {
		if !request.IsDigit(text[i]) {
			run = 0
		} else if run++; run == pan.MinLength {
			return true
		}
	}
	return false
}

// cards notes the numbers of cards that the sandbox has issued.
func (rd *Reader) cards(r *Reading) {
	for i := range r.answer.leaves {
		l := &r.answer.leaves[i]
		if !request.IsDigits(l.Value) {
			continue // a number that is grouped or masked is not what a mask shows
		}
		f, _ := rd.set.Meaning(r.call, profile.Response, request.At(l))
		if f.From != profile.Minted || f.Secret != profile.PAN {
			continue
		}
		if ends, ok := pan.Ends(l.Value); ok {
			r.numbers = append(r.numbers, number{strings.Clone(pan.Digits(l.Value)), request.Digest(ends)})
		}
	}
}
