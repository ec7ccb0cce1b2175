package profile_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

// base is what the profiles of the tests below extend.
const base = `profile: shop
title: A shop
paths: [/shop/]
maxText: 100
sets:
  login: {user: client shared login}
entities: {order: {names: [order]}}
common:
  request: {language: exact}
operations:
  pay:
    methods: [POST]
    path: /shop/pay
    carrier: json
    writes: true
    request:
      include: [login]
      amount: exact
      Note: exact
    response: {id: minted order}
  look:
    methods: [GET]
    path: /shop/{id}
    carrier: none
    request: {id: minted order}
`

// filesOf returns the texts of files.
func filesOf(texts map[string]string) profile.Open {
	return func(file string) ([]byte, error) {
		text, found := texts[filepath.ToSlash(file)]
		if !found {
			return nil, &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
}

// extended parses a profile beside the base.
func extended(text string) (*profile.Profile, error) {
	return profile.ParseWith("team/mine.yaml", []byte(text), filesOf(map[string]string{
		"team/base.yaml": base, "other.yaml": "extends: team/base.yaml\ntitle: Another\n",
		"team/loop.yaml": "extends: ../team/back.yaml\n", "team/back.yaml": "extends: loop.yaml\n",
		"team/mine.yaml": "extends: mine.yaml", "team/broken.yaml": "profile: x\ntitel: y\n",
	}))
}

// rowsOf are the rows of a profile, and where each is written.
func rowsOf(t *testing.T, p *profile.Profile) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, r := range set(t, p).Rows() {
		name := "all"
		if r.Operation != nil {
			name = r.Operation.Name
		}
		all[name+"/"+strings.ToLower(r.Origin.Key)] = r.Field.Says() + " " + r.Origin.Position()
	}
	return all
}

func TestExtend(t *testing.T) {
	t.Parallel()
	const at = "team/base.yaml:"
	whole := map[string]string{
		"all/language": "exact " + at + "9:13", "pay/user": "client shared login " + at + "6:11",
		"pay/amount": "exact " + at + "18:7", "pay/note": "exact " + at + "19:7",
		"pay/id": "minted order " + at + "20:16", "look/id": "minted order " + at + "25:15",
	}
	for _, tt := range []struct {
		name, text string
		change     map[string]string // of the rows of the base; "" for one that is gone
	}{
		{"nothing", "", nil},
		{"a row in place of one", "operations: {pay: {request: {amount: client shared}}}",
			map[string]string{"pay/amount": "client shared team/mine.yaml:2:30"}},
		{"whatever its case", "operations: {pay: {request: {NOTE: ignored}}}",
			map[string]string{"pay/note": "ignored team/mine.yaml:2:30"}},
		{"in place of that of a set", "operations: {pay: {request: {user: ignored}}}",
			map[string]string{"pay/user": "ignored team/mine.yaml:2:30"}},
		{"a row more", "operations: {pay: {response: {date: date iso}}}",
			map[string]string{"pay/date": "date iso team/mine.yaml:2:31"}},
		{"without a row", "operations: {pay: {request: {note: remove}}}", map[string]string{"pay/note": ""}},
		{"without one of a set", "operations: {pay: {request: {user: remove}}}",
			map[string]string{"pay/user": ""}},
		{"a set more", "sets: {more: {comment: ignored}}\noperations: {pay: {request: {include: [more]}}}",
			map[string]string{"pay/comment": "ignored team/mine.yaml:2:15"}},
		{"another row in a set", "sets: {login: {user: ignored}}",
			map[string]string{"pay/user": "ignored team/mine.yaml:2:16"}},
		{"without an operation", "operations: {look: remove}", map[string]string{"look/id": ""}},
		{"without rows", "operations: {pay: {request: remove}}",
			map[string]string{"pay/user": "", "pay/amount": "", "pay/note": ""}},
		{"an operation more", "operations: {go: {methods: [POST], path: /shop/go, carrier: json, request: " +
			"{a: ignored}}}", map[string]string{"go/a": "ignored team/mine.yaml:2:77"}},
		{"a row whose text is that word", "operations: {pay: {request: {remove: ignored}}}",
			map[string]string{"pay/remove": "ignored team/mine.yaml:2:30"}},
	} {
		want := map[string]string{}
		for name, row := range whole {
			want[name] = row
		}
		for name, row := range tt.change {
			if want[name] = row; row == "" {
				delete(want, name)
			}
		}
		p, err := extended("extends: ./base.yaml\n" + tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(want, rowsOf(t, p)); diff != "" || p.Name != "shop" || p.MaxText != 100 {
			t.Errorf("%s: %s, %d: (-want +got):\n%s", tt.name, p.Name, p.MaxText, diff)
		}
	}
}

// TestExtendInTurn lets a profile extend one that extends another.
func TestExtendInTurn(t *testing.T) {
	t.Parallel()
	p, err := extended("extends: ../other.yaml\nprofile: mine\nmaxText: 7\n")
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "mine" || p.Title != "Another" || p.MaxText != 7 || len(p.Operations) != 2 ||
		p.Origin.File != "team/mine.yaml" {
		t.Errorf("%+v", p)
	}
	var files []string
	for _, b := range p.Bases {
		files = append(files, filepath.ToSlash(b.File))
	}
	if diff := cmp.Diff([]string{"other.yaml", "team/base.yaml"}, files); diff != "" {
		t.Error(diff)
	}
}

func TestExtendErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"no file", "extends: none.yaml", "team/mine.yaml:1:10: extends: open team/none.yaml: " +
			"file does not exist"},
		{"itself", "extends: mine.yaml", "team/mine.yaml:1:10: extends: expected a profile that does not " +
			"extend itself, found team/mine.yaml extends team/mine.yaml"},
		{"in turn itself", "extends: loop.yaml", "team/mine.yaml:1:10: extends: team/loop.yaml:1:10: " +
			"extends: team/back.yaml:1:10: extends: expected a profile that does not extend itself, found " +
			"team/mine.yaml extends team/loop.yaml extends team/back.yaml extends team/loop.yaml"},
		{"a broken base", "extends: broken.yaml", "team/mine.yaml:1:10: extends: team/broken.yaml:2:1: " +
			"expected extends, profile, title"},
		{"a list", "extends: [a]", "team/mine.yaml:1:10: extends: expected the name of a profile of ours, " +
			"or a file such as ./bank.yaml, found a list"},
		{"no operation of the base", "extends: base.yaml\noperations:\n  payy: {request: {a: ignored}}",
			`team/mine.yaml:3:3: expected an operation of team/base.yaml, or one more with methods, path ` +
				`and carrier, found "payy": did you mean "pay"?`},
		{"nothing to remove", "extends: base.yaml\noperations: {lok: remove}", `team/mine.yaml:2:14: ` +
			`expected something of team/base.yaml to remove, found "lok": did you mean "look"?`},
		{"no row to remove", "extends: base.yaml\noperations: {pay: {request: {nte: remove}}}",
			`team/mine.yaml:2:30: operation "pay": request: expected a row that the base or a set has, ` +
				`found none to remove`},
		{"a base's row that loses its noun", "extends: base.yaml\noperations: {pay: {response: remove}, " +
			"look: remove}", `team/base.yaml:7:28: entity "order": names: expected a noun that some row ` +
			`has, found "order"`},
		{"a row twice", "extends: base.yaml\noperations: {pay: {request: {amount: ignored, Amount: exact}}}",
			`team/mine.yaml:2:47: expected each name once, found "Amount" again after line 2`},
	} {
		p, err := extended(tt.text)
		if err == nil || p != nil || !strings.HasPrefix(filepath.ToSlash(err.Error()), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := extended("extends: none.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost: %v", err)
	}
	_, err := profile.Parse("mine.yaml", []byte("extends: ./base.yaml"))
	if err == nil || !strings.Contains(err.Error(), "expected a profile of ours: cardv1, ") {
		t.Errorf("without files: %v", err)
	}
}

