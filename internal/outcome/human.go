package outcome

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// Human returns a value as people say it: "49.00 EUR" for an amount, "22 Nov 2026 11:25:21 UTC" for an
// epoch, "paid" for a code. It is empty where the value says it itself, or nobody knows more. The key
// is that of the field; around finds the text of another field of the message by its key, and may be
// nil.
func Human(c profile.Call, f profile.Field, key, text string, around func(key string) (string, bool),
) string {
	const longest = 64 // of anything that has a human form
	if text == "" || len(text) > longest || f.Secret != profile.NotSecret && f.From != profile.Date {
		return ""
	}
	if f.From == profile.Date {
		return moment(f.Form, text)
	}
	if c.Profile == nil || c.Profile.Outcome == nil {
		return ""
	}
	o := c.Profile.Outcome
	key = strings.ToLower(key[strings.LastIndexAny(key, ".>")+1:])
	if code, known := o.Code(key, text); known {
		return code.Words
	}
	if o.IsCurrency(key) {
		return currencyOf(text).unlike(text)
	}
	return moneyWords(o, key, text, around)
}

// unlike returns the code of a currency that is written otherwise.
func (c currency) unlike(text string) string {
	if strings.EqualFold(c.Code, text) {
		return ""
	}
	return c.Code
}

// moment writes a date of a form that people do not read. Epochs are in UTC. A date without a zone
// keeps it so.
func moment(form profile.Form, text string) string {
	layout := layouts[form]
	if layout == "" {
		return ""
	}
	t, ok := dates.Parse(form, text, time.UTC)
	if !ok || t.Year() < 1970 || t.Year() > 9999 {
		return ""
	}
	return t.Format(layout)
}

// layouts are how dates are shown that a form writes without separators.
var layouts = map[profile.Form]string{
	profile.EpochMS: "2 Jan 2006 15:04:05 UTC",
	profile.EpochS:  "2 Jan 2006 15:04:05 UTC",
	profile.Stamp:   "2 Jan 2006 15:04:05",
	profile.Compact: "2 Jan 2006",
	profile.Month:   "Jan 2006",
}
