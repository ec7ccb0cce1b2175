package profile_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

func TestEditionIsRead(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs("bank files/mine.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"mine.yaml": "mine.yaml", "./a/../b/mine.yaml": "b/mine.yaml", here: "bank files/mine.yaml",
		filepath.Join(t.TempDir(), "mine.yaml"): "mine.yaml",
	} {
		s := builtin(t)
		p, err := profile.Parse(file, []byte("extends: gateway\nprofile: mine\n"))
		if err == nil {
			err = s.Add(p)
		}
		if err != nil {
			t.Fatal(err)
		}
		e := s.EditionOf(p)
		if e.File != want || len(e.Digest) != 12 || len(e.Bases) != 1 || e.Bases[0].Name != "gateway" {
			t.Errorf("%s: %+v", file, e)
		}
		back, ok := profile.ParseEdition(e.String())
		if diff := cmp.Diff(e, back); diff != "" || !ok {
			t.Errorf("%s: %s", e, diff)
		}
	}
	for _, text := range []string{"", "gateway", "gateway@", "@12", "Gateway@12", "a@12 on b", "a@xyz",
		"REDACTED-token-1"} {
		if e, ok := profile.ParseEdition(text); ok {
			t.Errorf("%q was read as %+v", text, e)
		}
	}
}

func FuzzParseEdition(f *testing.F) {
	f.Add("mine@98fe76dc54ba on gateway@1a2b3c4d5e6f: profiles/mine.yaml")
	f.Add("gateway@1a2b")
	f.Fuzz(func(t *testing.T, text string) {
		e, ok := profile.ParseEdition(text)
		if !ok {
			return
		}
		if again, ok := profile.ParseEdition(e.String()); !ok || cmp.Diff(e, again) != "" {
			t.Errorf("%q was read as %+v, and then as %+v", text, e, again)
		}
	})
}

// TestEditions tells which exchanges of a recording say with which profile they were recorded.
func TestEditions(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	mine := parse(t, one("mine", "/a/", "x", "/a/x"))
	if err := s.Add(mine); err != nil {
		t.Fatal(err)
	}
	register, a, unknown := s.Find("POST", "/payment/rest/register.do"), s.Find("POST", "/a/x"), s.Find("GET", "/x")
	tape := []string{s.EditionOf(register.Profile).String(), "a line of a later paytape"}
	e := profile.NewEditions(s, tape)
	if got := e.For(register); got != nil {
		t.Errorf("what the tape has is written again: %q", got)
	}
	first := e.For(a)
	if len(first) != 1 || !strings.HasPrefix(first[0], "mine@") || !strings.HasSuffix(first[0], ": test.yaml") {
		t.Errorf("the first exchange says %q", first)
	}
	if got := append(e.For(a), e.For(unknown)...); got != nil {
		t.Errorf("it is said twice: %q", got)
	}
	e.Lost(first)
	if got := e.For(a); len(got) != 1 {
		t.Error("what was lost is not said again")
	}
	if got := profile.NewEditions(s, []string{"gateway@000000000000"}).For(register); len(got) != 1 {
		t.Error("another profile than on tape is not said")
	}
	var none *profile.Editions
	if none.For(a) != nil {
		t.Error("nobody says something")
	}
	none.Lost(first)
}

func TestChanges(t *testing.T) {
	t.Parallel()
	with := func(file, text string) *profile.Set {
		s := builtin(t)
		if text == "" {
			return s
		}
		p, err := profile.Parse(file, []byte(text))
		if err == nil {
			err = s.Add(p)
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const text = "extends: gateway\nprofile: mine\ncommon: {request: {zz: ignored}}\n"
	mine := with("team/mine.yaml", text)
	then := mine.EditionOf(mine.Profiles()[0]).String()
	gateway := with("", "")
	ours := gateway.EditionOf(gateway.Find("POST", "/payment/rest/register.do").Profile).String()
	changed := strings.Replace(text, "ignored", "exact", 1)
	for _, tt := range []struct {
		name string
		now  *profile.Set
		tape []string
		want string // how the sentence begins, "!" before a warning
	}{
		{"nothing", mine, []string{then, ours}, ""},
		{"a tape of an earlier version", gateway, nil, ""},
		{"a comment more", with("x.yaml", "# mine\n"+text), []string{then}, ""},
		{"without it", gateway, []string{then}, `!the tape was recorded with profile "mine" (team/mine.yaml), ` +
			"which this run does not have: --profile team/mine.yaml"},
		{"with another", with("x.yaml", changed), []string{then}, `!profile "mine" (x.yaml) has changed`},
		{"with the one before", with("x.yaml", changed), []string{then, "mine@12: old.yaml", then},
			`!profile "mine" (x.yaml) has changed since the tape was recorded: record the tape again`},
		{"its base has changed", mine, []string{strings.Replace(strings.Replace(then, ours, "gateway@12", 1),
			"mine@", "mine@0", 1)}, `what these profiles extend has changed since the tape was recorded: "mine"`},
		{"ours has changed", gateway, []string{"gateway@12"}, "this paytape knows more, or other things, of an " +
			"API than the one that recorded the tape: gateway; nothing has to be done"},
		{"in place of ours", with("x.yaml", "extends: gateway\ncommon: {request: {zz: ignored}}\n"),
			[]string{ours}, `the tape was recorded with our profile "gateway", and x.yaml stands in its place`},
		{"one of ours that is gone", gateway, []string{"cardv0@12"}, ""},
		{"no edition", gateway, []string{"REDACTED"}, ""},
	} {
		got := ""
		for _, c := range tt.now.Changes(tt.tape) {
			if c.Warning {
				got += "!"
			}
			got += c.Text
		}
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