// TestGivenRules are those that the user has written: a recording warns of those alone that they took
// nothing out.
func TestGivenRules(t *testing.T) {
	t.Parallel()
	s := builtin(t)
	before := len(s.Rules())
	p := parse(t, "extends: gateway\noperations: {refund.do: {request: {coupon: 'client shared, token'}, "+
		"requestHeaders: {X-Coupon: 'ignored, token'}}}\n")
	if err := s.Add(p); err != nil {
		t.Fatal(err)
	}
	var given []string
	for _, r := range s.Rules() {
		if r.Given != "" {
			given = append(given, r.Key)
		}
	}
	if diff := cmp.Diff([]string{"coupon", "x-coupon"}, given); diff != "" {
		t.Error(diff)
	}
	if after := len(s.Rules()); after != before+2 {
		t.Errorf("%d rules, and two on top make %d", before, after)
	}
}

// TestWithoutAnOperation takes out an operation of which ours say more elsewhere.
func TestWithoutAnOperation(t *testing.T) {
	t.Parallel()
	p := parse(t, "extends: gateway\noperations: {refund.do: remove}\n")
	s := builtin(t)
	if err := s.Add(p); err != nil {
		t.Fatal(err)
	}
	if c := s.Find("POST", "/payment/rest/refund.do"); c.Operation != nil {
		t.Error("it is there")
	}
	_, err := profile.Parse("x.yaml", []byte("extends: gateway\noperations: {refund.do: remove}\n"+
		"entities: {binding: {brought: [refun.do]}}\n"))
	if err == nil || !strings.Contains(err.Error(), "x.yaml:3:32: ") {
		t.Errorf("a name that is none: %v", err)
	}
}

