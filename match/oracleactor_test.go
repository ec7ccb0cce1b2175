package match_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// oracleActor is a client that plays a test: once while recording, and in a variation under
// another name, or several times.
type oracleActor struct {
	name string // "a" on the first tape, "A" live
	// session is the one that it plays in; a session is a world of its own.
	session string
	// shares says that what it keeps is there for all actors of its session: it prepares a
	// fixture, and its names begin with "fix.".
	shares bool
	// rigid and whole say that its steps are not to be changed, live or on tape; see oracleTest.
	rigid, whole bool
	wire         string // how its forms travel; see oracleWires
	// cast is what its client chooses: texts by name, "card:a" the letter of a card in
	// oracleCards, "amt:a" an amount.
	cast map[string]string
}

// as returns a copy with another name.
func (a *oracleActor) as(name string) *oracleActor {
	other := *a
	other.name, other.cast = name, maps.Clone(a.cast)
	return &other
}

// oracleTurn is a step and who takes it.
type oracleTurn struct {
	by   *oracleActor
	step oracleStep
}

// oracleCards are cards that clients bring, by letter: published test numbers in two parts, so
// that a search for card numbers passes by.
var oracleCards = map[string]string{
	// These pay.
	"V": "400000" + "1111111118", "M": "555555" + "5555555599", "W": "411111" + "1111111111",
	"U": "401200" + "1038166662", "Y": "510510" + "5105105100", "T": "424242" + "4242424242",
	// These are declined.
	"X": "400000" + "0000009995", "L": "400000" + "0000009987", "E": "400000" + "0000000069",
	"R": "400000" + "0000000002", "B": "400000" + "0000000127",
	// Nobody knows these: a number that no issuer has, and one of nineteen digits.
	"N": "400000" + "2222222224", "N19": "400000" + "0000000000006",
	// These ask for 3-D Secure: version 1, a challenge, one that ends in a decline, frictionless,
	// frictionless for a stranger, a soft decline, an ACS that does not answer.
	"S": "421234" + "5678901237", "C": "400000" + "0000001091", "CD": "400000" + "8400001629",
	"F": "400000" + "0000001000", "FS": "400000" + "0000001018", "D": "400000" + "2760003184",
	"A": "400000" + "0000001075",
}

// oracleStage is what all sides of a playing see alike: the time, and what day it was when the
// client began.
type oracleStage struct {
	now  time.Time
	day  time.Time // from which clients count days
	tick time.Duration
}

func (s *oracleStage) Now() time.Time { return s.now }

// oracleValues are the values that one side's answers brought, by actor and name.
type oracleValues map[string]string

// key returns where a value of an actor lies.
func (v oracleValues) key(by *oracleActor, name string) string {
	if by.shares || strings.HasPrefix(name, "fix.") {
		return by.session + "/fix/" + strings.TrimPrefix(name, "fix.")
	}
	return by.name + "/" + name
}

// word returns what a name stands for.
func (s *oracleStage) word(v oracleValues, by *oracleActor, name string) (string, bool) {
	if text, ok := v[v.key(by, name)]; ok {
		return text, true
	}
	if strings.HasPrefix(name, "card:") {
		number, ok := oracleCards[by.cast[name]]
		return number, ok
	}
	if text, ok := by.cast[name]; ok {
		return text, true
	}
	kind, n, _ := strings.Cut(name, ":")
	if spell := oracleSpellings[kind]; spell != nil {
		text, ok := v[v.key(by, n)]
		return spell(text), ok
	}
	count, err := strconv.Atoi(n)
	if err != nil {
		return "", false
	}
	first := s.day.AddDate(0, 0, 1-s.day.Day())
	switch kind {
	case "day":
		return s.day.AddDate(0, 0, count).Format("2006-01-02"), true
	case "stamp":
		return s.day.AddDate(0, 0, count).Format("20060102150405"), true
	case "compact":
		return s.day.AddDate(0, 0, count).Format("20060102"), true
	case "month":
		return first.AddDate(0, count, 0).Format("200601"), true
	case "year":
		return first.AddDate(count, 0, 0).Format("2006"), true
	}
	return "", false
}

// oracleSpellings are other ways to write a value: "${upper:a}".
var oracleSpellings = map[string]func(string) string{
	"upper":  strings.ToUpper,
	"bare":   func(id string) string { return strings.ReplaceAll(id, "-", "") },
	"blanks": func(id string) string { return " " + id + " " },
	"behind": func(id string) string { return "x" + id },
	"mask":   func(number string) string { return number[:6] + "******" + number[12:] },
	"groups": func(number string) string {
		return strings.TrimSpace(regexp.MustCompile(`....`).ReplaceAllString(number, "$0 "))
	},
	"below": func(address string) string { // the path of the REST mock's that an address leads to
		_, path, _ := strings.Cut(address, acmePath)
		return path
	},
}

// request fills a step in with the values of one side; false if one is not known there.
func (s *oracleStage) request(v oracleValues, turn oracleTurn) (oracleRequest, bool) {
	for _, name := range turn.step.uses() {
		if _, ok := s.word(v, turn.by, name); !ok {
			return oracleRequest{}, false
		}
	}
	r := turn.step.request(func(name string) string {
		text, _ := s.word(v, turn.by, name)
		return text
	})
	if rewire := oracleWires[turn.by.wire]; rewire != nil && turn.step.isForm() {
		rewire(&r)
	}
	return r, true
}

// oracleWires are forms of one call that real clients of the gateway send beside a posted form.
var oracleWires = map[string]func(*oracleRequest){
	"got": func(r *oracleRequest) {
		r.method, r.target, r.body = "GET", r.target+"?"+r.body, ""
		r.header.Del("Content-Type")
	},
	"in the query": func(r *oracleRequest) {
		r.target, r.body = r.target+"?"+strings.ReplaceAll(r.body, "$", "%24"), ""
	},
	"beside an empty object": func(r *oracleRequest) {
		r.target, r.body = r.target+"?"+r.body, "{}"
		r.header.Set("Content-Type", "application/json")
	},
	"reversed": func(r *oracleRequest) {
		pairs := strings.Split(r.body, "&")
		slices.Reverse(pairs)
		r.body = strings.ReplaceAll(strings.Join(pairs, "&"), "+", "%20")
	},
}

// keep notes what a step keeps of an answer.
func (v oracleValues) keep(turn oracleTurn, found map[string]string) {
	for name, text := range found {
		v[v.key(turn.by, name)] = text
	}
}

// kept returns the values that a step keeps of an answer, as far as they are there.
func (s oracleStep) kept(a *oracleAnswer) map[string]string {
	found := map[string]string{}
	for pair := range strings.FieldsSeq(s.keep) {
		name, path, _ := strings.Cut(pair, "=")
		if text := a.value(path); text != "" {
			found[name] = text
		}
	}
	return found
}
