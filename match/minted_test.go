package match_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
)

// vault is an API that issues tokens of cards, and one of a session.
const vault = `
profile: vault
paths: [/vault/]
entities:
  token: {names: [token]}
  session: {names: [session]}
operations:
  POST /tokens:
    methods: [POST]
    path: /vault/tokens
    carrier: json
    writes: true
    request: {pan: "client shared card, pan"}
    response: {token: "minted token%s, token"}
  POST /charges:
    methods: [POST]
    path: /vault/charges
    carrier: json
    writes: true
    request: {token: "minted token, token", amount: exact}
    response: {receipt: minted receipt%s}
  POST /login:
    methods: [POST]
    path: /vault/login
    carrier: json
    writes: true
    request: {user: client shared login}
    response: {session: "minted session, token"}
  GET /me:
    methods: [GET]
    path: /vault/me
    carrier: none
    requestHeaders: {Authorization: "minted session, token"}
`

// replayVault plays a tape of the vault. The patterns, of tokens and of receipts, may be empty.
func replayVault(t *testing.T, token, receipt string, xs []*leaf.Exchange) *session {
	t.Helper()
	p, err := profile.Parse("vault.yaml", fmt.Appendf(nil, vault, token, receipt))
	if err != nil {
		t.Fatal(err)
	}
	set := ownProfiles(t)
	if err := set.Add(p); err != nil {
		t.Fatal(err)
	}
	o := match.Options{Profiles: set, Seed: 3, Now: func() time.Time { return played }}
	compiled := match.Derived(o, match.Cassette{Name: "t", Exchanges: xs})
	return &session{t: t, player: match.NewPlayer(compiled), opts: o, ids: map[string]string{}}
}

const (
	issues  = `POST /vault/tokens {"pan":"4000000000050002"} => {"token":"%s"}`
	charges = `POST /vault/charges {"token":"%s","amount":%d} => {"receipt":"%s"}`
	refuses = `POST /vault/charges {"token":"%s","amount":100} => {"error":"no such token"}`
)

// vaultTape is a token, a charge with it, and another token.
func vaultTape() []*leaf.Exchange {
	return tape(
		fmt.Sprintf(issues, "REDACTED-token-1"),
		fmt.Sprintf(charges, "REDACTED-token-1", 100, "R123456789"),
		fmt.Sprintf(issues, "REDACTED-token-2"),
		fmt.Sprintf(charges, "REDACTED-token-2", 100, "R975310246"),
	)
}

// refused makes failures of the exchanges that tell of an error.
func refused(xs []*leaf.Exchange) []*leaf.Exchange {
	for _, x := range xs {
		if strings.Contains(x.Response.Body, "error") {
			x.Code = http.StatusNotFound
		}
	}
	return xs
}

// issue has the vault issue a token and returns it.
func (s *session) issue() string {
	s.t.Helper()
	s.keep("token", s.hit(`POST /vault/tokens {"pan":"4000000000050002"}`), `"token":"`)
	return s.ids["token"]
}

func (s *session) charge(token string, amount int) string {
	return fmt.Sprintf(`POST /vault/charges {"token":"%s","amount":%d}`, token, amount)
}

// A token that the API issues is fresh for each client, and is that client's: it is never what stands
// on tape, and it is among what nothing may show.
func TestMintedTokens(t *testing.T) {
	s := replayVault(t, "", "", vaultTape())
	first, second := s.issue(), s.issue()
	if first == second || strings.Contains(first+second, "REDACTED") {
		t.Fatalf("the tokens are %q and %q", first, second)
	}
	a, miss := s.serve(s.charge(first, 100))
	if miss != nil || a.Mark != "" {
		t.Fatalf("a charge with a token of this run: %v", miss)
	}
	a.Delivered(true)
	if got := a.Trace.Secrets(); !slices.Equal(got, []string{first}) {
		t.Errorf("the secrets of the charge are %q, want its token", got)
	}
	s.hit(s.charge(second, 100))
	// The state is that of the token: a second charge is on no tape.
	if miss := s.miss(s.charge(first, 100)); miss.Reason != match.BadState {
		t.Errorf("a second charge: %s, want state", miss.Reason)
	}
}

