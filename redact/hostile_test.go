package redact_test

import (
	_ "embed"
	"encoding/base32"
	"encoding/csv"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/redact/audit"
)

// attack is an exchange with secrets in it, as somebody might send it who wants them on tape.
type attack struct {
	name    string
	x       *leaf.Exchange
	secrets []string // none of which may be left
	kept    []string // all of which must be left
}

// named draw secrets under names.
var named = []func(draw) attack{draw.namedSecret, draw.cardObject}

// attacks draw an attack each.
var attacks = []func(draw) attack{
	draw.namedSecret, draw.cardObject, draw.segment, draw.person, draw.longNumber, draw.split,
	draw.keyed, draw.unlabelled,
}

// nameRow is a row of the table of names.
type nameRow struct{ word, kind, where string }

//go:embed internal/words/names.csv
var namesTable string

// nameRows are the names of CVCs, PINs and card numbers, with where they count.
var nameRows = func() []nameRow {
	r := csv.NewReader(strings.NewReader(namesTable))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic(err)
	}
	var list []nameRow
	for _, row := range rows[1:] {
		if slices.Contains([]string{"pan", "cvc", "pin"}, row[1]) {
			list = append(list, nameRow{row[0], row[1], row[2]})
		}
	}
	return list
}()

// carriers write keys and values into an exchange: pairs are key, value, key, value.
var carriers = []struct {
	name string
	put  func(x *leaf.Exchange, pairs []string)
}{
	{"form", func(x *leaf.Exchange, p []string) { formed(x, formOfPairs(p)) }},
	{"query", func(x *leaf.Exchange, p []string) { x.URL += "?" + formOfPairs(p) }},
	{"JSON", func(x *leaf.Exchange, p []string) { x.Response.Body = objectOf(p) }},
	{"JSON in a list", func(x *leaf.Exchange, p []string) {
		x.Response.Body = `{"a":[{"id":7},` + objectOf(p) + `]}`
	}},
	{"JSON in a form", func(x *leaf.Exchange, p []string) {
		formed(x, "jsonParams="+url.QueryEscape(objectOf(p)))
	}},
	{"JSON in base64", func(x *leaf.Exchange, p []string) {
		formed(x, "creq="+urlPacked(objectOf(p)))
	}},
	{"XML", func(x *leaf.Exchange, p []string) {
		x.Response.Body = "<r><p>" + elementsOf(p) + "</p></r>"
	}},
}

func formOfPairs(pairs []string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, url.QueryEscape(pairs[i])+"="+url.QueryEscape(pairs[i+1]))
	}
	return strings.Join(list, "&")
}

func objectOf(pairs []string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, jsonOf(pairs[i])+":"+jsonOf(pairs[i+1]))
	}
	return "{" + strings.Join(list, ",") + "}"
}

func elementsOf(pairs []string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		name := strings.ReplaceAll(pairs[i], " ", "_")
		fmt.Fprintf(&b, "<%s>%s</%s>", name, pairs[i+1], name)
	}
	return b.String()
}

// failing returns a number with the length of a card that passes no Luhn sum.
func (d draw) failing() string {
	return pan.WithResidue(d.card(), pan.KeptFirst, 1+d.IntN(4)*2%5)
}

// secretOf returns a value of a kind that no other value of the exchange holds.
func (d draw) secretOf(kind string) string {
	switch kind {
	case "pan":
		return d.failing()
	case "pin":
		return fmt.Sprintf("%d%05d", 9, d.IntN(1e5))
	}
	return fmt.Sprintf("%d%03d", 9, d.IntN(1000))
}

// carried is the attack with the pairs in an exchange, in one of the carriers.
func (d draw) carried(name string, pairs []string) attack {
	x := exchange("POST", "https://h/unknown", http.Header{}, "")
	c := carriers[d.IntN(len(carriers))]
	c.put(x, pairs)
	return attack{name: name + " in " + c.name, x: x, kept: []string{"kept-7"}}
}

// namedSecret has a secret under a name that tells it anywhere.
func (d draw) namedSecret() attack {
	for {
		row := nameRows[d.IntN(len(nameRows))]
		if row.where != "any" && row.where != "shape" {
			continue
		}
		secret := d.secretOf(row.kind)
		a := d.carried(row.word, []string{"a", "kept-7", row.word, secret, "b", "1"})
		a.secrets = []string{secret}
		return a
	}
}

