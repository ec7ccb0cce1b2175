package pan_test

import (
	"testing"

	"github.com/paytape/paytape/internal/pan"
)

func TestSchemeLike(t *testing.T) {
	tests := []struct{ name, number, like, want string }{
		{"Visa", "411111" + "1111111111", "MIR", "VISA"},
		{"its mask", "411111**1111", "MASTERCARD", "VISA"},
		{"Mastercard", "555555" + "0000000000", "VISA", "MASTERCARD"},
		{"Mastercard, second range", "222300******0000", "visa", "mastercard"},
		{"below it", "222000******0000", "VISA", ""},
		{"Mir", "220138*******0047", "Visa", "Mir"},
		{"beside Mir", "220500******0047", "VISA", ""},
		{"Maestro", "677777******0006", "VISA", ""},
		{"no name of a scheme", "411111******1111", "VISA TEST", ""},
		{"no number", "****1111", "VISA", ""},
		{"too short", "4", "VISA", ""},
	}
	for _, tt := range tests {
		if got, ok := pan.SchemeLike(tt.number, tt.like); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %q, %t, want %q", tt.name, got, ok, tt.want)
		}
	}
}
