package draft

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// row is a row of the draft.
type row struct {
	name, says, evidence string
}

// rows returns the rows of one direction of an operation. unclear are the keys of places of which
// nothing was understood: what is known of others with such a key is said of their whole paths, because
// a row by a key would hold for those places too.
func (d *draft) rows(o *operation, dir profile.Direction, unclear map[string]bool) []row {
	byKey := map[string][]*place{}
	var keys []string
	for _, p := range o.order {
		if p.dir != dir {
			continue
		}
		key := strings.ToLower(p.key)
		if byKey[key] == nil {
			keys = append(keys, key)
		}
		byKey[key] = append(byKey[key], p)
	}
	var rows []row
	for _, key := range keys {
		rows = append(rows, d.keyRows(byKey[key], unclear[key])...)
	}
	return rows
}

// keyRows returns the rows of places with one key: one row by the key if it holds for all places with
// the key, else one for each.
func (d *draft) keyRows(places []*place, unclear bool) []row {
	var rows []row
	same := true
	for _, p := range places {
		says, evidence := d.says(p)
		rows = append(rows, row{p.shape, says, evidence})
		same = same && says == rows[0].says
	}
	if same && rows[0].says == "" {
		return nil
	}
	if same && !unclear {
		rows[0].name = places[0].key
		return rows[:1]
	}
	var kept []row
	for _, r := range rows {
		if r.says != "" {
			kept = append(kept, r)
		}
	}
	return kept
}

// shields returns the rows that places of an operation need of which nothing was understood: their key
// is at the top of a message elsewhere, where the row of a whole path is that of a key.
func (d *draft) shields(o *operation, dir profile.Direction, rows []row, top map[string]bool) []row {
	for _, p := range o.order {
		says, _ := d.says(p)
		has := slices.ContainsFunc(rows, func(r row) bool {
			return strings.EqualFold(r.name, p.shape)
		})
		if p.dir == dir && says == "" && top[strings.ToLower(p.key)] && !has {
			rows = append(rows, row{p.shape, shield(p), ""})
		}
	}
	return rows
}

// shield returns the row of a place of which nothing was understood.
func shield(p *place) string {
	for _, f := range p.facts {
		switch {
		case f.what == echoed:
			return "client shared"
		case strings.Contains(f.text, "://"):
			return "exact, address"
		}
	}
	return "exact"
}

// says returns what a row says of a place, and the evidence; "" where nothing was understood, or what
// was understood does not agree.
func (d *draft) says(p *place) (says, evidence string) {
	kinds := map[what][]fact{}
	for _, f := range p.facts {
		kinds[f.what] = append(kinds[f.what], f)
	}
	secret := ""
	if p.secret != profile.NotSecret {
		secret = ", " + p.secret.String()
	}
	switch {
	case !d.agrees(p):
		return "", ""
	case len(kinds[ofSlot]) > 0 && d.of(kinds[ofSlot][0].slot).unclear:
		return "", ""
	case len(kinds[ofSlot]) > 0:
		return d.saysNoun(p, d.of(kinds[ofSlot][0].slot), secret)
	case len(kinds[date]) > 0:
		return saysDate(kinds[date])
	case len(kinds[card]) > 0:
		return "client shared card, pan", "the number of a card in " + numbersOf(kinds[card])
	case len(kinds[maskOf]) > 0:
		return "mask of card", "the mask of the card in " + numbersOf(kinds[maskOf])
	case len(kinds[lastOf]) > 0:
		return "last of card", "the last digits of the card in " + numbersOf(kinds[lastOf])
	case p.known:
		return saysKnown(p)
	case len(kinds[free]) > 0:
		return saysFree(p, kinds[free], secret)
	case p.secret.Personal():
		return "client shared" + secret, "taken out in " + numbersOf(p.facts)
	case p.secret != profile.NotSecret && p.dir == profile.Response:
		return "exact" + secret, "taken out in " + numbersOf(p.facts)
	case p.dir == profile.Response && volatile(kinds[constant]):
		return "ignored", "another in each of " + numbersOf(kinds[constant])
	}
	return "", ""
}

// agrees reports whether what was understood of a place is one thing.
func (d *draft) agrees(p *place) bool {
	kinds := map[what]bool{}
	for _, f := range p.facts {
		if f.what != constant && f.what != stranger {
			kinds[f.what] = true
		}
	}
	return len(kinds) <= 1 && !kinds[part] && !d.mixed(p)
}