// cardObject has secrets under names that tell them beside a card alone.
func (d draw) cardObject() attack {
	var rows []nameRow
	for _, row := range nameRows {
		if row.where == "number" || row.where == "card" {
			rows = append(rows, row)
		}
	}
	row := rows[d.IntN(len(rows))]
	secret := d.secretOf(row.kind)
	number := d.failing()
	expiry := []string{d.one("expiry", "exp_date", "expirationDate", "validThru"), "12/30"}
	pairs := []string{"a", "kept-7", row.word, secret}
	secrets := []string{secret}
	switch {
	case row.kind == "pan":
		pairs = append(pairs, d.one("holder", "cardholderName"), "A B")
	case row.where == "card" || d.IntN(2) == 0:
		pairs = append(pairs, expiry...)
		fallthrough
	default:
		pairs = append(pairs, d.one("cardNumber", "pan", "cc_number"), number)
		secrets = append(secrets, number)
	}
	a := d.carried(row.word+" beside a card", pairs)
	a.secrets = secrets
	return a
}

// segment has a CVC or a PIN as a segment of a path: of the request, or of an address in a message.
func (d draw) segment() attack {
	name := d.one("cvc", "cvv2", "CVV", "pin", "card-pin", "newPin", "card_cvc", "security-code")
	secret := fmt.Sprintf("9%03d", d.IntN(1000))
	path := d.one("/cards/55/", "/", "/kept-7/x/") + name + "/" + secret + d.one("", "/", "/check", "?a=1")
	x := exchange("POST", "https://h/unknown", http.Header{}, "")
	places := map[string]func(){
		"the target":   func() { x.URL = "https://h" + path },
		"an escape":    func() { x.URL = "https://h" + strings.Replace(path, secret, percentAll(secret), 1) },
		"a text":       func() { x.Response.Body = "POST " + path + " 200" },
		"JSON":         func() { x.Response.Body = jsonOf(map[string]string{"next": path}) },
		"a header":     func() { x.Response.Headers.Set("Location", "https://h"+path) },
		"escaped JSON": func() { x.Response.Body = `{"next":"` + strings.ReplaceAll(path, "/", `\/`) + `"}` },
	}
	where := slices.Sorted(maps.Keys(places))[d.IntN(len(places))]
	places[where]()
	return attack{name: "segment behind " + name + " in " + where, x: x, secrets: []string{secret},
		kept: []string{"kept-7"}}
}

// person has personal data in a document inside a field of a gateway's request, under keys that other
// operations have, and the same in the answer.
func (d draw) person() attack {
	digits, word := fmt.Sprintf("7916%07d", d.IntN(1e7)), "Qw"+strings.ToLower(d.letters(8))
	data := []string{"a", "kept-7", "phone", "+" + digits, "mobilePhone", "1" + digits, "email", word + "@m.ru",
		"cardholderName", word + " Zu", "billingAddressLine1", "Lane " + digits[4:]}
	doc := objectOf(data)
	for range d.IntN(3) {
		doc = d.one(`{"customer":`+doc+`}`, `{"list":[{"n":1},`+doc+`]}`, objectOf([]string{"inner", doc}))
	}
	operation := d.one("register.do", "registerP2P.do", "getOrderStatusExtended.do", "reverse.do",
		"paymentOrderBinding.do", "recurrentPayment.do")
	x := exchange("POST", "https://gw.example/payment/rest/"+operation, http.Header{}, "")
	formed(x, "amount=100&"+d.one("jsonParams", "orderBundle", "additionalOfferParams")+"="+
		url.QueryEscape(doc))
	x.Response.Body = `{"orderStatus":2,"params":[{"name":"phone","value":"+` + digits + `"}]}`
	return attack{name: "a person in " + operation, x: x, kept: []string{"kept-7"},
		secrets: []string{digits, word, digits[4:]}}
}