// A token that the API never issued is answered as on tape where the tape has the refusal; else there is
// no answer.
func TestTokensThatNobodyIssued(t *testing.T) {
	s := replayVault(t, "", "", vaultTape())
	miss := s.miss(s.charge("made-up", 100))
	if miss.Reason != match.UnknownIDs {
		t.Errorf("a made-up token: %s, want unknown-id", miss.Reason)
	}

	withRefusal := refused(append(vaultTape(), tape(fmt.Sprintf(refuses, "REDACTED-token-3"),
		fmt.Sprintf(refuses, "REDACTED-token-4"))...))
	number(withRefusal)
	s = replayVault(t, "", "", withRefusal)
	for _, token := range []string{"made-up", "another", "REDACTED-token-1"} {
		a, miss := s.serve(s.charge(token, 100))
		if miss != nil || a.Code != http.StatusNotFound || a.Mark != "" {
			t.Errorf("%q was not refused as on tape", token)
		}
	}
	if a, _ := s.serve(s.charge(s.issue(), 100)); a == nil || a.Code != http.StatusOK {
		t.Error("a token of this run is refused")
	}
}

// A token that was there before the tape was taken may be what a client means by an unknown one: the
// answer says that nobody knows.
func TestTokensFromBeforeTheTape(t *testing.T) {
	xs := append(vaultTape(), tape(fmt.Sprintf(charges, "REDACTED-token-7", 100, "R555666777"))...)
	number(xs)
	s := replayVault(t, "", "", xs)
	if a, miss := s.serve(s.charge("kept-elsewhere", 100)); miss != nil || a.Mark != "assumed=secret" {
		t.Error("a token from before the tape is not answered as on tape, with a mark")
	}
	number(append(xs, refused(tape(fmt.Sprintf(refuses, "REDACTED-token-8")))...))
	s = replayVault(t, "", "", append(xs, refused(tape(fmt.Sprintf(refuses, "REDACTED-token-8")))...))
	if a, miss := s.serve(s.charge("kept-elsewhere", 100)); miss != nil || a.Code != http.StatusOK ||
		a.Mark != "ambiguous" {
		t.Error("one of two is meant, and the answer does not say so")
	}
}

// number numbers exchanges in their order.
func number(xs []*leaf.Exchange) {
	for i, x := range xs {
		x.Meta.Number, x.Meta.At = i+1, recorded.Add(time.Duration(i)*time.Minute)
	}
}

// Credentials in a header are a token behind a scheme.
func TestMintedCredentials(t *testing.T) {
	xs := tape(`POST /vault/login {"user":"u"} => {"session":"REDACTED-token-1"}`,
		`GET /vault/me => {"name":"u"}`, `GET /vault/me => {"error":"who are you"}`)
	xs[1].Request.Headers = http.Header{"Authorization": {"Bearer REDACTED-token-1"}}
	xs[2].Request.Headers = http.Header{"Authorization": {"Bearer REDACTED-token-2"}}
	xs[2].Code = http.StatusUnauthorized
	s := replayVault(t, "", "", xs)
	s.keep("session", s.hit(`POST /vault/login {"user":"u"}`), `"session":"`)
	for credentials, want := range map[string]int{
		"Bearer " + s.ids["session"]: http.StatusOK, "Bearer other": http.StatusUnauthorized,
	} {
		r := match.NewRequest(s.opts.Profiles, "GET", "/vault/me",
			http.Header{"Authorization": {credentials}}, "")
		if a, miss := s.player.Serve(r); miss != nil || a.Code != want {
			t.Errorf("the answer to %d is another", want)
		}
	}
}

