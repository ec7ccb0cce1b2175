package match_test

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/codec"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// underKeys gives exchanges idempotency keys in a header, a letter for each in their order; "-" is none. An answer
// that begins with a status has that.
func underKeys(header, keys string, xs []*leaf.Exchange) []*leaf.Exchange {
	for i, x := range xs {
		if code, rest, ok := strings.Cut(x.Response.Body, " "); ok {
			if n, err := strconv.Atoi(code); err == nil {
				x.Code, x.Response.Body = n, rest
			}
		}
		if i < len(keys) && keys[i] != '-' {
			with(x, map[string]string{header: keys[i : i+1]}, nil)
		}
	}
	return xs
}

// chargeUnder sends a charge under an idempotency key to a path, and returns the answer and its mark; of a miss the reason.
func (s *session) chargeUnder(path, header, key, amount string) (answer, mark string) {
	s.t.Helper()
	r := match.NewRequest(s.opts.Profiles, "POST", path, http.Header{header: {key}}, `{"amount":`+amount+`}`)
	a, miss := s.player.Serve(r)
	explained(s.t, a, miss)
	if miss != nil {
		return string(miss.Reason), ""
	}
	a.Delivered(true)
	return a.Body, a.Mark
}

const (
	chargeOne = `POST /api/charges {"amount":100}`
	chargeTwo = `POST /api/charges {"amount":250}`
)