// TestExtendOurs puts a row on each of ours, and looks whether the others stay.
func TestExtendOurs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cardv1", "cardv2", "gateway", "http"} {
		data, err := profile.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		want := rowsOf(t, parse(t, string(data)))
		p := parse(t, "extends: "+name+"\ncommon: {request: {zz-mine: ignored}}\n")
		got := rowsOf(t, p)
		if got["all/zz-mine"] != "ignored test.yaml:2:20" || p.Name != name || len(got) != len(want)+1 {
			t.Errorf("%s: %d rows, want %d and one; %q", p.Name, len(got), len(want), got["all/zz-mine"])
		}
		delete(got, "all/zz-mine")
		for key, row := range want {
			if got[key] != strings.Replace(row, "test.yaml:", name+".yaml:", 1) {
				t.Errorf("%s %s: %s, in %s", name, key, got[key], row)
			}
		}
	}
}

// TestDigest tells which changes of a profile are changes of its meaning.
func TestDigest(t *testing.T) {
	t.Parallel()
	first := parse(t, base).Digest
	for _, tt := range []struct {
		name, old, new string
		same           bool
	}{
		{"a comment", "carrier: json", "carrier: json # as the letter says", true},
		{"another title", "A shop", "The shop", true},
		{"spaces", "minted order", "minted  order", true},
		{"another order", "      amount: exact\n      Note: exact", "      Note: exact\n      amount: exact", true},
		{"quotes", "maxText: 100", `maxText: "100"`, true},
		{"another row", "amount: exact", "amount: ignored", false},
		{"a row less", "      amount: exact\n", "", false},
		{"it writes", "writes: true", "writes: false", false},
		{"a field called title", "amount: exact", "title: exact", false},
	} {
		text := strings.Replace(base, tt.old, tt.new, 1)
		if text == base {
			t.Fatalf("%s changes nothing", tt.name)
		}
		if got := parse(t, text).Digest; (got == first) != tt.same || len(got) != 64 {
			t.Errorf("%s: %s, %s before", tt.name, got, first)
		}
	}
	p, err := extended("extends: base.yaml")
	if err != nil || p.Digest != first || p.Bases[0].Digest != first {
		t.Errorf("a profile that adds nothing has the digest %s: %v", p.Digest, err)
	}
}
