package match

import (
	"math"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
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
		{"a prefix before letters alone", "tr_QkEhNaBaXy", "", `^tr_[A-Za-z]{10}$`},
		{"a prefix before digits", "holder-00000001", "", `^holder-\d{8}$`},
		{"letters and digits", "Zx9-k", "", `^[A-Z][a-z]\d-[a-z]$`},
		{"a UUID that tells its time", "019d4378-2a40-7c86-bdbc-bd7d00a8b38b", "",
			`^01a401c4-3460-7[0-9a-f]{3}-b[0-9a-f]{3}-[0-9a-f]{4}00a8b38b$`},
		{"a dash-less UUID", "f47ac10b58cc4372a5670e02b2c3d479", "", `^[0-9a-f]{32}$`},
		{"a ULID", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "", `^01ARZ3NDEK[0-9A-HJKMNP-TV-Z]{16}$`},
		{"a KSUID", "0ujtsYcgvSTl8PAuAdqWYSMnLOv", "", `^\d[A-Za-z0-9]{26}$`},
		{"a nanoid", "V1StGXR8_Z5jdHi6B-myT", "", `^[A-Z]\d[A-Za-z0-9]{6}_[A-Za-z0-9]{8}-[a-z]{2}[A-Z]$`},
		{"an ObjectId", "507f1f77bcf86cd799439011", "", `^[0-9a-f]{24}$`},
		{"an id in two parts", "cs_test_a1b2C3d4E5", "", `^cs_test_[a-z]\d[a-z]\d[A-Z]\d[a-z]\d[A-Z]\d$`},
		{"words inside", "pi_3NqZx1Kk_secret_Yr4Kp9", "", `^pi_\d[A-Z][a-z][A-Z][a-z]\d[A-Z][a-z]_secret_[A-Z][a-z]\d[A-Z][a-z]\d$`},
		{"letters alone", "abcdef-ghijkl", "", `^[a-z]{6}-[a-z]{6}$`},
		{"a number of 19 digits", "9007199254740993123", "", `^9007199254\d{9}$`},
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

// TestFreshNumbersFit makes numbers that fit into what the recorded one fitted.
func TestFreshNumbersFit(t *testing.T) {
	f := newFresher(1, func(identity) bool { return false })
	for recorded, limit := range map[string]uint64{
		"1000000007": math.MaxInt32, "2147483646": math.MaxInt32, "3147483646": math.MaxUint32,
		"9007199254740991": 1<<53 - 1, "9223372036854775806": math.MaxInt64,
		"18446744073709551614": math.MaxUint64, "4500000007": 9_999_999_999,
	} {
		for range 1000 {
			got := f.number(recorded)
			n, err := strconv.ParseUint(got, 10, 64)
			if err != nil || n > limit || len(got) != len(recorded) || got[0] == '0' {
				t.Fatalf("%s became %s, which is more than %d", recorded, got, limit)
			}
		}
	}
}

// TestFreshNumbersPassTheirChecks has numbers that pass a check on tape: they do in replay.
func TestFreshNumbersPassTheirChecks(t *testing.T) {
	f := newFresher(1, func(identity) bool { return false })
	const account, iban, imei = "40817978000000000011", "DE89370400440532013000", "490154203237518"
	for range 100 {
		if got := f.number(account); accountSum(got) != accountSum(account) || got[:11] != account[:11] {
			t.Fatalf("the account %s has another sum", got)
		}
		if got := f.like(&variable{text: iban, birth: &exchange{}}, time.Time{}); !isIBAN(got) ||
			got[:2]+got[4:12] != iban[:2]+iban[4:12] || got == iban {
			t.Fatalf("%s is no account at that bank", got)
		}
		if got := f.number(imei); pan.Residue(got) != pan.Valid {
			t.Fatalf("%s does not pass Luhn", got)
		}
	}
}

// TestFreshIsUnique opens a hundred thousand threads: what identifies never comes twice.
func TestFreshIsUnique(t *testing.T) {
	for _, text := range []string{
		"0193a1b2-0000-7000-8000-0000c0ffee00", "40817978000000000011", "000003456789", "1000000007",
	} {
		taken := map[identity]bool{}
		f := newFresher(1, func(id identity) bool { return taken[id] })
		v := &variable{text: text, birth: &exchange{}}
		for range 100_000 {
			id := identity{text: f.value(v, time.Time{})}
			if taken[id] {
				t.Fatalf("%s came twice", id.text)
			}
			taken[id] = true
		}
	}
}

// FuzzFresh checks that a fresh value has the length of the recorded one, and characters of the
// same kinds in the same places but for hex.
func FuzzFresh(f *testing.F) {
	for _, text := range []string{"pi_3Nq", "0", "ABC-1", "a1", "00", "DE89370400440532013000", "ж1", "_-_"} {
		f.Add(text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		fr := newFresher(seed, func(identity) bool { return false })
		got := fr.value(&variable{text: text, birth: &exchange{}}, time.Time{})
		if len(got) != len(text) {
			t.Fatalf("%q became %q", text, got)
		}
		for i := range len(got) {
			kind, was := class(rune(got[i])), class(rune(text[i]))
			if kind != was && leaf.Hex(got[i]) < 0 && !isULID(text) && !isIBAN(text) {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}
