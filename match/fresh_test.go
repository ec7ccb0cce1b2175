package match

import (
	"regexp"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

func TestFreshKeepsTheShape(t *testing.T) {
	recorded := time.Date(2026, 3, 31, 10, 30, 0, 0, time.UTC)
	tests := []struct {
		name, text string
		secret     profile.Sensitivity
		want       string
	}{
		{"an order id keeps version and suffix", "0193a1b2-0000-7000-8000-0000c0ffee00", "",
			`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{4}c0ffee00$`},
		{"a version 4 UUID", "F47AC10B-58CC-4372-A567-0E02B2C3D479", "",
			`^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-A[0-9A-F]{3}-[0-9A-F]{12}$`},
		{"an rrn keeps its padding", "000003456789", "", `^00000[1-9]\d{6}$`},
		{"an rrn that tells its hour", "609010123456", "", `^706015\d{6}$`},
		{"an rrn that does not", "123456123456", "", `^[1-9]\d{11}$`},
		{"an account keeps bank and currency", "40817978000000000011", "", `^40817978000\d{9}$`},
		{"a STAN", "123456", "", `^[1-9]\d{5}$`},
		{"a prefix that names the kind", "card_8f3a99", "", `^card_[0-9a-f]{6}$`},
		{"a prefix before digits", "holder-00000001", "", `^holder-\d{8}$`},
		{"letters and digits", "Zx9-k", "", `^[A-Z][a-z]\d-[a-z]$`},
		{"a card", "427600" + "0000011234", profile.PAN, `^427600\d{10}$`},
	}
	f := newFresher(1, func(identity) bool { return false })
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := &variable{text: tt.text, secret: tt.secret, birth: &exchange{answered: recorded}}
			got := f.value(v, time.Date(2027, 3, 1, 15, 45, 0, 0, time.UTC))
			if !regexp.MustCompile(tt.want).MatchString(got) || got == tt.text {
				t.Errorf("got %q, want %s", got, tt.want)
			}
		})
	}
}

func TestFreshCardIsAsValidAsTheRecorded(t *testing.T) {
	f := newFresher(1, func(identity) bool { return false })
	base := "427600" + "0000010000"
	for residue, valid := range map[int]bool{pan.Valid: true, pan.Surrogate: true, pan.Broken: false} {
		v := &variable{text: pan.WithResidue(base, 11, residue), secret: profile.PAN}
		got := f.value(v, time.Time{})
		if (pan.Residue(got) == pan.Valid) != valid {
			t.Errorf("residue %d on tape: valid is %v, want %v", residue, !valid, valid)
		}
	}
}

func TestFreshAvoidsWhatIsTaken(t *testing.T) {
	taken := map[identity]bool{}
	f := newFresher(1, func(id identity) bool { return taken[id] })
	v := &variable{of: "n", text: "5", birth: &exchange{}}
	for range 8 {
		got := f.value(v, time.Time{})
		if got == "5" || taken[identity{"n", got}] {
			t.Fatalf("%q came twice", got)
		}
		taken[identity{"n", got}] = true
	}
}
