package profile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

// TestEachMistakeOnTop has a profile that lies on top of another, with two misspelt operations.
func TestEachMistakeOnTop(t *testing.T) {
	t.Parallel()
	_, err := profile.Parse("mine.yaml", []byte("extends: gateway\nprofile: mine\noperations:\n"+
		"  regster.do: {writes: true}\n  refnd.do: {writes: true}\n"))
	all := profile.EachMistake(err)
	if len(all) != 2 || !strings.HasPrefix(all[1].Error(), "mine.yaml:5:3: ") {
		t.Errorf("got %q", all)
	}
}

// TestEachMistake has a profile with mistakes in several parts: all are told, in the order of the file, and
// none that another one has made.
func TestEachMistake(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil []string // pairs of old and new text of minimal
		want  []string // places and the end of the text
	}{
		{"none", nil, nil},
		{"one", []string{"title:", "titel:"}, []string{`shop.yaml:2:1: did you mean "title"?`}},
		{"in several parts", []string{"title:", "titel:", "carrier: json", "carrier: jsn",
			"id: minted payment", "id: mintd payment\n      x: exac", "requestHeaders:", "requestHeader:"},
			[]string{`shop.yaml:2:1: did you mean "title"?`, `shop.yaml:12:3: did you mean "requestHeaders"?`,
				`shop.yaml:17:14: did you mean "json"?`, `shop.yaml:23:11: did you mean "minted"?`,
				`shop.yaml:24:10: did you mean "exact"?`}},
		{"a key that is missing because it is misspelt", []string{"carrier: json", "carier: json"},
			[]string{`shop.yaml:17:5: did you mean "carrier"?`}},
		{"a set that is named badly is included", []string{"login: {", "Log In: {"},
			[]string{`shop.yaml:8:3: found "Log In"`}},
		{"a prefix is wrong, and paths lie below it", []string{"[/shop/]", "[/shop]"},
			[]string{`shop.yaml:4:9: found "/shop"`}},
		{"methods are wrong, and it writes", []string{"methods: [POST, PUT]", "methods: [post, PUT]"},
			[]string{`shop.yaml:15:15: found "post"`}},
	} {
		text := minimal
		for i := 0; i+1 < len(tt.spoil); i += 2 {
			if !strings.Contains(text, tt.spoil[i]) {
				t.Fatalf("%s: there is no %q", tt.name, tt.spoil[i])
			}
			text = strings.Replace(text, tt.spoil[i], tt.spoil[i+1], 1)
		}
		_, err := profile.Parse("shop.yaml", []byte(text))
		all := profile.EachMistake(err)
		ok := slices.EqualFunc(all, tt.want, func(err error, want string) bool {
			at, end, _ := strings.Cut(want, ": ")
			return strings.HasPrefix(err.Error(), at+": ") && strings.HasSuffix(err.Error(), end)
		})
		if !ok {
			t.Errorf("%s: got %q, want %q", tt.name, all, tt.want)
		}
	}
}
