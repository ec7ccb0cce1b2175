package draft

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
)

// ErrKnown is returned for a tape that holds no call of an API that no profile knows.
var ErrKnown = errors.New("expected calls that no profile knows, found none on the tape")

// Write returns a profile, in YAML, of the calls on a cassette that no profile of the set knows. Equal
// cassettes give equal profiles. The name of the profile is that of the cassette, as far as a profile
// can have it.
func Write(set *profile.Set, c tape.Cassette) ([]byte, error) {
	d := &draft{
		set: set, cassette: c, tape: tape.Compile(tape.Options{Profiles: set}, c),
		exchanges: map[int]*leaf.Exchange{}, kinds: newGroups[string](), slots: newGroups[slot](),
		ids: map[slot]*noun{}, operations: map[string]*operation{}, folded: map[string]string{},
	}
	for x := range c.All() {
		d.exchanges[x.Meta.Number] = x
	}
	var unknown []*tape.Recording
	for _, rec := range d.tape.Recordings {
		if rec.Call().Operation == nil {
			unknown = append(unknown, rec)
		}
	}
	d.fold(unknown)
	for _, rec := range unknown {
		d.read(rec)
	}
	if len(d.order) == 0 {
		return nil, ErrKnown
	}
	d.settle()
	text := d.text()
	if _, err := profile.Parse(d.name()+".yaml", text); err != nil {
		return nil, fmt.Errorf("writing a draft: %w", err)
	}
	return text, nil
}

// draft is a profile that is being written.
type draft struct {
	set       *profile.Set
	cassette  tape.Cassette
	tape      *tape.Tape
	exchanges map[int]*leaf.Exchange // by number

	operations map[string]*operation // by method and pattern
	folded     map[string]string     // patterns of calls with ids that nobody has, by method and path
	order      []*operation
	kinds      *groups[string] // kinds of inferred entities that are one
	slots      *groups[slot]   // names and values that are one
	nouns      []*noun
	ids        map[slot]*noun // by the first of the slots that are one
	left       []string       // calls that no profile can describe
}

// name returns the name of the profile.
func (d *draft) name() string {
	if name := word(d.cassette.Name); name != "" {
		return name
	}
	return "draft"
}

// word makes a noun, or a name, of a text: small letters, digits and dashes.
func word(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r >= 'A' && r <= 'Z':
			if i > 0 && !strings.HasSuffix(b.String(), "-") && lowerBefore(text, i) {
				b.WriteByte('-')
			}
			b.WriteRune(r + 'a' - 'A')
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('-')
			}
		}
	}
	return strings.Trim(b.String(), "-")
}

func lowerBefore(text string, i int) bool { return text[i-1] >= 'a' && text[i-1] <= 'z' }

// numbers writes the numbers of exchanges: "#3", "#3 and #5", "#3, #5, #9 and 4 more".
func numbers(all []int) string {
	const most = 3
	all = slices.Compact(slices.Sorted(slices.Values(all)))
	more := 0
	if len(all) > most+1 {
		more, all = len(all)-most, all[:most]
	}
	var parts []string
	for _, n := range all {
		parts = append(parts, fmt.Sprintf("#%d", n))
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// groups puts what is one together.
type groups[K comparable] struct{ above map[K]K }

func newGroups[K comparable]() *groups[K] { return &groups[K]{map[K]K{}} }

// of returns what stands for all that are one with k: the first of them that was seen.
func (g *groups[K]) of(k K) K {
	for {
		up, found := g.above[k]
		if !found || up == k {
			return k
		}
		k = up
	}
}

// join makes two one.
func (g *groups[K]) join(a, b K) {
	if a, b = g.of(a), g.of(b); a != b {
		g.above[b] = a
	}
}