// longNumber has a card number of 17 to 19 digits, in groups: nothing that a reader of fewer groups sees
// may be left.
func (d draw) longNumber() attack {
	prefix := d.one("411111", "622126", "630400", "670000", "360000", "352800", "220138", "650000", "441111")
	length := 17 + d.IntN(3)
	if prefix[0] == '4' {
		length = 19
	}
	digits := prefix + fmt.Sprintf("%013d", d.Int64N(1e13))[:length-len(prefix)]
	digits = pan.WithResidue(digits, 7, 3*d.IntN(2))
	size := 4 + d.IntN(3)
	text := ""
	for i, c := range digits {
		if i > 0 && i%size == 0 {
			text += " "
		}
		text += string(c)
	}
	a := d.carried("a long number", []string{"a", "kept-7", "pan", digits, "note", text})
	a.secrets = []string{digits, text}
	return a
}

// split has a card number in pieces, or in digits that are none of ASCII.
func (d draw) split() attack {
	digits := d.card()
	var groups []string
	for g := range slices.Chunk([]byte(digits), 4) {
		groups = append(groups, string(g))
	}
	x := exchange("POST", "https://h/unknown", http.Header{}, "")
	circled := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '0' {
				return 0x24ea
			}
			return 0x2460 + r - '1'
		}, s)
	}
	answer := func(body string) func() { return func() { x.Response.Body = body } }
	ways := map[string]func(){
		"CDATA":        answer("<r><n><![CDATA[" + strings.Join(groups, "]]><![CDATA[") + "]]></n></r>"),
		"bold":         answer("<p>card <b>" + strings.Join(groups, "</b><b>") + "</b>.</p>"),
		"bold, spaced": answer("<p><b>" + strings.Join(groups, "</b> <b class=\"x\">") + "</b></p>"),
		"half bold":    answer("<html>" + digits[:8] + "<em>" + digits[8:] + "</em></html>"),
		"a comment":    answer("<html><p>" + digits[:8] + "<!-- x -->" + digits[8:] + "</html>"),
		"base32":       answer(jsonOf(base32.StdEncoding.EncodeToString([]byte("card " + digits)))),
		"circled":      answer(jsonOf("card " + circled(digits))),
		"form fields": func() {
			formed(x, formOfPairs([]string{"card1", digits[:4], "card2", digits[4:8],
				"card3", digits[8:12], "card4", digits[12:]}))
		},
		"two fields": answer(objectOf([]string{"cardNumber1", digits[:8],
			"cardNumber2", digits[8:], "n", "1"})),
		"events": func() {
			x.Response.Headers.Set("Content-Type", "text/event-stream")
			x.Response.Body = "event: a\ndata: " + strings.Join(groups, "\ndata: ") + "\n\n"
		},
	}
	way := slices.Sorted(maps.Keys(ways))[d.IntN(len(ways))]
	if way == "events" && len(digits) != 16 {
		way = "base32"
	}
	ways[way]()
	return attack{name: "split by " + way, x: x, secrets: []string{
		digits, digits[4:12], circled(digits), digits[4:8] + "</b><b>" + digits[8:12],
		"data: " + digits[4:8] + "\ndata: " + digits[8:12],
	}}
}

// keyed has a card number, or a credential, for a key: the body stays.
func (d draw) keyed() attack {
	secret := d.card()
	switch d.IntN(3) {
	case 0:
		secret = "sk_" + "live_" + d.letters(30) + "q7"
	case 1:
		a := d.carried("a key in groups", []string{"a", "kept-7", secret[:4] + " " + secret[4:8] + " " +
			secret[8:12] + " " + secret[12:], "1"})
		if strings.HasSuffix(a.name, "XML") {
			break // no element has such a name
		}
		a.secrets = []string{secret}
		return a
	}
	x := exchange("POST", "https://h/unknown", http.Header{}, "")
	c := carriers[d.IntN(len(carriers)-1)]
	c.put(x, []string{"a", "kept-7", secret, "1", "b", "2"})
	return attack{name: "a key in " + c.name, x: x, secrets: []string{secret}, kept: []string{"kept-7"}}
}

// unlabelled is another attack whose bodies are gzip of which no header tells.
func (d draw) unlabelled() attack {
	a := named[d.IntN(len(named))](d)
	for _, body := range []*string{&a.x.Request.Body, &a.x.Response.Body} {
		if *body != "" {
			*body = gzipOf(*body)
		}
	}
	a.name, a.kept = "unlabelled gzip of "+a.name, nil
	return a
}