// Fresh values look as a row says, and else as all values of the noun on tape do.
func TestPatternsOfMintedValues(t *testing.T) {
	for _, test := range []struct {
		name, token, receipt         string
		tokensLike, receiptsLike     string
		first, second, third, fourth string // receipts on tape
	}{
		{"rows", " like tok_[A-Z]{4}##", " like R-####", `^tok_[A-Z]{4}\d\d$`, `^R-\d{4}$`,
			"R123456789", "R975310246", "R111122223", "R999988887"},
		{"the tape", "", "", `^token-[0-9a-f]{32}$`, `^R\d{9}$`,
			"R123456789", "R975310246", "R111122223", "R999988887"},
		{"letters and digits by their place", "", "", `^token-`, `^[A-Z]{2}\d{4}-[0-9a-f]{12}$`,
			"QX1234-0a1b2c3d4e5f", "MN9876-99ffeedd0011", "ZT5555-00aa11bb22cc", "PU0101-1234567890ab"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := replayVault(t, test.token, test.receipt, tape(
				fmt.Sprintf(issues, "REDACTED-token-1"),
				fmt.Sprintf(charges, "REDACTED-token-1", 100, test.first),
				fmt.Sprintf(issues, "REDACTED-token-2"),
				fmt.Sprintf(charges, "REDACTED-token-2", 200, test.second),
				fmt.Sprintf(issues, "REDACTED-token-3"),
				fmt.Sprintf(charges, "REDACTED-token-3", 300, test.third),
				fmt.Sprintf(issues, "REDACTED-token-4"),
				fmt.Sprintf(charges, "REDACTED-token-4", 400, test.fourth),
			))
			seen := map[string]bool{test.first: true, test.second: true, test.third: true, test.fourth: true}
			for range 20 {
				token := s.issue()
				s.keep("receipt", s.hit(s.charge(token, 300)), `"receipt":"`)
				receipt := s.ids["receipt"]
				if !regexp.MustCompile(test.tokensLike).MatchString(token) {
					t.Errorf("a token is %q, want one like %s", token, test.tokensLike)
				}
				if !regexp.MustCompile(test.receiptsLike).MatchString(receipt) || seen[receipt] {
					t.Errorf("a receipt is %q, want a fresh one like %s", receipt, test.receiptsLike)
				}
				seen[receipt] = true
			}
		})
	}
}

// The sandbox makes the names of some scopes: a client cannot make one up.
func TestScopesThatTheSandboxMakes(t *testing.T) {
	p, err := profile.Parse("shop.yaml", []byte(`
profile: shop
paths: [/shop/]
entities:
  customer: {names: [customer], scope: true}
operations:
  POST /customers:
    methods: [POST]
    path: /shop/customers
    carrier: json
    writes: true
    response: {id: minted customer}
  GET /customers/{id}:
    methods: [GET]
    path: /shop/customers/{id}
    carrier: none
    request: {id: minted customer}
`))
	if err != nil {
		t.Fatal(err)
	}
	set := ownProfiles(t)
	if err := set.Add(p); err != nil {
		t.Fatal(err)
	}
	o := match.Options{Profiles: set, Seed: 3, Now: func() time.Time { return played }}
	xs := tape(`POST /shop/customers {} => {"id":"cus_83hf73hs82"}`,
		`GET /shop/customers/cus_83hf73hs82 => {"orders":0}`,
		`GET /shop/customers/cus_fixture => {"orders":7}`)
	s := &session{t: t, player: match.NewPlayer(match.Derived(o, match.Cassette{Name: "t", Exchanges: xs})),
		opts: o, ids: map[string]string{}}
	s.keep("id", s.hit(`POST /shop/customers {}`), `"id":"`)
	s.hit(`GET /shop/customers/$id$`)
	s.hit(`GET /shop/customers/cus_fixture`)
	if miss := s.miss(`GET /shop/customers/cus_nobody`); miss.Reason != match.UnknownIDs {
		t.Errorf("a customer whom nobody made: %s, want unknown-id", miss.Reason)
	}
}

// Two answers that differ in an ignored value alone are alike: nothing has changed between them.
func TestIgnoredInAnswers(t *testing.T) {
	for row, want := range map[string]string{"exact": "two", "ignored": "one"} {
		p, err := profile.Parse("shop.yaml", []byte(`
profile: shop
paths: [/shop/]
operations:
  GET /state:
    methods: [GET]
    path: /shop/state
    carrier: none
    response: {trace: `+row+`}
`))
		if err != nil {
			t.Fatal(err)
		}
		set := ownProfiles(t)
		if err := set.Add(p); err != nil {
			t.Fatal(err)
		}
		o := match.Options{Profiles: set, Seed: 3, Now: func() time.Time { return played }}
		xs := tape(`GET /shop/state => {"trace":"one"}`, `GET /shop/state => {"trace":"two"}`)
		s := &session{t: t, player: match.NewPlayer(match.Derived(o, match.Cassette{Name: "t", Exchanges: xs})),
			opts: o, ids: map[string]string{}}
		s.hit(`GET /shop/state`)
		if got := s.hit(`GET /shop/state`); !strings.Contains(got, want) {
			t.Errorf("with a row %q the second answer is %s, want %s", row, got, want)
		}
	}
}
