package rules

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// condition is one of the conditions of a rule beside its tests; all must hold.
type condition struct {
	text   string // as the file has it: "first 2"
	word   word
	counts []int // of first, nth, every and skip
	chance float64
	ops    []opPattern // of seen and unseen
	within time.Duration
}

// word is the first word of a condition.
type word string

const (
	first  word = "first"  // attempts 1 to N
	nth    word = "nth"    // attempts of these numbers
	every  word = "every"  // attempts N, 2N, ...
	skip   word = "skip"   // attempts from N+1 on; the other conditions count from there
	chance word = "chance" // so many of a hundred attempts, which ones by the seed
	seen   word = "seen"   // one of these calls came before, about what is counted
	unseen word = "unseen" // none did
	during word = "for"    // so long since the first attempt
	asked  word = "asked"  // the request names the rule, or somebody has armed it
)

// conditionWords are all of them.
var conditionWords = map[string]bool{
	string(first): true, string(nth): true, string(every): true, string(skip): true,
	string(chance): true, string(seen): true, string(unseen): true, string(during): true,
	string(asked): true,
}

// counted reports whether a condition looks at the number of an attempt. The others say whether
// there is an attempt at all.
func (c *condition) counted() bool {
	return c.word != seen && c.word != unseen && c.word != asked
}

// admits reports whether attempt n, counted behind those that are skipped, is one for which a
// condition that counts holds. luck is a number from 0 to 1 that is drawn for the attempt, and
// since is the time since attempt 1.
func (c *condition) admits(n int, luck float64, since time.Duration) bool {
	switch c.word {
	case first:
		return n > 0 && n <= c.counts[0]
	case nth:
		return slices.Contains(c.counts, n)
	case every:
		return n > 0 && n%c.counts[0] == 0
	case skip:
		return n > 0
	case chance:
		return luck < c.chance
	case during:
		return since < c.within
	}
	return true
}

// conditions reads "when": one condition, a mapping of them, or a list of both.
func (r *reader) conditions(n *yaml.Node) []condition {
	var cs []condition
	for _, item := range items(n) {
		if item.Kind == yaml.MappingNode {
			r.pairs(item, "conditions", func(key, value *yaml.Node) {
				if c, ok := r.condition(key, key.Value, value); ok {
					cs = append(cs, c)
				}
			})
			continue
		}
		text, ok := r.text(item, "a condition such as first 2")
		if !ok {
			continue
		}
		name, rest, _ := strings.Cut(text, " ")
		argument := &yaml.Node{
			Kind: yaml.ScalarNode, Value: strings.TrimSpace(rest), Line: item.Line, Column: item.Column,
		}
		if c, ok := r.condition(item, strings.TrimSuffix(name, ":"), argument); ok {
			cs = append(cs, c)
		}
	}
	there := map[word]bool{}
	for _, c := range cs {
		if there[c.word] {
			r.wrong(n, "expected each condition once, found %q twice", c.word)
		}
		there[c.word] = true
	}
	return cs
}

// condition reads one condition.
func (r *reader) condition(at *yaml.Node, name string, argument *yaml.Node) (condition, bool) {
	c := condition{word: word(name), text: strings.TrimSpace(name + " " + argument.Value)}
	before := len(r.errs)
	switch c.word {
	case first, every, skip:
		if text, ok := r.text(argument, "a number after "+name); ok {
			c.counts = []int{r.count(argument, text)}
		}
	case nth:
		c.counts = r.numbers(argument)
		c.text = name + " " + strings.Join(numberTexts(c.counts), ", ")
	case chance:
		c.chance = r.percentage(argument)
	case seen, unseen:
		c.ops = r.seenOperations(argument)
		r.noCallbacks(argument, c.ops)
		c.text = name + " " + opTexts(argument)
	case during:
		if text, ok := r.text(argument, "a time after for"); ok {
			c.within = r.duration(argument, text)
		}
	case asked:
		if argument.Value != "" && argument.Value != "true" {
			r.expected(argument, `nothing after "asked"`)
		}
		c.text = name
	default:
		r.unknown(at, name, "condition", maps.Clone(conditionWords))
	}
	return c, len(r.errs) == before
}

// numbers reads the numbers after "nth": one, a list, or "2, 3".
func (r *reader) numbers(n *yaml.Node) []int {
	var all []int
	for _, item := range items(n) {
		text, ok := r.text(item, "a number after nth")
		if !ok {
			continue
		}
		for part := range strings.SplitSeq(strings.Trim(text, "[]"), ",") {
			all = append(all, r.count(item, strings.TrimSpace(part)))
		}
	}
	if len(all) == 0 && n.Kind == yaml.SequenceNode {
		r.wrong(n, "expected numbers after nth, found an empty list")
	}
	return all
}

// percentage reads "5%" or "0.5%".
func (r *reader) percentage(n *yaml.Node) float64 {
	text, _ := r.text(n, "a chance such as 5%")
	share, found := strings.CutSuffix(text, "%")
	p, err := strconv.ParseFloat(share, 64)
	if !found || err != nil || !(p > 0 && p <= 100) {
		r.wrong(n, "expected a chance such as 5%%, found %s", show(n))
	}
	return p / 100
}

// seenOperations reads the operations after "seen": a list, one, or "[a, b]" or "a, b" in a text.
func (r *reader) seenOperations(n *yaml.Node) []opPattern {
	if n.Kind != yaml.ScalarNode || !strings.ContainsAny(n.Value, "[,") {
		return r.operations(n)
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Line: n.Line, Column: n.Column}
	for name := range strings.SplitSeq(strings.Trim(n.Value, "[]"), ",") {
		list.Content = append(list.Content, &yaml.Node{
			Kind: yaml.ScalarNode, Value: strings.TrimSpace(name), Line: n.Line, Column: n.Column,
		})
	}
	return r.operations(list)
}

func numberTexts(numbers []int) []string {
	var out []string
	for _, n := range numbers {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// opTexts writes operations as a condition shows them.
func opTexts(n *yaml.Node) string {
	var out []string
	for _, item := range items(n) {
		text := item.Value
		for i := 0; i+1 < len(item.Content); i += 2 {
			text = strings.TrimSpace(text + " " + item.Content[i+1].Value)
		}
		out = append(out, strings.Trim(text, "[]"))
	}
	return strings.Join(out, ", ")
}