// mixed reports whether one message has different things in a place: the values of a list of names and
// values have one path but for their indexes. Of the items of an answer some may have nothing that
// inference knows.
func (d *draft) mixed(p *place) bool {
	first := map[int]fact{}
	for _, f := range p.facts {
		if f.what == constant && p.dir == profile.Response {
			continue
		}
		before, again := first[f.number]
		if again && (before.what != f.what || d.slots.of(before.slot) != d.slots.of(f.slot)) {
			return true
		}
		first[f.number] = f
	}
	return false
}

func numbersOf(facts []fact) string {
	var all []int
	for _, f := range facts {
		all = append(all, f.number)
	}
	return numbers(all)
}

// saysNoun returns the row of a place with values of a noun.
func (d *draft) saysNoun(p *place, n *noun, secret string) (says, evidence string) {
	if n.chosen {
		evidence = "the client chose it in " + numbers(n.born)
		if len(n.asked) > 0 {
			evidence += ", asked in " + numbers(n.asked)
		}
		return "client unique " + n.text + secret, evidence
	}
	says = "minted " + n.text
	if like := n.pattern(); like != "" {
		says += " like " + like
	}
	if isToken(n.texts) {
		secret = ", " + profile.Token.String()
	}
	here := map[int]bool{}
	for _, f := range p.facts {
		here[f.number] = true
	}
	elsewhere := func(number int) bool { return !here[number] }
	born := slices.DeleteFunc(slices.Clone(n.born), elsewhere)
	switch {
	case p.dir == profile.Request:
		evidence = "sent in " + numbersOf(p.facts)
		if len(n.born) > 0 {
			evidence = bornIn(n.born) + ", " + evidence
		}
	case len(born) == 0:
		evidence = "shown in " + numbersOf(p.facts)
	default:
		if evidence = bornIn(born); len(n.asked) > 0 {
			evidence += ", asked in " + numbers(n.asked)
		}
	}
	return says + secret, evidence
}

// saysKnown returns the row of a place that a row for all APIs tells of: the same row, if it tells of a
// secret and of what the secret does. A token that may be a login's, or that of a card, has none.
func saysKnown(p *place) (says, evidence string) {
	if p.field.Secret == profile.NotSecret || p.field.From != profile.Ignored && p.field.Of == "" {
		return "", ""
	}
	return p.field.Says() + ", " + p.field.Secret.String(), "taken out in " + numbersOf(p.facts)
}

// bornIn names the answers that were the first to show values.
func bornIn(answers []int) string {
	if len(answers) == 1 {
		return "born in the answer of " + numbers(answers)
	}
	return "born in the answers of " + numbers(answers)
}

// saysDate returns the row of a place with dates; none if they are written in different ways.
func saysDate(facts []fact) (says, evidence string) {
	for _, f := range facts {
		if f.form != facts[0].form {
			return "", ""
		}
	}
	return "date " + facts[0].form.String(), "a date near its exchange in " + numbersOf(facts)
}

// saysFree returns the row of a place in a request where anything will do.
func saysFree(p *place, facts []fact, secret string) (says, evidence string) {
	if p.secret != profile.NotSecret {
		return "ignored" + secret, "taken out in " + numbersOf(facts)
	}
	if p.echo {
		return "client shared", "another in each of " + numbersOf(facts) + ", which the answer repeats"
	}
	return "ignored", "another in each of " + numbersOf(facts)
}

// volatile reports whether constants are no constants: no two are the same, and all look made anew.
func volatile(facts []fact) bool {
	seen := map[string]bool{}
	for _, f := range facts {
		if !f.fluid || seen[f.text] {
			return false
		}
		seen[f.text] = true
	}
	return len(facts) > 1
}

// keys returns the keys, in small letters, of places of which nothing was understood, and those that have
// a row at the top of a message.
func (d *draft) keys() (unclear, top map[string]bool) {
	unclear, top = map[string]bool{}, map[string]bool{}
	for _, o := range d.order {
		for _, p := range o.order {
			key := strings.ToLower(p.key)
			says, _ := d.says(p)
			unclear[key] = unclear[key] || says == "" && !p.known
			top[key] = top[key] || says != "" && strings.EqualFold(p.shape, p.key)
		}
	}
	return unclear, top
}

// lookRows adds a row for each field by which calls are known that only look.
func lookRows(rows []row, looks []look) []row {
	for _, l := range looks {
		key := l.field[strings.LastIndexAny(l.field, ".>")+1:]
		has := slices.ContainsFunc(rows, func(r row) bool {
			return strings.EqualFold(r.name, l.field) || strings.EqualFold(r.name, key)
		})
		if !has {
			rows = append(rows, row{l.field, "exact", "tells which calls only look"})
		}
	}
	return rows
}