// bounded finds a secret that is no part of a longer word: a few digits stand in base64 by chance.
func bounded(secret string) *regexp.Regexp {
	return regexp.MustCompile(`(^|[^0-9A-Za-z])` + regexp.QuoteMeta(secret) + `($|[^0-9A-Za-z])`)
}

// check cleans the exchange of an attack and says what is wrong with the result, "" if nothing is.
func (a attack) check(t testing.TB) string {
	before := saved(t, a.x)
	got := redactor(t).Clean(a.x).Exchange()
	text := saved(t, got)
	for i, s := range a.secrets {
		if bounded(s).MatchString(text) || traces(text, s) != nil {
			return fmt.Sprintf("left secret %d of %d", i+1, len(a.secrets))
		}
	}
	for _, s := range a.kept {
		if strings.Contains(before, s) && !strings.Contains(text, s) {
			return "took out " + s
		}
	}
	var search audit.Search
	switch {
	case saved(t, a.x) != before:
		return "cleaning changed the exchange it was given"
	case !got.Replayable():
		return "withheld: " + got.Meta.Withheld
	case len(audit.Find(text)) > 0:
		return fmt.Sprint("left for an audit ", audit.Find(text))
	case len(search.Exchange(redactor(t), got)) > 0:
		return fmt.Sprint("left fields for an audit ", search.Exchange(redactor(t), got))
	case saved(t, redactor(t).Reclean(got).Exchange()) != text:
		return "cleaned twice it differs"
	}
	return ""
}

// TestHostile draws every attack many times.
func TestHostile(t *testing.T) {
	d := draw{rand.New(rand.NewPCG(15, 1))}
	for _, attack := range attacks {
		for range 200 {
			a := attack(d)
			if problem := a.check(t); problem != "" {
				t.Errorf("%s: %s", a.name, problem)
				break
			}
		}
	}
}

// FuzzHostile is TestHostile with the fuzzer's luck.
func FuzzHostile(f *testing.F) {
	f.Add(uint64(1), uint64(1))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		d := draw{rand.New(rand.NewPCG(a, b))}
		drawn := attacks[d.IntN(len(attacks))](d)
		if problem := drawn.check(t); problem != "" {
			t.Errorf("%s: %s", drawn.name, problem)
		}
	})
}

// TestNamesAlone wants words that name secrets beside a card to name nothing elsewhere, and words
// that want a shape to name nothing of another.
func TestNamesAlone(t *testing.T) {
	d := draw{rand.New(rand.NewPCG(15, 2))}
	for _, row := range nameRows {
		var pairs []string
		switch row.where {
		case "shape":
			pairs = []string{row.word, "100200300", "x", "1"}
		case "number", "card":
			pairs = []string{row.word, d.secretOf(row.kind), "amount", "100"}
		default:
			continue
		}
		x := exchange("POST", "https://h/unknown", http.Header{}, "")
		formed(x, formOfPairs(pairs))
		x.Response.Body = objectOf(pairs)
		got := redactor(t).Clean(x).Exchange()
		if got.Request.Body != x.Request.Body || got.Response.Body != x.Response.Body {
			t.Errorf("%s: something was taken out", row.word)
		}
	}
}

// TestPersonHasOneFake wants the phone in a document of the request and the phone in the answer to have
// one fake, at whatever depth, and texts under a key for texts to stay.
func TestPersonHasOneFake(t *testing.T) {
	x := exchange("POST", "https://gw.example/payment/rest/getOrderStatusExtended.do", http.Header{}, "")
	formed(x, "orderBundle="+url.QueryEscape(
		`{"text":"two books","customer":{"list":[{"phone":"+79161234567"}]}}`))
	x.Response.Body = `{"merchantOrderParams":[{"name":"phone","value":"+79161234567"}]}`
	got := redactor(t).Clean(x).Exchange()
	want := "orderBundle=" + url.QueryEscape(
		`{"text":"two books","customer":{"list":[{"phone":"+99900000001"}]}}`)
	if diff := cmp.Diff(want, got.Request.Body); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if want := strings.Replace(x.Response.Body, "+79161234567", "+99900000001", 1); got.Response.Body != want {
		t.Errorf("answer %s", got.Response.Body)
	}
}
