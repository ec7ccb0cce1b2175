package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseSettings(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"listen": true, "upstream": true, "strict": true}
	for _, test := range []struct {
		name, data string
		want       map[string][]string
		err        string // part of it
	}{
		{"values and a list", "listen: :0\nupstream:\n- sandbox\n- gateway=https://a.example\n",
			map[string][]string{"listen": {":0"},
				"upstream": {"sandbox", "gateway=https://a.example"}}, ""},
		{"text as it is written", "strict: yes\nlisten: 0x10\n",
			map[string][]string{"strict": {"yes"}, "listen": {"0x10"}}, ""},
		{"comments alone", "# nothing yet\n", nil, ""},
		{"an empty file", "", nil, ""},
		{"an empty list", "upstream: []\n", map[string][]string{"upstream": {}}, ""},
		{"an unknown key", "\nlisten: a\nlsten: b\n", nil, `paytape.yaml:3: unknown key "lsten"`},
		{"a key in another case", "Listen: a\n", nil, `paytape.yaml:1: unknown key "Listen"`},
		{"a key twice", "listen: a\nlisten: b\n", nil, `paytape.yaml:2: key "listen" is there twice`},
		{"a mapping below", "listen:\n  host: a\n", nil, `paytape.yaml:1: key "listen": expected`},
		{"a list of lists", "upstream: [[a]]\n", nil, `paytape.yaml:1: key "upstream": expected`},
		{"a list at the top", "- listen\n", nil, "paytape.yaml:1: expected names of flags"},
		{"no YAML", "listen: \"open\n", nil, "paytape.yaml:2: not valid YAML"},
		{"no YAML in the first line", "upstream: http://a:\nfoo", nil, "paytape.yaml:1: not valid YAML"},
		{"no YAML further down", "listen: a\n\tstrict: yes\n", nil, "paytape.yaml:2: not valid YAML"},
		{"a value in the library's words", "\ngateway-password: *S3cret\n", nil,
			"paytape.yaml:1: not valid YAML"},
		{"a second document", "listen: a\n---\nlisten: b\n", nil, "paytape.yaml:2: a second document"},
		{"no value", "strict: yes\nlisten:\n", nil, `paytape.yaml:2: key "listen": expected`},
		{"no value, said so", "listen: null\n", nil, `paytape.yaml:1: key "listen": expected`},
		{"no value in a list", "upstream: [a, ]\n", map[string][]string{"upstream": {"a"}}, ""},
		{"half a list", "upstream:\n- a\n-\n", nil, `paytape.yaml:1: key "upstream": expected`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			all, err := parseSettings([]byte(test.data), known)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || all != nil {
					t.Fatalf("got %v and error %v, want one with %q", all, err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got map[string][]string
			for key, s := range all {
				if got == nil {
					got = map[string][]string{}
				}
				got[key] = s.values
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParseSettings(f *testing.F) {
	f.Add("listen: 127.0.0.1:0\nupstream: [a, b]\n")
	f.Add("listen: &a b\nupstream: *a\n")
	f.Add("- 1\n---\n? x\n")
	known := map[string]bool{"listen": true, "upstream": true}
	f.Fuzz(func(t *testing.T, data string) {
		all, err := parseSettings([]byte(data), known)
		if err != nil && all != nil {
			t.Error("an error comes with settings")
		}
		for key, s := range all {
			if !known[key] || s.line < 1 || s.values == nil {
				t.Errorf("key %q on line %d with values %q", key, s.line, s.values)
			}
		}
	})
}

// Every flag can be set by the environment, under a name of its own.
func TestVariables(t *testing.T) {
	t.Parallel()
	if got := variable("ready-file"); got != "PAYTAPE_READY_FILE" {
		t.Errorf("ready-file is %s", got)
	}
	names := flagNames(testRoot())
	for _, name := range []string{"listen", "dir", "strict", "upstream", "json", "v2-key"} {
		if !names[name] {
			t.Errorf("flag %s cannot be set by the file", name)
		}
	}
	if names["help"] {
		t.Error("help can be set by the file")
	}
}

// Of the three places where a value may come from, the first one that has it decides.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, args, variable string
		want                 []string
	}{
		{"none", "", "", []string{}},
		{"the environment", "", "4276, 4277", []string{"4276", "4277"}},
		{"the flag", "--card-prefix=4278", "4276", []string{"4278"}},
		{"the flag twice", "--card-prefix=4278 --card-prefix=4279", "4276", []string{"4278", "4279"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := testRoot()
			cmd, rest, err := root.Find(append([]string{"replay"}, strings.Fields(test.args)...))
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.ParseFlags(rest); err != nil {
				t.Fatal(err)
			}
			_, err = fillFlags(cmd, func(name string) (string, bool) {
				return test.variable, name == "PAYTAPE_CARD_PREFIX" && test.variable != ""
			})
			// The lookup answers for one name alone: any other must not be filled by it.
			if err != nil || cmd.Flags().Changed("dir") {
				t.Fatalf("error %v", err)
			}
			got, err := cmd.Flags().GetStringSlice("card-prefix")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want int64 // 0: refused
	}{
		{"1", 1}, {"1023", 1023}, {"16M", 16 << 20}, {"500K", 500 << 10}, {"2G", 2 << 30},
		{"0", 0}, {"-1", 0}, {"", 0}, {"M", 0}, {"16MB", 0}, {"1.5M", 0}, {"1 M", 0}, {"16m", 0},
		{"9223372036854775808", 0}, {"9999999999G", 0},
	} {
		var got size
		if err := got.Set(test.text); (err == nil) != (test.want > 0) || int64(got) != test.want {
			t.Errorf("%q: got %d, %v", test.text, got, err)
			continue
		}
		var again size
		if test.want > 0 && (again.Set(got.String()) != nil || again != got) {
			t.Errorf("%q is written as %q", test.text, got.String())
		}
	}
}

func TestParseClock(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, give, want string // want in RFC 3339; "" for an error
	}{
		{"universal time", "2031-05-17T09:30:00Z", "2031-05-17T09:30:00Z"},
		{"a zone stays", "2031-05-17T09:30:00+03:00", "2031-05-17T09:30:00+03:00"},
		{"a fraction of a second", "2031-05-17T09:30:00.5Z", "2031-05-17T09:30:00Z"},
		{"a leap day", "2032-02-29T00:00:00Z", "2032-02-29T00:00:00Z"},
		{"a day that there is not", "2031-02-29", ""},
		{"an hour without a zone", "2031-05-17T09:30:00", ""},
		{"a year", "2031", ""},
		{"a word", "tomorrow", ""},
		{"nothing", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseClock(test.give)
			switch {
			case test.want == "" && err == nil:
				t.Errorf("%q is taken for %s", test.give, got)
			case test.want != "" && (err != nil || got.Format(time.RFC3339) != test.want):
				t.Errorf("got %s, %v, want %s", got.Format(time.RFC3339), err, test.want)
			}
		})
	}
}

func TestADateIsItsMidnightHere(t *testing.T) {
	t.Parallel()
	got, err := parseClock("2031-05-17")
	if want := time.Date(2031, 5, 17, 0, 0, 0, 0, time.Local); err != nil || !got.Equal(want) {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
