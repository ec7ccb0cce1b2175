package pan_test

import (
	"testing"

	"github.com/paytape/paytape/internal/pan"
)

func TestIsCard(t *testing.T) {
	tests := []struct {
		name, digits string
		want         bool
	}{
		{"Visa", "411111" + "1111111111", true},
		{"Mastercard", "555555" + "5555555599", true},
		{"American Express", "378282" + "246310005", true},
		{"one digit off", "411111" + "1111111112", false},
		{"epoch milliseconds", "1517746541000", false},
		{"an rrn", "003456789012", false},
		{"a number too long", "411111" + "11111111111111", false},
		{"the template of createVirtualCard", "427600" + "0000000000", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := pan.IsCard(tt.digits); got != tt.want {
				t.Errorf("IsCard = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWithResidueReachesEvery(t *testing.T) {
	number := "411111" + "0000001111"
	for at := range len(number) {
		for residue := range 10 {
			got := pan.WithResidue(number, at, residue)
			if r := pan.Residue(got); r != residue {
				t.Fatalf("digit %d: residue %d, want %d", at, r, residue)
			}
		}
	}
}

func TestMask(t *testing.T) {
	const number = "4000001234" + "561118"
	tests := []struct {
		name, like, want string
		ok               bool
	}{
		{"two stars", "411111**1111", "400000**1118", true},
		{"all stars", "220138*******0047", "400000*******1118", true},
		{"ten shown", "6777770000**0006", "4000001234**1118", true},
		{"capital X, tail only", "XXXXXXXXXXXX1111", "XXXXXXXXXXXX1118", true},
		{"a number is no mask", "4111", "", false},
		{"a word is no mask", "Xavier", "", false},
		{"stars alone show nothing", "****", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := pan.Mask(number, tt.like)
			if got != tt.want || ok != tt.ok {
				t.Errorf("got %q, %v; want %q, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestRegroup(t *testing.T) {
	if got := pan.Regroup("12345678", "41-1 1x11"); got != "12-3 4x56" {
		t.Errorf("got %q", got)
	}
}

func TestEnds(t *testing.T) {
	for in, want := range map[string]string{
		"411111" + "1111111111": "411111*1111", "411111**1111": "411111*1111",
		"6777770000**0006": "677777*0006", "XXXX1111": "", "4111": "", "41111a**1111": "",
	} {
		if got, ok := pan.Ends(in); got != want || ok != (want != "") {
			t.Errorf("Ends of a number of %d characters: got %q, %v; want %q", len(in), got, ok, want)
		}
	}
}
