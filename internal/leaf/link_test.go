package leaf_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
)

func TestLinks(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"a form, a link and a frame",
			`<form action=" /a"><a href='//h/b?x=1&amp;y=2'>x</a><iframe src=c></iframe>`,
			"/a //h/b?x=1&y=2 c"},
		{"a button and the base", `<base href="/b/"><button formaction=https://h/f>`, "/b/ https://h/f"},
		{"a refresh", `<meta http-equiv=refresh content="0; URL='/r'">`, "/r"},
		{"a refresh without quotes", `<meta http-equiv=refresh content="1.5;https://h/r">`,
			"https://h/r"},
		{"what only looks like one", `<meta name=viewport content="width=1"><p title="/x">/y`, ""},
		{"a field of a form", `<input name=action value="https://h/x">`, ""},
		{"a script", `<script>var a = 'https://h/a', b = "/b"; location.href = "/c"</script>`,
			"https://h/a /c"},
		{"calls of a script", "<script>location . replace( '/d' ); window.open(`//h/e`)</script>",
			"/d //h/e"},
		{"escaped slashes", `<script>location="https:\/\/h\/x"</script>`, "https://h/x"},
		{"no strings of their own", `<script>// don't go to http://h/x "a/b" "// c"</script>`, ""},
		{"an event", `<body onload="location='/x'">`, "/x"},
		{"a script in a link", `<a href="javascript:location='https://h/x'">`, "https://h/x"},
		{"a set of images", `<img srcset="/a,b.png 1x,https://h/c 2x , //h/d, /e">` +
			`<source srcset='f'><link imagesrcset=" , /g 100w,">`, "/a,b.png https://h/c //h/d /e f /g"},
		{"a style", `<style>@import 'a.css'; p { background: URL( "/b?x=)" ) } ` +
			`q { src: url(https://h/c ), url() }</style>`, "a.css /b?x=) https://h/c"},
		{"a style of an element", `<p style="background:url('//h/a')">`, "//h/a"},
		{"an unclosed style", `<style>url(/a</style>`, "/a"},
		{"an unclosed string", `<script>location="/x</script>`, "/x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := leaf.Read(leaf.Message{Body: tt.body})
			var got []string
			for i := range m.Leaves {
				l := &m.Leaves[i]
				for _, k := range l.Links() {
					got = append(got, k.Address(l.Value))
					if end := k.End(l.Value, len(k.Address(l.Value))); end != k.To {
						t.Errorf("it ends at %d, want %d", end, k.To)
					}
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestHiddenLinks(t *testing.T) {
	const hidden = `<input type=hidden name=r value="https://h/r?a=1&amp;b=https://h/c">`
	const in = "https://h/r?a=1&b=https://h/c in "
	for _, tt := range []struct{ name, body, want string }{
		{"a form", `<form method=post action=" /a ">` + hidden, in + "/a"},
		{"a form without an action", "<form>" + hidden, in},
		{"in a table of the form", `<form action=a><table><tr><td>x<td>` + hidden + "</table>", in + "a"},
		{"behind the type in capitals", `<form action=a><input value='http://h' id=i name=r TYPE="Hidden"/>`,
			"http://h in a"},
		{"one form after the other", "<form action=a></form><form action=b>" + hidden + "</form>" + hidden,
			in + "b"},
		{"an action that is a field", "<form action=a><input name=action value=b>" + hidden, in + "a"},
		{"a usual type of form", "<form enctype=application/x-www-form-urlencoded>" + hidden, in},
		{"a form in parts", "<form action=a enctype=multipart/form-data>" + hidden, ""},
		{"no form", hidden, ""},
		{"no name", `<form><input type=hidden value="https://h/r">`, ""},
		{"no value", `<form><input type=hidden name=r>`, ""},
		{"a path", `<form><input type=hidden name=r value="/r">`, ""},
		{"without a scheme", `<form><input type=hidden name=r value="//h/r">`, ""},
		{"a sentence", `<form><input type=hidden name=r value="https://h/r is it">`, ""},
		{"a field that is seen", `<form><input type=text name=r value="https://h/r">`, ""},
		{"a button", `<form><button type=hidden name=r value="https://h/r">`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := leaf.Read(leaf.Message{Body: tt.body})
			var got []string
			for i, action := range m.HiddenLinks() {
				got = append(got, m.Leaves[i].Value+" in "+action)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestPathAlone(t *testing.T) {
	for address, want := range map[string]bool{
		"": true, "a": true, "/a": true, "?b=c:d": true, "/a:b": true, "#": true,
		"//h/a": false, "https://h": false, "javascript:go()": false,
	} {
		if leaf.PathAlone(address) != want {
			t.Errorf("%q: got %v", address, !want)
		}
	}
}

func TestHeaderLinks(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"Location", "/a b", "/a b"},
		{"Location", "", ""},
		{"Refresh", "3; url=/r", "/r"},
		{"Refresh", "soon", ""},
		{"Link", `<https://h/x?a=1,2>; rel="next", </y>;rel=prev`, "https://h/x?a=1,2 /y"},
		{"Link", `<a>; title="a \"<b>\""; rel=x,<c>`, "a c"},
		{"Link", `</unclosed`, "/unclosed"},
		{"Link", `</a>; title="unclosed, </b>`, "/a"},
		{"Link", "<", ""},
		{"Link", "no address", ""},
	} {
		var got []string
		for _, l := range leaf.HeaderLinks(tt.name, tt.value) {
			got = append(got, l.Of(tt.value))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: %s: %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
}

func TestHTML(t *testing.T) {
	tests := []struct {
		name, media, body string
		want              bool
	}{
		{"by its type", "Text/HTML; charset=x", "x", true},
		{"of another type", "text/plain", "<html>", false},
		{"by its beginning", "", "<!doctype html><p>x", true},
		{"XML", "", "<order>x</order>", false},
	}
	for _, tt := range tests {
		h := http.Header{}
		if tt.media != "" {
			h.Set("Content-Type", tt.media)
		}
		if got := (&leaf.Message{Header: h, Body: tt.body}).HTML(); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
