package leaf_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
)

// marked writes the leaves of markup one a line: path, key, name in brackets, value.
func marked(m *leaf.Message) string {
	var b strings.Builder
	for _, l := range m.Leaves {
		fmt.Fprintf(&b, "%s %s [%s] %q\n", l.Path, l.Key, l.Name, l.Value)
	}
	return b.String()
}

func TestMarkup(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"elements and attributes", `<?xml version="1.0"?>
<s:Envelope xmlns:s="u"><s:Body><pin id='7'> 12&amp;34 </pin></s:Body></s:Envelope>`,
			`? ? [] "xml version=\"1.0\""
Envelope.@s s [] "u"
Envelope.Body.pin.@id id [] "7"
Envelope.Body.pin pin [] "12&34"
`},
		{"a form as browsers post it",
			`<!DOCTYPE html><HTML><FORM ACTION=https://h/a?b=1&amp;c METHOD=post>` +
				`<INPUT TYPE=hidden NAME="creq" VALUE='a b'><input value="x" name=MD>` +
				`<select name=bank><option value=7>Seven<option value=8>Eight</select>` +
				`<textarea name=note>1 < 2 </b></textarea><input type=submit value=Go></form>`,
			`! ! [] "DOCTYPE html"
html.form.@action action [] "https://h/a?b=1&c"
html.form.@method @method [] "post"
html.form.input.@type @type [] "hidden"
html.form.input.@name @name [] "creq"
html.form.input.creq creq [] "a b"
html.form.input[2].MD MD [] "x"
html.form.input[2].@name @name [] "MD"
html.form.select.@name @name [] "bank"
html.form.select.option.bank bank [] "7"
html.form.select.option.bank bank [] "Seven"
html.form.select.option[2].bank bank [] "8"
html.form.select.option[2].bank bank [] "Eight"
html.form.textarea.@name @name [] "note"
html.form.textarea.note note [] "1 < 2 </b>"
html.form.input[3].@type @type [] "submit"
html.form.input[3].@value value [] "Go"
`},
		{"labels", `<div>Your CVC: <b>784</b><table><tr><td>PIN<td>1234<td>x</table>` +
			`<dl><dt>Password<dd>hunter</dl><label>Code</label><a>Forgot?</a></div>`,
			`div div [] "Your CVC:"
div.b b [Your CVC] "784"
div.table.tr.td td [] "PIN"
div.table.tr.td[2] td [PIN] "1234"
div.table.tr.td[3] td [1234] "x"
div.dl.dt dt [] "Password"
div.dl.dd dd [Password] "hunter"
div.label label [] "Code"
div.a a [] "Forgot?"
`},
		{"a label says what to enter, and nothing of the text behind",
			`<p>PIN</p><input name=x><p>1 try left</p><p>PIN</p><input><b>3</b>`,
			`p p [] "PIN"
input.@name @name [] "x"
p[2] p [] "1 try left"
p[3] p [] "PIN"
b b [] "3"
`},
		{"a name beside a text", `<list><p name="cvc">784</p><name>pin</name><value>12</value></list>`,
			`list.p.@name name [] "cvc"
list.p p [cvc] "784"
list.name name [] "pin"
list.value value [pin] "12"
`},
		{"what is no element", `<a><!-- c > d --><![CDATA[ 1<2 & ]]><b>x</a>`,
			`a.!-- !-- [] " c > d "
a a [] "1<2 &"
a.b b [] "x"
`},
		{"scripts", `<body><script>if (a<b) "</p>"</script><style>p{}</style><p>t`,
			`body.script script [] "if (a<b) \"</p>\""
body.style style [] "p{}"
body.p p [] "t"
`},
		{"documents in markup", `<body><script>{"a":{"b":"c"}}</script><p data-x='{"d":1}'></p></body>`,
			`body.script>a.b b [] "c"
body.p.@data-x>d d [] "1"
`},
		{"cut in a tag", `<r><a b="c" d='e`, `r.a.@b b [] "c"
r.a.@d d [] "e"
`},
		{"ends of nothing", `<a></b></c x="1">t</a></a>u`, `a.@x x [] "1"
a a [] "t"
  [] "u"
`},
		{"a less-than sign", `<a>1 < 2 <3 &lt; &#52;&#x35; &nbsp; &</a>`,
			`a a [] "1 < 2 <3 < 45 &nbsp; &"
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := leaf.Read(leaf.Message{Body: tt.body})
			if diff := cmp.Diff(tt.want, marked(m)); diff != "" {
				t.Errorf("leaves (-want +got):\n%s", diff)
			}
			for i := range m.Leaves {
				editAndRead(t, m, i)
			}
		})
	}
}

// editAndRead writes a leaf and reads it again: the others stay as they were.
func editAndRead(t *testing.T, m *leaf.Message, i int) {
	t.Helper()
	const fresh = `1 "&<é/`
	l := &m.Leaves[i]
	again := leaf.Read(m.Splice([]leaf.Edit{leaf.Whole(l, fresh)}))
	if len(again.Leaves) != len(m.Leaves) {
		t.Errorf("%s: %d leaves became %d", l.Path, len(m.Leaves), len(again.Leaves))
		return
	}
	for j, got := range again.Leaves {
		want := m.Leaves[j].Value
		if i == j {
			want = fresh
		}
		if got.Value != want {
			t.Errorf("%s edited: %s is %q, want %q", l.Path, got.Path, got.Value, want)
		}
	}
}

