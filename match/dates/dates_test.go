package dates

import (
	"slices"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/profile"
)

func TestMove(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	at := instant(t)
	tests := []struct {
		name             string
		form             profile.Form
		text             string
		recorded, served time.Time
		want             string
	}{
		{"epoch ms keeps its distance", profile.EpochMS, "1774953001500", at("2026-03-31T10:30:00Z"),
			at("2027-03-01T15:45:00Z"), "1803915901500"},
		{"epoch s", profile.EpochS, "1774953000", at("2026-03-31T10:30:00Z"), at("2026-03-31T10:30:07Z"),
			"1774953007"},
		{"zone and no fraction", profile.ISO, "2026-03-31T13:30:00+03:00", at("2026-03-31T10:30:00Z"),
			at("2027-03-01T15:45:00Z"), "2027-03-01T18:45:00+03:00"},
		{"Z and a fraction", profile.ISO, "2026-03-31T10:30:00.250Z", at("2026-03-31T10:30:00Z"),
			at("2027-03-01T15:45:00Z"), "2027-03-01T15:45:00.250Z"},
		{"no zone is the tape's", profile.ISO, "2026-03-31T11:30:00",
			at("2026-03-31T10:30:00Z").In(berlin),
			at("2027-03-01T15:45:00Z"), "2027-03-01T16:45:00"},
		{"zone without colon", profile.ISO, "2026-03-31T13:30:00+0300", at("2026-03-31T10:30:00Z"),
			at("2026-04-01T10:30:00Z"), "2026-04-01T13:30:00+0300"},
		{"a day moves by calendar days", profile.Day, "2026-04-01", at("2026-03-31T23:30:00Z"),
			at("2026-04-01T00:10:00Z"), "2026-04-02"},
		{"a compact day over 29 February", profile.Compact, "20280227", at("2028-02-27T12:00:00Z"),
			at("2028-02-29T12:00:00Z"), "20280229"},
		{"an expiry moves by months", profile.Month, "202911", at("2026-11-30T12:00:00Z"),
			at("2027-02-01T12:00:00Z"), "203002"},
		{"an expiry stays within the month", profile.Month, "202911", at("2026-11-01T12:00:00Z"),
			at("2026-11-30T12:00:00Z"), "202911"},
		{"a recording years old", profile.ISO, "2019-02-28T23:59:59.999Z", at("2019-03-01T00:00:00Z"),
			at("2028-03-01T00:00:00Z"), "2028-02-29T23:59:59.999Z"},
		{"something in the future stays there", profile.ISO, "2019-03-01T00:20:00",
			at("2019-03-01T00:00:00Z"),
			at("2031-12-31T23:50:00Z"), "2032-01-01T00:10:00"},
		{"seconds do not slip", profile.ISO, "2026-03-31T10:30:00", at("2026-03-31T10:30:00.25Z"),
			at("2026-04-01T10:30:00.01Z"), "2026-04-01T10:30:00"},
		{"a stamp over a year's end", profile.Stamp, "20261231235930", at("2026-12-31T23:59:00Z"),
			at("2028-12-31T23:59:45Z"), "20290101000015"},
		{"as HTTP writes it", profile.HTTPDate, "Tue, 31 Mar 2026 10:30:00 GMT",
			at("2026-03-31T10:30:00Z"),
			at("2028-02-29T23:00:00Z"), "Tue, 29 Feb 2028 23:00:00 GMT"},
		{"with a distance for a zone", profile.HTTPDate, "Tue, 31 Mar 2026 10:30:00 +0300",
			at("2026-03-31T07:30:00Z"),
			at("2026-03-31T22:30:00Z"), "Wed, 01 Apr 2026 01:30:00 +0300"},
		{"a day of the tape's zone", profile.Day, "2026-03-31", at("2026-03-31T22:30:00Z").In(berlin),
			at("2026-04-01T22:30:00Z"), "2026-04-01"},
		{"the day after in the tape's zone", profile.Day, "2026-03-31",
			at("2026-03-31T22:30:00Z").In(berlin),
			at("2026-04-01T23:30:00Z"), "2026-04-02"},
		{"a month never loses a day", profile.Month, "202701", at("2026-12-31T12:00:00Z"),
			at("2027-01-31T12:00:00Z"), "202702"},
		{"a year", profile.Year, "2030", at("2026-12-31T12:00:00Z"), at("2028-01-01T00:00:00Z"), "2032"},
		{"Java's toString", profile.Java, "Tue Mar 31 10:30:00 UTC 2026", at("2026-03-31T10:30:00Z"),
			at("2026-04-01T10:30:00Z"), "Wed Apr 01 10:30:00 UTC 2026"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Move(tt.form, tt.text, tt.recorded, tt.served); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// instant returns a function that reads a time as RFC 3339 writes it.
func instant(t *testing.T) func(string) time.Time {
	return func(s string) time.Time {
		v, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A term of whole months ends on the same day of a month; any other keeps its distance.
func TestMoveTerm(t *testing.T) {
	at := instant(t)
	tests := []struct {
		name             string
		form             profile.Form
		text             string
		recorded, served time.Time
		want             string
	}{
		{"a month of 30 days becomes one of 31", profile.ISO, "2026-12-29T10:23:02Z",
			at("2026-11-29T10:23:02.4Z"), at("2027-03-01T00:00:00Z"), "2027-04-01T00:00:00Z"},
		{"a month, a second later", profile.EpochS, "1798539783", at("2026-11-29T10:23:02Z"),
			at("2027-01-01T00:00:00Z"), "1801440001"},
		{"a month from the last of January", profile.ISO, "2026-12-15T10:00:00Z",
			at("2026-11-15T10:00:00Z"), at("2027-01-31T10:00:00Z"), "2027-02-28T10:00:00Z"},
		{"to the end of a shorter month", profile.ISO, "2027-02-28T10:00:00Z",
			at("2027-01-31T10:00:00Z"), at("2027-03-05T10:00:00Z"), "2027-04-05T10:00:00Z"},
		{"two years", profile.ISO, "2028-11-29T10:23:02Z", at("2026-11-29T10:23:02Z"),
			at("2027-03-01T00:00:00Z"), "2029-03-01T00:00:00Z"},
		{"a month before", profile.ISO, "2026-10-29T10:23:02Z", at("2026-11-29T10:23:02Z"),
			at("2027-03-31T00:00:00Z"), "2027-02-28T00:00:00Z"},
		{"thirty days", profile.ISO, "2026-12-31T10:23:02Z", at("2026-12-01T10:23:02Z"),
			at("2027-03-01T00:00:00Z"), "2027-03-31T00:00:00Z"},
		{"two days", profile.EpochS, "1796120582", at("2026-11-29T10:23:02Z"),
			at("2027-03-01T00:00:00Z"), "1804032000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := MoveTerm(tt.form, tt.text, tt.recorded, tt.served); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// FuzzParse checks that what is read as a date is written back as it was.
func FuzzParse(f *testing.F) {
	f.Add("iso", "2026-03-31T13:30:00.5+03:00")
	f.Add("iso", "0000-01-01400:00:00")
	f.Add("iso", "0000-01-01A0:00:00,10")
	f.Add("epoch-ms", "1774953001500")
	f.Add("epoch-s", "10000000000000000")
	f.Add("yyyymm", "203012")
	f.Add("yyyy", "2030")
	f.Add("mm", "09")
	f.Add("java", "Mon Jan 31 21:46:52 UTC 2022")
	f.Fuzz(func(t *testing.T, word, text string) {
		form := profile.ISO
		for form < profile.Java && form.String() != word {
			form++
		}
		d, ok := Parse(form, text, time.UTC)
		if !ok {
			return
		}
		again, ok := Parse(form, Write(form, d, text), time.UTC)
		if !ok || !again.Equal(d) {
			t.Fatalf("%q read as %v and again as %v", text, d, again)
		}
	})
}

func TestExpired(t *testing.T) {
	at := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	for month, want := range map[string]bool{
		"202610": true, "202611": false, "203012": false, "": false,
	} {
		if got := Expired(profile.Month, month, at); got != want {
			t.Errorf("Expired(%q) = %v, want %v", month, got, want)
		}
	}
	for year, want := range map[string]bool{"2025": true, "2026": false, "2030": false, "": false} {
		if got := Expired(profile.Year, year, at); got != want {
			t.Errorf("Expired(%q) = %v, want %v", year, got, want)
		}
	}
}

// TestFindsStampsOfTwoParts finds a date as 3-D Secure 1 writes it as one date.
func TestFindsStampsOfTwoParts(t *testing.T) {
	const text = "20261123 15:10:18"
	want := []Span{{From: 0, To: len(text), Form: profile.Stamp}}
	if got := Find(text); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	day := []Span{{From: 0, To: len("20261123"), Form: profile.Compact}}
	if got := Find("20261123 at noon"); !slices.Equal(got, day) {
		t.Errorf("got %v, want %v", got, day)
	}
}
