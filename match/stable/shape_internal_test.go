package stable

import (
	"regexp"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/match/fresh"
)

// shapeOfAll is the shape of some values.
func shapeOfAll(values ...string) *shape {
	s := &shape{}
	for _, v := range values {
		s.add(v)
	}
	return s
}

// TestShapes says what of the recorded values of a noun a stable tape has, and what it does not have because
// the next recording would have it otherwise.
func TestShapes(t *testing.T) {
	for _, tt := range []struct {
		name, why string
		values    []string
		want      string
	}{
		{"a number", "its first digit is by chance", []string{"73481029"}, `^[1-9]\d{7}$`},
		{"a padded number", "all have the zeros", []string{"000383237484", "000383237485"}, `^000[1-9]\d{8}$`},
		{"one zero by chance", "the others have none", []string{"083237484", "183237484", "283237484"}, `^\d{9}$`},
		{"an account", "all are of one bank and currency",
			[]string{"40817978548409685368", "40817978993409685360"}, `^40817978\d{12}$`},
		{"an account alone", "the first digits name a bank", []string{"40817978548409685368"}, `^40817978\d{12}$`},
		{"a bar code", "two have the prefix", []string{"295115600591", "298579359089"}, `^29\d{10}$`},
		{"10 digits", "the number fits 32 bits, as each may", []string{"1960894538", "9112772246"}, `^1\d{9}$`},
		{"a receipt", "a letter before a number", []string{"R628294422"}, `^R\d{9}$`},
		{"an approval", "the letter is another each time", []string{"U58418", "L02779", "H35248"}, `^[A-Z]\d{5}$`},
		{"a word before an id", "it names the kind", []string{"cus_PAJiIZag3VGJry"}, `^cus_[A-Za-z0-9]{14}$`},
		{"two words", "both name the kind", []string{"cs_test_a1B2c3D4e5"}, `^cs_test_[A-Za-z0-9]{10}$`},
		{"hex", "no letter is beyond f", []string{"e0b6790a1138651c"}, `^[0-9a-f]{16}$`},
		{"capital hex", "with its dash", []string{"5C6FCFD5-7C0F"}, `^[0-9A-F]{8}-[0-9A-F]{4}$`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := shapeOfAll(tt.values...)
			for seed := range uint64(200) {
				made := s.make(seed, tt.values[0])
				if !regexp.MustCompile(tt.want).MatchString(made) {
					t.Fatalf("seed %d makes %q, want %s: %s", seed, made, tt.want, tt.why)
				}
				if again := shapeOfAll(made, s.make(seed+1, tt.values[0])).make(seed, made); again != made {
					t.Fatalf("seed %d makes %q of %q", seed, again, made)
				}
			}
		})
	}
}

// TestAccidentsAreLost makes one value of values that have nothing in common but their kind.
func TestAccidentsAreLost(t *testing.T) {
	at := time.Date(2026, 11, 23, 14, 0, 0, 0, time.UTC)
	for name, values := range map[string][2]string{
		"UUIDs of two variants":                            {"f47ac10b-58cc-4372-a567-0e02b2c3d479", "16197b32-1ab7-45b2-951d-d88fd98803a0"},
		"ids with other digits":                            {"cus_PAJiIZag3VGJry", "cus_g833cDkfZs7TW5"},
		"a number that passes Luhn, and one that does not": {"4000000002", "4000000003"},
	} {
		t.Run(name, func(t *testing.T) {
			var made [2]string
			for i, v := range values {
				made[i] = once(7, shapeOfAll(v), fresh.Recorded{Text: v, Born: at}, at)
			}
			if made[0] != made[1] {
				t.Errorf("%q and %q", made[0], made[1])
			}
		})
	}
}

func TestCardKeepsItsIssuerAndNumber(t *testing.T) {
	number := "427600" + "00005" + "0" + "7978"
	for residue, name := range map[int]string{pan.Surrogate: "valid", pan.Broken: "invalid"} {
		text := pan.WithResidue(number, len(number)-5, residue)
		made := card(3, text)
		if made == text || made[:11] != text[:11] || pan.Residue(made) != residue {
			t.Errorf("%s: %s became %s", name, text, made)
		}
		if again := card(3, made); again != made {
			t.Errorf("%s: %s, made again, is %s", name, made, again)
		}
	}
}

func TestByChance(t *testing.T) {
	at := time.Date(2026, 11, 23, 14, 53, 28, 0, time.UTC)
	for text, want := range map[string]bool{
		"order-A": false, "A-1001": false, "100077": false, "4930000000001": false,
		"f47ac10b-58cc-4372-a567-0e02b2c3d479": true, "f47ac10b58cc4372a5670e02b2c3d479": true,
		"order-1795445608": true, "T1795445608102": true, "V1StGXR8Z5jdHi6BmyTq": true,
		"https://shop.example/back": false, "O-7a6e75f5": true, "checkout2024": false,
	} {
		if byChance(text, at) != want {
			t.Errorf("%q is by chance: %v, want %v", text, !want, want)
		}
	}
}