// TestKeyThatComesAgain has tapes on which an idempotency key comes again, and on which none does.
func TestKeyThatComesAgain(t *testing.T) {
	t.Parallel()
	const (
		one, two = chargeOne, chargeTwo
		first    = "ch_7ApxDqRlUWMTAZZ4"
		second   = "ch_8hs72hgs82kq02"
		charged  = ` => {"id":"` + first + `","amount":100}`
		anew     = ` => {"id":"` + second + `","amount":100}`
		other    = ` => {"id":"ch_8hs72hgs82kq03","amount":250}`
		reused   = ` => 400 {"error":"key_reused"}`
		known    = ` => 409 {"error":"duplicate"}`
		busy     = ` => 409 {"error":"in_progress"}`
		declined = ` => 402 {"error":"poor"}`
		invalid  = ` => 422 {"error":"invalid"}`
		down     = ` => 503 {"error":"down"}`
		asked    = `GET /api/charges/` + first + charged
		askedNew = `GET /api/charges/` + second + anew
		custom   = ` => {"id":"` + first + `","customer":"cus_5hs72hgs82kq09","amount":100}`
		customer = ` => {"id":"ch_8hs72hgs82kq03","customer":"cus_5hs72hgs82kq09","amount":250}`
	)
	once := []string{one + charged, two + other}
	for _, test := range []struct {
		name, header string
		tape         []string
		keys         string // of the exchanges on tape
		plays        string // key and amount of each request
		want         string // see session.plays
	}{
		{"no key on tape", "Idempotency-Key", once, "", "a100 a100 b100 a100", "A A B A"},
		{"no key comes again", "Idempotency-Key", once, "kl", "a100 b100 a250 a100", "A B state A"},
		{"a write comes again", "Idempotency-Key", []string{one + charged, one + charged, two + other}, "kkl",
			"a100 a100 b100 a100 b100 c250 c100", "A A B A B C state"},
		{"another write is refused", "Idempotency-Key",
			[]string{one + charged, one + charged, two + reused, two + other}, "kkkl",
			"a100 a250 b250 b100 a100 b250", "A key_reused B key_reused A B"},
		{"a repeat is refused", "Idempotence-Key", []string{one + charged, one + known, two + other}, "kkl",
			"a100 a100 b250 b250 a100", "A duplicate B duplicate duplicate"},
		{"a repeat came too early", "Idempotency-Key", []string{one + charged, one + busy, one + charged, two + other},
			"kkkl", "a100 a100 b250 b250", "A A B B"},
		{"another write is answered as the first", "Paypal-Request-Id",
			[]string{one + charged, two + charged, two + other}, "kkl", "a100 a250 b250 b100", "A A B B"},
		{"keys tell nothing", "Idempotency-Key", []string{one + charged, one + anew, two + other, asked, askedNew}, "kkk",
			"a100 a100 a250", "A B C"},
		{"a repeat has the time of its answer", "Idempotency-Key", []string{
			one + ` => {"id":"` + first + `","at":"2026-03-31T10:00:01Z"}`, one + ` => {"id":"` + first + `","at":"2026-03-31T10:00:02Z"}`,
			asked}, "kk", "a100 a100 b100", "A A B"},
		{"a repeat has a request id of its own", "Idempotency-Key", []string{
			one + ` => {"id":"` + first + `","request_id":"req_8hs72hgs82kq01"}`,
			one + ` => {"id":"` + first + `","request_id":"req_8hs72hgs82kq02"}`, asked}, "kk", "a100 a100 b100", "A A B!"}, // the number of a request may be one thing's
		{"a repeat tells the state", "Idempotency-Key", []string{
			one + ` => {"id":"` + first + `","state":"pending"}`, one + ` => {"id":"` + first + `","state":"done"}`, asked},
			"kk", "a100 a100 b100 b100", "A A! B B!"},
		{"nobody asks for the second", "Idempotency-Key", []string{one + charged, one + anew, asked}, "kk",
			"a100 a100", "A B"},
		{"nothing tells", "Idempotency-Key", []string{one + ` => {"ok":true,"balance":900}`, one + ` => {"ok":true,"balance":800}`},
			"kk", "a100 a100", `{"ok":true,"balance":900} {"ok":true,"balance":900}!`},
		{"another write names the same customer", "Idempotency-Key", []string{one + custom, two + customer}, "kk",
			"a100 c250 d250", "A B C"},
		{"a decline is tried again", "Idempotency-Key", []string{one + declined, one + charged, two + other},
			"kkl", "a100 a100 a100", "poor A A"},
		{"what has failed is told again", "Idempotency-Key", []string{one + invalid, one + invalid, two + other},
			"kkl", "a100 a100 b250", "invalid invalid A"},
		{"a server was down", "Idempotency-Key", []string{one + invalid, two + down, two + other}, "klll",
			"a100 a100 b250", "invalid invalid A"},
		{"another write was declined", "Idempotency-Key", []string{one + charged, two + declined}, "kk", "a100 b250",
			"A poor"},
		{"what was missed", "Idempotency-Key", once, "kl", "a300 a100", "field A!"},
	} {
		xs := underKeys(test.header, test.keys, told(test.tape...))
		for _, s := range []*session{replay(t, xs), replayKept(t, xs)} {
			if got := s.plays("/api/charges", test.header, test.plays); got != test.want {
				t.Errorf("%s: %s gives %s, want %s", test.name, test.plays, got, test.want)
			}
		}
	}
}

