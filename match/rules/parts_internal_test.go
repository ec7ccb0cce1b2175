package rules

import (
	"encoding/json"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// A star is any text, as ".*" is in a regular expression.
func FuzzGlob(f *testing.F) {
	for _, s := range []string{"a*|abc", "*|", "a*a|a", "*a*b*|xaxxb", "**|x", "a|a", "ab*ba|aba", "*é|é"} {
		pattern, text, _ := strings.Cut(s, "|")
		f.Add(pattern, text)
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		parts := strings.Split(pattern, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		want, err := regexp.Compile(`(?s)^` + strings.Join(parts, `.*`) + `\z`)
		if err != nil {
			t.Skip() // bytes that are no UTF-8
		}
		if got := Glob(pattern, text); got != want.MatchString(text) {
			t.Errorf("Glob(%q, %q) = %v", pattern, text, got)
		}
	})
}

// Numbers compare as exact fractions do.
func FuzzComparison(f *testing.F) {
	for _, s := range []string{">= 1|1.00", "< -0|0", "> 007|7.0000001", "<= .5|0.50", "!= a*|ab", "= *|*", "~ ^4|42",
		"> 1e3|5", ">|", "> 12345678901234567890.1|12345678901234567890.10"} {
		test, value, _ := strings.Cut(s, "|")
		f.Add(test, value)
	}
	decimals := regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$`)
	f.Fuzz(func(t *testing.T, text, value string) {
		c, err := parseComparison(text)
		if err != nil {
			if _, again := parseComparison(text); again == nil {
				t.Error("an error that comes and goes")
			}
			return
		}
		got := c.holds([]found{{text: value}})
		order := 0
		if c.how >= above && c.how <= atMost {
			if !decimals.MatchString(c.text) {
				t.Fatalf("%q is taken for a number", c.text)
			}
			if !decimals.MatchString(value) {
				if got {
					t.Errorf("%q holds of %q", text, value)
				}
				return
			}
			a, _ := new(big.Rat).SetString(strings.TrimSuffix(value, "."))
			b, _ := new(big.Rat).SetString(strings.TrimSuffix(c.text, "."))
			order = a.Cmp(b)
		}
		want := map[relation]bool{above: order > 0, atLeast: order >= 0, below: order < 0, atMost: order <= 0,
			present: true, absent: false, exactly: value == c.text}
		if is, known := want[c.how]; known && got != is {
			t.Errorf("%q of %q: %v", text, value, got)
		}
		if is := Glob(c.text, value); c.how == equal && got != is || c.how == unequal && got == is {
			t.Errorf("%q of %q: %v", text, value, got)
		}
	})
}

// Without a member a document is what it is without that member, and no other byte that says
// something is gone.
func FuzzWithoutMember(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":1,"b":2}`, `[1, 2 ,3]`, `{"a":{"b":[1,{"c":"x\"y"}]},"":null}`, ` { "a" : [ ] , "a":1 } `,
		`{"a\\":1,"\"b":2}`, `[[],{}]`, `{"x":"}","y":","}`} {
		for n := range 3 {
			f.Add(s, n)
		}
	}
	f.Fuzz(func(t *testing.T, doc string, n int) {
		if !json.Valid([]byte(doc)) || !gjson.Valid(doc) || n < 0 || len(doc) > 1000 {
			t.Skip()
		}
		spans := members(gjson.Parse(doc))
		if len(spans) == 0 {
			if got, ok := withoutMember(doc, len(doc)-len(strings.TrimLeft(doc, " \t\r\n")), len(doc)); ok {
				t.Errorf("the whole of %q was deleted: %q", doc, got)
			}
			return
		}
		m := spans[n%len(spans)]
		got, ok := withoutMember(doc, m.start, m.end)
		if !ok || !json.Valid([]byte(got)) {
			t.Fatalf("%q without %q: %q", doc, doc[m.start:m.end], got)
		}
		want := slices.Delete(slices.Clone(tokens(t, doc)), m.token, m.token+m.tokens)
		if !reflect.DeepEqual(tokens(t, got), want) {
			t.Errorf("%q without %q: %q", doc, doc[m.start:m.end], got)
		}
	})
}

// member is a value in a document: its span, and its tokens among those of the document, its name
// included.
type member struct{ start, end, token, tokens int }

// members returns the values in objects and arrays.
func members(doc gjson.Result) []member {
	var all []member
	at := 0
	var walk func(v gjson.Result)
	walk = func(v gjson.Result) {
		at++ // what opens it, or all of it
		if !v.IsArray() && !v.IsObject() {
			return
		}
		v.ForEach(func(key, inner gjson.Result) bool {
			m := member{start: inner.Index, end: inner.Index + len(inner.Raw), token: at}
			if v.IsObject() {
				at++
			}
			walk(inner)
			m.tokens = at - m.token
			all = append(all, m)
			return true
		})
		at++
	}
	walk(doc)
	return all
}

func tokens(t *testing.T, doc string) []json.Token {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var all []json.Token
	for {
		token, err := d.Token()
		if err != nil {
			return all
		}
		all = append(all, token)
	}
}

// Without a parameter a form has the others, in the same bytes.
func FuzzWithoutParameter(f *testing.F) {
	for _, s := range []string{"a=1&b=2", "a", "a=&b", "&&a=1&", "a=1", "=", "a=b=c&a=1"} {
		for n := range 3 {
			f.Add(s, n)
		}
	}
	f.Fuzz(func(t *testing.T, form string, n int) {
		if n < 0 {
			t.Skip()
		}
		parts := strings.Split(form, "&")
		n %= len(parts)
		start := 0
		for _, p := range parts[:n] {
			start += len(p) + 1
		}
		end := start + len(parts[n])
		if eq := strings.IndexByte(parts[n], '='); eq >= 0 {
			start += eq + 1
		}
		got, ok := withoutParameter(form, 0, start, end)
		want := strings.Join(slices.Delete(slices.Clone(parts), n, n+1), "&")
		if !ok || got != want {
			t.Errorf("%q without %q: %q, want %q", form, parts[n], got, want)
		}
		target, ok := withoutParameter("/x?"+form, 3, start+3, end+3)
		if want = "/x?" + want; len(parts) == 1 {
			want = "/x" // the question mark goes with the last parameter
		}
		if !ok || target != want {
			t.Errorf("%q without %q: %q, want %q", "/x?"+form, parts[n], target, want)
		}
	})
}

// A value is its pieces, in their order, and each reference is one of four.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"a${request.b}c", "${answer.body:a.0}", "${mint}${now}", "${now-1h30m}", "$", "${", "${}", "$${mint}}",
		"${request.}", "${request.http-status}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := parseValue(text)
		if err != nil {
			if v != nil || !strings.Contains(text, "${") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v %v", text, v, err)
			}
			return
		}
		rest := text
		for i, p := range v {
			switch {
			case p.kind == literal:
				if p.literal == "" || strings.Contains(p.literal, "${") || i > 0 && v[i-1].kind == literal {
					t.Errorf("%q: piece %d is %q", text, i, p.literal)
				}
				rest = strings.TrimPrefix(rest, p.literal)
			default:
				if p.at.key == "" && p.at.in == aField && (p.kind == fromRequest || p.kind == fromAnswer) {
					t.Errorf("%q: piece %d has no field", text, i)
				}
				_, rest, _ = strings.Cut(rest, "}")
			}
		}
		if rest != "" {
			t.Errorf("%q: %q is left", text, rest)
		}
	})
}