func TestNoMarkup(t *testing.T) {
	long := strings.Repeat("x", 200)
	for name, body := range map[string]string{
		"text before it":    "see <b>x</b>",
		"a sign":            "< 3 and > 2",
		"an end":            "</a>x",
		"no end of a tag":   "<abc",
		"a long name":       "<" + long + ">x</" + long + ">",
		"a long attribute":  "<a " + long + "=1>x</a>",
		"nothing in it":     "<a></a>",
		"more than a bound": "<a>" + strings.Repeat("x", leaf.MaxMarkup) + "</a>",
	} {
		t.Run(name, func(t *testing.T) {
			m := leaf.Read(leaf.Message{Body: body})
			if len(m.Leaves) != 1 || m.Leaves[0].Place != leaf.Text || m.Leaves[0].Value != body {
				t.Errorf("%d leaves, the first in %s", len(m.Leaves), m.Leaves[0].Place)
			}
		})
	}
}

// slowMarkup are pages made to be slow, by what they repeat.
var slowMarkup = []string{
	"<a>", "<p", "<!--", "<![CDATA[", "</a>", "<a b=", `<a b="`, "<a b='c'>", "&#", "<b>1", "<td>a",
	"<script>", "</script", "<a.b:c ", "<x>eyJ", "<select name=a><option>", "<a{\"", "<title></titl",
}

// slowPage is a page of at most a size that repeats a part.
func slowPage(part string, size int) leaf.Message {
	const begin, end = "<html>", "x>"
	return leaf.Message{
		Body: begin + strings.Repeat(part, (size-len(begin)-len(end))/len(part)) + end,
	}
}

// TestMarkupIsLinear reads pages made to be slow: sixteen times the size must not take as much
// memory as a quadratic reader would, by far. That of scans is time: BenchmarkSlowMarkup shows it.
func TestMarkupIsLinear(t *testing.T) {
	for _, part := range slowMarkup {
		small, large := allocated(slowPage(part, 1<<14)), allocated(slowPage(part, 1<<18))
		if large > 64*small {
			t.Errorf("%q: %d bytes for 16 KB, %d for 256 KB", part, small, large)
		}
	}
}

// allocated is how many bytes the reading of a message allocates.
func allocated(m leaf.Message) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	leaf.Read(m)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// BenchmarkSlowMarkup reads them in two sizes. A scan that is quadratic has the larger one at a
// sixteenth of the rate.
func BenchmarkSlowMarkup(b *testing.B) {
	for _, part := range slowMarkup {
		for _, size := range []int{1 << 14, 1 << 18} {
			b.Run(fmt.Sprintf("%q/%dKiB", part, size>>10), func(b *testing.B) {
				page := slowPage(part, size)
				b.SetBytes(int64(len(page.Body)))
				for b.Loop() {
					leaf.Read(page)
				}
			})
		}
	}
}
