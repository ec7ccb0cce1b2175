package fresh

import (
	"math"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
)

func TestKeepsTheShape(t *testing.T) {
	recorded := time.Date(2026, 3, 31, 10, 30, 0, 0, time.UTC)
	tests := []struct {
		name, text string
		card       bool
		want       string
	}{
		{"an order id keeps version and suffix", "0193a1b2-0000-7000-8000-0000c0ffee00", false,
			`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{4}c0ffee00$`},
		{"a version 4 UUID", "F47AC10B-58CC-4372-A567-0E02B2C3D479", false,
			`^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-A[0-9A-F]{3}-[0-9A-F]{12}$`},
		{"an rrn keeps its padding", "000003456789", false, `^00000[1-9]\d{6}$`},
		{"an rrn that tells its hour", "609010123456", false, `^706015\d{6}$`},
		{"an rrn that does not", "123456123456", false, `^[1-9]\d{11}$`},
		{"an account keeps bank and currency", "40817978000000000011", false, `^40817978000\d{9}$`},
		{"a STAN", "123456", false, `^[1-9]\d{5}$`},
		{"a prefix that names the kind", "card_8f3a99", false, `^card_[0-9a-f]{6}$`},
		{"a prefix before letters alone", "tr_QkEhNaBaXy", false, `^tr_[A-Za-z]{10}$`},
		{"a prefix before digits", "holder-00000001", false, `^holder-\d{8}$`},
		{"letters before a number", "PO6754973", false, `^PO\d{7}$`},
		{"letters before few digits", "PO1234", false, `^[A-Z]{2}\d{4}$`},
		{"letters and digits", "Zx9-k", false, `^[A-Z][a-z]\d-[a-z]$`},
		{"a UUID that tells its time", "019d4378-2a40-7c86-bdbc-bd7d00a8b38b", false,
			`^01a401c4-3460-7[0-9a-f]{3}-b[0-9a-f]{3}-[0-9a-f]{4}00a8b38b$`},
		{"a dash-less UUID", "f47ac10b58cc4372a5670e02b2c3d479", false, `^[0-9a-f]{32}$`},
		{"a ULID", "01ARZ3NDEKTSV4RRFFQ69G5FAV", false, `^01ARZ3NDEK[0-9A-HJKMNP-TV-Z]{16}$`},
		{"a KSUID", "0ujtsYcgvSTl8PAuAdqWYSMnLOv", false, `^\d[A-Za-z0-9]{26}$`},
		{"a nanoid", "V1StGXR8_Z5jdHi6B-myT", false,
			`^[A-Z]\d[A-Za-z0-9]{6}_[A-Za-z0-9]{8}-[a-z]{2}[A-Z]$`},
		{"an ObjectId", "507f1f77bcf86cd799439011", false, `^[0-9a-f]{24}$`},
		{"an id in two parts", "cs_test_a1b2C3d4E5", false,
			`^cs_test_[a-z]\d[a-z]\d[A-Z]\d[a-z]\d[A-Z]\d$`},
		{"words inside", "pi_3NqZx1Kk_secret_Yr4Kp9", false,
			`^pi_\d[A-Z][a-z][A-Z][a-z]\d[A-Z][a-z]_secret_[A-Z][a-z]\d[A-Z][a-z]\d$`},
		{"letters alone", "abcdef-ghijkl", false, `^[a-z]{6}-[a-z]{6}$`},
		{"a number of 19 digits", "9007199254740993123", false, `^9007199254\d{9}$`},
		{"a card", "427600" + "0000011234", true, `^427600\d{10}$`},
	}
	f := New(1)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := Recorded{Text: tt.text, Card: tt.card, Born: recorded}
			got := f.Like(v, time.Date(2027, 3, 1, 15, 45, 0, 0, time.UTC))
			if !regexp.MustCompile(tt.want).MatchString(got) || got == tt.text {
				t.Errorf("got %q, want %s", got, tt.want)
			}
		})
	}
}

func TestCardIsAsValidAsTheRecorded(t *testing.T) {
	f := New(1)
	base := "427600" + "0000010000"
	for residue, valid := range map[int]bool{pan.Valid: true, pan.Surrogate: true, pan.Broken: false} {
		v := Recorded{Text: pan.WithResidue(base, 11, residue), Card: true}
		got := f.Like(v, time.Time{})
		if (pan.Residue(got) == pan.Valid) != valid {
			t.Errorf("residue %d on tape: valid is %v, want %v", residue, !valid, valid)
		}
	}
}

// TestNumbersFit makes numbers that fit into what the recorded one fitted.
func TestNumbersFit(t *testing.T) {
	f := New(1)
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

// TestNumbersPassTheirChecks has numbers that pass a check on tape: they do in replay.
func TestNumbersPassTheirChecks(t *testing.T) {
	f := New(1)
	const account, iban, imei = "40817978000000000011", "DE89370400440532013000", "490154203237518"
	for range 100 {
		if got := f.number(account); accountSum(got) != accountSum(account) || got[:11] != account[:11] {
			t.Fatalf("the account %s has another sum", got)
		}
		if got := f.Like(Recorded{Text: iban}, time.Time{}); !isIBAN(got) ||
			got[:2]+got[4:12] != iban[:2]+iban[4:12] || got == iban {
			t.Fatalf("%s is no account at that bank", got)
		}
		if got := f.number(imei); pan.Residue(got) != pan.Valid {
			t.Fatalf("%s does not pass Luhn", got)
		}
	}
}

// FuzzLike checks that a fresh value has the length of the recorded one, and characters of the
// same kinds in the same places but for hex.
func FuzzLike(f *testing.F) {
	for _, text := range []string{"pi_3Nq", "0", "ABC-1", "a1", "00", "DE89370400440532013000", "ж1", "_-_"} {
		f.Add(text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		fr := New(seed)
		got := fr.Like(Recorded{Text: text}, time.Time{})
		if len(got) != len(text) {
			t.Fatalf("%q became %q", text, got)
		}
		for i := range len(got) {
			if kind(got[i]) != kind(text[i]) && leaf.Hex(got[i]) < 0 && !isULID(text) && !isIBAN(text) {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}

// kind tells digits, small letters and capitals from each other and from each other sign.
func kind(c byte) byte {
	for _, k := range []string{"09", "az", "AZ"} {
		if k[0] <= c && c <= k[1] {
			return k[0]
		}
	}
	return c
}

func TestKind(t *testing.T) {
	for text, want := range map[string]string{
		"pi_34MYbwzL": "pi_", "tr_QkEhNaBaXy": "tr_", "cs_test_a1b2": "cs_test_", "card_8f3a": "card_",
		"pay-19d0": "pay-", "card_f3a99": "card_", "V1StGXR8_Z5": "", "QXB-8300": "", "8f3a_99": "",
		"abcdef-ghijkl": "", "123456": "", "": "", "deadbeef-4e89-41d3-9a0c-0305e82c3301": "",
	} {
		if got := Kind(text); got != want {
			t.Errorf("the kind of %q is %q, want %q", text, got, want)
		}
	}
}