// plays sends charges, and returns what came: the ids as letters, errors by their codes, misses by their
// reasons; "*" stands behind what is ambiguous, "!" behind another mark.
func (s *session) plays(path, header, plays string) string {
	s.t.Helper()
	ids := map[string]string{}
	var got []string
	for play := range strings.FieldsSeq(plays) {
		answer, mark := s.chargeUnder(path, header, play[:1], play[1:])
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

// TestKeysOfTwoCalls has a call that refuses another write under a key and one that takes no notice of keys, on two
// cassettes: what one does says nothing of the other.
func TestKeysOfTwoCalls(t *testing.T) {
	t.Parallel()
	refuses := underKeys("Idempotency-Key", "kkkl", told(
		chargeOne+` => {"id":"ch_8hs72hgs82kq01"}`, chargeOne+` => {"id":"ch_8hs72hgs82kq01"}`,
		chargeTwo+` => 400 {"error":"key_reused"}`, chargeTwo+` => {"id":"ch_8hs72hgs82kq02"}`))
	ignores := underKeys("Idempotency-Key", "kk", told(
		`POST /api/tokens {"amount":100} => {"id":"tok_8hs72hgs82kq01"}`,
		`POST /api/tokens {"amount":100} => {"id":"tok_8hs72hgs82kq02"}`,
		`GET /api/tokens/tok_8hs72hgs82kq01 => {"id":"tok_8hs72hgs82kq01"}`,
		`GET /api/tokens/tok_8hs72hgs82kq02 => {"id":"tok_8hs72hgs82kq02"}`))
	o := match.Options{Profiles: profiles(t), Seed: 3, Now: func() time.Time { return played }}
	a, b := match.Cassette{Name: "a", Exchanges: refuses}, match.Cassette{Name: "b", Exchanges: ignores}
	for _, cassettes := range [][]match.Cassette{{a, b}, {b, a}} {
		s := &session{t: t, player: match.NewPlayer(match.Compile(o, cassettes...)), opts: o, ids: map[string]string{}}
		if got := s.plays("/api/charges", "Idempotency-Key", "a100 a100 a250 b250"); got != "A A key_reused B" {
			t.Errorf("charges: %s", got)
		}
		if got := s.plays("/api/tokens", "Idempotency-Key", "a100 a100"); got != "A B" {
			t.Errorf("tokens: %s", got)
		}
	}
}

// TestKeysOfHosts has a call of one path at two hosts, of which one refuses another write under a key: the other host
// does not answer with that refusal.
func TestKeysOfHosts(t *testing.T) {
	t.Parallel()
	xs := underKeys("Idempotency-Key", "kkkl", told(
		chargeOne+` => {"id":"ch_8hs72hgs82kq01"}`, chargeTwo+` => 400 {"error":"key_reused_250"}`,
		`POST /api/charges {"amount":300} => 400 {"error":"key_reused_300"}`, chargeOne+` => {"id":"ch_8hs72hgs82kq02"}`))
	for i, x := range xs {
		x.Meta.Host = []string{"acquirer", "acquirer", "acquirer", "issuer"}[i]
	}
	s := replay(t, xs)
	send := func(host, key, amount string) string {
		r := match.NewRequest(s.opts.Profiles, "POST", "/api/charges", http.Header{"Idempotency-Key": {key}},
			`{"amount":`+amount+`}`)
		r.Host = host
		a, miss := s.player.Serve(r)
		if miss != nil {
			return string(miss.Reason)
		}
		return a.Body
	}
	for _, test := range []struct{ host, amount, want string }{
		{"acquirer", "100", `"id"`}, {"acquirer", "300", "key_reused_300"}, {"acquirer", "250", "key_reused_250"},
		{"issuer", "100", `"id"`}, {"issuer", "300", "state"},
	} {
		if got := send(test.host, "a", test.amount); !strings.Contains(got, test.want) {
			t.Errorf("%s at %s: %s, want %s", test.amount, test.host, got, test.want)
		}
	}
}

// TestKeyOfADescribedCall has another write under one key, at an API of which nobody says that it knows such keys.
func TestKeyOfADescribedCall(t *testing.T) {
	t.Parallel()
	s := replay(t, tape(registers("A-1")+registered(oldID), registers("A-2")+registered(oldID2)))
	send := func(number string) string {
		method, target, body := requestLine(registers(number))
		a, miss := s.player.Serve(match.NewRequest(s.opts.Profiles, method, target,
			http.Header{"Idempotency-Key": {"k"}, "Content-Type": {"application/x-www-form-urlencoded"}}, body))
		if miss != nil {
			t.Fatal(miss.Sentence)
		}
		a.Delivered(true)
		return a.Body
	}
	one, two := send("B-1"), send("B-2")
	if one == two || send("B-1") != one || send("B-2") != two {
		t.Errorf("%s and %s", one, two)
	}
}

// TestQuestionsUnderAKey has a client that sends the key of its order with questions, too: they are no writes.
func TestQuestionsUnderAKey(t *testing.T) {
	t.Parallel()
	const asks, id = `POST /api/orders/status {"id":"ord_8hs72hgs82kq01"}`, `{"id":"ord_8hs72hgs82kq01"`
	xs := underKeys("Idempotency-Key", "kkkk", told(
		`POST /api/orders {"amount":100} => `+id+`}`,
		asks+` => `+id+`,"state":"pending"}`, asks+` => `+id+`,"state":"pending"}`, asks+` => `+id+`,"state":"paid"}`))
	s := replay(t, xs)
	s.keep("id", s.hit(`POST /api/orders {"amount":100}`), `"id":"`)
	for i, want := range []string{"pending", "pending", "paid"} {
		r := match.NewRequest(s.opts.Profiles, "POST", "/api/orders/status", http.Header{"Idempotency-Key": {"a"}},
			`{"id":"`+s.ids["id"]+`"}`)
		a, miss := s.player.Serve(r)
		if miss != nil || a.Mark != "" || !strings.Contains(a.Body, want) {
			t.Errorf("question %d: %+v %+v, want %s", i, a, miss, want)
		}
	}
}

// TestRefusalNamesTheFirst has a refusal of a repeat that shows what the first write has made.
func TestRefusalNamesTheFirst(t *testing.T) {
	t.Parallel()
	s := replay(t, underKeys("Idempotency-Key", "kk", told(
		chargeOne+` => {"id":"ch_8hs72hgs82kq01"}`,
		chargeOne+` => 409 {"error":"duplicate","existing":"ch_8hs72hgs82kq01"}`,
		`GET /api/charges/ch_8hs72hgs82kq01 => {"id":"ch_8hs72hgs82kq01"}`,
	)))
	ids := map[string]string{}
	for _, key := range []string{"a", "b"} {
		body, _ := s.chargeUnder("/api/charges", "Idempotency-Key", key, "100")
		s.keep(key, body, `"id":"`)
		ids[key] = s.ids[key]
	}
	for _, key := range []string{"a", "b", "a"} {
		body, mark := s.chargeUnder("/api/charges", "Idempotency-Key", key, "100")
		if !strings.Contains(body, `"existing":"`+ids[key]+`"`) || mark != "" {
			t.Errorf("%s of %v, marked %q", body, ids, mark)
		}
	}
}

// TestLostUnderAKey has a capture of which nobody has read the answer, and that is sent again until somebody has: it
// was done once. Where the sandbox refuses to do it again, it was done the first time.
func TestLostUnderAKey(t *testing.T) {
	t.Parallel()
	const captures, id = `POST /api/orders/ord_8hs72hgs82kq01/capture {"amount":100}`, `{"id":"ord_8hs72hgs82kq01"`
	const captured = ` => ` + id + `,"state":"captured"}`
	const orders, asks = `POST /api/orders {"amount":100} => ` + id + `}`, `GET /api/orders/ord_8hs72hgs82kq01` + captured
	for _, test := range []struct {
		name, keys string
		tape       []string
		misses     bool
	}{
		{"lost once", "jkk", []string{orders, captures + ` => -`, captures + captured, asks}, false},
		{"lost twice", "jkkk", []string{orders, captures + ` => -`, captures + ` => -`, captures + captured, asks}, false},
		{"lost behind", "jkkk", []string{orders, captures + captured, captures + ` => -`, captures + captured, asks}, false},
		{"refused", "jkk", []string{orders, captures + ` => -`, captures + ` => 409 {"error":"duplicate"}`, asks}, true},
	} {
		xs := underKeys("Idempotency-Key", test.keys, told(test.tape...))
		for _, x := range xs {
			if x.Response.Body == "-" {
				x.Meta.Failure, x.Code, x.Response.Body = "the client has gone", 0, ""
			}
		}
		for _, s := range []*session{replay(t, xs), replayKept(t, xs)} {
			s.keep("id", s.hit(`POST /api/orders {"amount":100}`), `"id":"`)
			for _, line := range []string{`POST /api/orders/$id$/capture {"amount":100}`, `GET /api/orders/$id$`} {
				a, miss := s.serve(line)
				switch {
				case test.misses && miss != nil:
				case miss != nil || test.misses || a.Mark != "" || !strings.Contains(a.Body, "captured"):
					t.Errorf("%s: %s: %+v %+v", test.name, line, a, miss)
				}
			}
		}
	}
}

// TestKeyInTheBody has the idempotency key in the body, as some APIs want it: at its top.
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
	for name, body := range map[string]string{
		"XML": `<order><idempotency_key>KEY</idempotency_key><amount>100</amount></order>`, "JSON": `{"data":{"idempotency_key":"KEY","amount":100}}`,
	} {
		of := func(key string) string { return `POST /api/charges ` + strings.Replace(body, "KEY", key, 1) }
		s := replay(t, told(of("0b1f6a3e-7c1d-4c58-9a52-6d5f3f1f2a01")+` => {"id":"ch_8hs72hgs82kq01"}`,
			of("0b1f6a3e-7c1d-4c58-9a52-6d5f3f1f2a02")+` => {"id":"ch_8hs72hgs82kq02"}`))
		if first, second := s.hit(of(a)), s.hit(of(b)); s.hit(of(a)) != first || first == second {
			t.Errorf("%s: the key is not seen", name)
		}
	}
	batch := replay(t, told(
		`POST /api/batches {"items":[{"idempotency_key":"k-1","amount":1}]} => {"id":"ba_8hs72hgs82kq01"}`,
		`POST /api/batches {"items":[{"idempotency_key":"k-1","amount":1},{"idempotency_key":"k-2","amount":2}]}`+
			` => {"id":"ba_8hs72hgs82kq02"}`))
	batch.hit(`POST /api/batches {"items":[{"idempotency_key":"k-3","amount":1}]}`)
	batch.hit(`POST /api/batches {"items":[{"idempotency_key":"k-3","amount":1},{"idempotency_key":"k-4","amount":2}]}`)
}

// TestRepeatsBelongToTheFirst has a tape with a write that comes again: whoever plays the first has asked for both, and
// both are of one flow.
func TestRepeatsBelongToTheFirst(t *testing.T) {
	t.Parallel()
	xs := underKeys("Idempotency-Key", "kk", told(
		chargeOne+` => {"id":"ch_8hs72hgs82kq01"}`, chargeOne+` => {"id":"ch_8hs72hgs82kq01"}`,
		`GET /api/charges/ch_8hs72hgs82kq01 => {"id":"ch_8hs72hgs82kq01"}`))
	o, cassette := match.Options{Profiles: profiles(t)}, match.Cassette{Name: "t", Exchanges: xs}
	classes := map[uint64]int{}
	for _, class := range match.Compile(o, cassette).Recorded() {
		classes[class]++
	}
	if len(classes) != 2 {
		t.Errorf("the exchanges serve as %v", classes)
	}
	d := match.Describe(o, cassette)
	if len(d.Flows) != 1 || len(d.Apart) != 0 {
		t.Fatalf("%d flows, and apart %v", len(d.Flows), d.Apart)
	}
	var does []string
	for _, step := range d.Flows[0].Entities[0].Steps {
		does = append(does, step.Does)
	}
	if got := strings.Join(does, " "); got != "bears repeat read" {
		t.Errorf("the steps are %s", got)
	}
}

// TestKeyInAMessage has a refusal whose words quote the idempotency key: a client reads its own.
func TestKeyInAMessage(t *testing.T) {
	t.Parallel()
	const recorded, live = "0b1f6a3e-7c1d-4c58-9a52-6d5f3f1f2a01", "6c1d7c58-1111-4a52-8d5f-3f1f2a010001"
	xs := told(chargeOne+` => {"id":"ch_8hs72hgs82kq01"}`,
		chargeTwo+` => {"error":{"type":"idempotency_error","message":"Try a key other than '`+recorded+`'."}}`)
	for _, x := range xs {
		with(x, map[string]string{"Idempotency-Key": recorded}, nil)
	}
	xs[1].Code = 400
	s := replay(t, xs)
	s.chargeUnder("/api/charges", "Idempotency-Key", live, "100")
	body, mark := s.chargeUnder("/api/charges", "Idempotency-Key", live, "250")
	if !strings.Contains(body, "'"+live+"'") || mark != "" {
		t.Errorf("%s, marked %q", body, mark)
	}
}
