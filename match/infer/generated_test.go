package infer

import (
	"testing"
	"time"
)

// What looks made by a machine, and what people write.
func TestLooksGenerated(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b": true,
		"job_K626QH2ZwgkRZ8":                   true,
		"798480383238":                         true,
		"a1b2":                                 true,  // letters and digits take turns
		"cus_CTdJFDKVyzwL62":                   false, // one number at the end, as in a name: its key tells
		"GceS9CpW-uliZrOArkeITdCvDCFMSVCP":     true,  // few digits, and all kinds in turns
		"PRODUCT-GOLD-2024-EUR":                false,
		"PaymentMethodDetailsCard1":            false,
		"account-holder-name-of-visa1":         false,
		"TV-LG-OLED-C3-55-XL-B":                false,
		"NewOneWayTripFeeOfAir2":               false,
		"pay_by_qr_in_the_app_of_x":            false,
		"VISA Classic":                         false,
		"1200000":                              false, // an amount
		"2024-2025-1999":                       false,
		"REDACTED-token-123456":                false,
		"":                                     false,
	} {
		if got := LooksGenerated(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestTellsTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 31, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]bool{
		"2026-03-31T10:00:00Z": true, "20260331": true, "1774953000": true, "1774953000123": true,
		"1000000000000": false, // of 2001
		"20261331":      false, "177495300": false, "pay_1774953000": false,
	} {
		if got := TellsTime(text, at); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
