package match_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/codec"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// keyed gives exchanges idempotency keys in a header, in their order; "" is none.
func keyed(header string, keys []string, xs []*leaf.Exchange) []*leaf.Exchange {
	for i, key := range keys {
		if key != "" {
			with(xs[i], map[string]string{header: key}, nil)
		}
	}
	return xs
}

// underKey sends a charge with an idempotency key, and returns the answer; of a miss the reason.
func (s *session) underKey(header, key, amount string) (answer, mark string) {
	s.t.Helper()
	r := match.NewRequest(s.opts.Profiles, "POST", "/api/charges", http.Header{header: {key}}, `{"amount":`+amount+`}`)
	a, miss := s.player.Serve(r)
	explained(s.t, a, miss)
	if miss != nil {
		return string(miss.Reason), ""
	}
	a.Delivered(true)
	return a.Body, a.Mark
}

// TestKeyThatComesAgain has tapes on which an idempotency key comes again, and on which none does. Letters stand for
// the ids that come in replay.
func TestKeyThatComesAgain(t *testing.T) {
	t.Parallel()
	const (
		one, two = `POST /api/charges {"amount":100}`, `POST /api/charges {"amount":250}`
		charged  = ` => {"id":"ch_7ApxDqRlUWMTAZZ4","amount":100}`
		anew     = ` => {"id":"ch_8hs72hgs82kq02","amount":100}`
		reused   = ` => {"error":"key_reused"}`
		known    = ` => {"error":"duplicate"}`
		declined = ` => {"error":"try_again"}`
		other    = ` => {"id":"ch_8hs72hgs82kq03","amount":250}`
	)
	once := []string{one + charged, two + other}
	for _, test := range []struct {
		name, header string
		tape         []string
		keys         string // of the exchanges on tape
		plays        string // key and amount of each request
		want         string
	}{
		{"no key on tape", "Idempotency-Key", once, "", "a100 a100 b100 a100", "A A B A"},
		{"no key comes again", "Idempotency-Key", once, "kl", "a100 b100 a250 a100", "A B state A"},
		{"a write comes again", "Idempotency-Key", []string{one + charged, one + charged, two + other}, "kkl",
			"a100 b100 a100 b100 c250 c100", "A B A B C state"},
		{"another write is refused", "Idempotency-Key",
			[]string{one + charged, one + charged, two + reused, two + other}, "kkkl",
			"a100 a250 b250 b100 a100 b250", "A key_reused B key_reused A B"},
		{"a repeat is refused", "Idempotence-Key", []string{one + charged, one + known, two + other}, "kkl",
			"a100 a100 b250 b250 a100", "A duplicate B duplicate duplicate"},
		{"another write is answered as the first", "Paypal-Request-Id",
			[]string{one + charged, two + charged, two + other}, "kkl", "a100 a250 b250 b100", "A A B B"},
		{"keys tell nothing", "Idempotency-Key", []string{one + charged, one + anew, two + other}, "kkk",
			"a100 a100 a250", "A B C"},
		{"what has failed is tried again", "Idempotency-Key", []string{one + declined, one + charged, two + other},
			"kkl", "a100 a100 a100", "try_again* A* A*"},
		{"what has failed is told again", "Idempotency-Key", []string{one + declined, one + declined, two + other},
			"kkl", "a100 a100 b250", "try_again try_again A"},
		{"what was missed", "Idempotency-Key", once, "kl", "a300 a100", "field A!"},
	} {
		xs := keyed(test.header, strings.Split(test.keys, ""), told(test.tape...))
		for _, s := range []*session{replay(t, xs), replayKept(t, xs)} {
			if got := s.playUnderKeys(test.header, test.plays); got != test.want {
				t.Errorf("%s: %s gives %s, want %s", test.name, test.plays, got, test.want)
			}
		}
	}
}

// playUnderKeys sends charges, and returns what came: the ids as letters, errors by their codes, misses by their
// reasons; "*" stands behind what is ambiguous, "!" behind another mark.
func (s *session) playUnderKeys(header, plays string) string {
	s.t.Helper()
	ids := map[string]string{}
	var got []string
	for play := range strings.FieldsSeq(plays) {
		answer, mark := s.underKey(header, play[:1], play[1:])
		if _, rest, ok := strings.Cut(answer, `"id":"`); ok {
			id, _, _ := strings.Cut(rest, `"`)
			if ids[id] == "" {
				ids[id] = string(rune('A' + len(ids)))
			}
			answer = ids[id]
		} else if _, rest, ok := strings.Cut(answer, `"error":"`); ok {
			answer, _, _ = strings.Cut(rest, `"`)
		}
		switch mark {
		case "":
		case "ambiguous":
			answer += "*"
		default:
			answer += "!"
		}
		got = append(got, answer)
	}
	return strings.Join(got, " ")
}

// replayKept is replay with a tape that was written and read again.
func replayKept(t *testing.T, xs []*leaf.Exchange) *session {
	t.Helper()
	o := match.Options{Profiles: profiles(t), Seed: 3, Now: func() time.Time { return played }}
	var file bytes.Buffer
	if err := match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}).Write(&file, codec.Key{}); err != nil {
		t.Fatal(err)
	}
	kept, err := match.Read(o, bytes.NewReader(file.Bytes()), int64(file.Len()), codec.Key{})
	if err != nil {
		t.Fatal(err)
	}
	return &session{t: t, player: match.NewPlayer(kept), opts: o, ids: map[string]string{}}
}

// TestKeyInTheBody has the idempotency key in the body, as some APIs want it.
func TestKeyInTheBody(t *testing.T) {
	t.Parallel()
	const charges = `POST /api/charges {"idempotency_key":"KEY","amount":100}`
	of := func(key string) string { return strings.Replace(charges, "KEY", key, 1) }
	s := replay(t, told(
		of("0b1f6a3e-7c1d-4c58-9a52-6d5f3f1f2a01")+` => {"id":"ch_8hs72hgs82kq01"}`,
		of("0b1f6a3e-7c1d-4c58-9a52-6d5f3f1f2a02")+` => {"id":"ch_8hs72hgs82kq02"}`,
	))
	const a, b = "6c1d7c58-1111-4a52-8d5f-3f1f2a010001", "6c1d7c58-2222-4a52-8d5f-3f1f2a010002"
	first, second := s.hit(of(a)), s.hit(of(b))
	if again := s.hit(of(a)); again != first || first == second {
		t.Errorf("%s and %s, and then %s", first, second, again)
	}
}

// TestRepeatsAreAskedFor has a tape with a write that comes again: whoever plays it all has asked for all.
func TestRepeatsAreAskedFor(t *testing.T) {
	t.Parallel()
	xs := keyed("Idempotency-Key", []string{"k", "k"}, told(
		`POST /api/charges {"amount":100} => {"id":"ch_8hs72hgs82kq01","amount":100}`,
		`POST /api/charges {"amount":100} => {"id":"ch_8hs72hgs82kq01","amount":100}`,
	))
	compiled := match.Compile(match.Options{Profiles: profiles(t)}, match.Cassette{Name: "t", Exchanges: xs})
	classes := map[uint64]int{}
	for _, class := range compiled.Recorded() {
		classes[class]++
	}
	if len(classes) != 1 {
		t.Errorf("the exchanges serve as %v", classes)
	}
}
