package request

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/redact/surrogate"
)

// Class is what a key has of a value that may be another in every run. A sandbox answers an empty
// or a malformed value otherwise than a good one, so they are no more alike than two operations.
type Class byte

// The classes. An absent value has none: its parameter is not there.
const (
	There     Class = 't'
	Empty     Class = 'e'
	Blank     Class = 'b' // white space alone, which some APIs take for empty
	Malformed Class = 'm' // no Luhn sum, no such month, no address
	Long      Class = 'l' // longer than the API takes
	Grouped   Class = 'g' // a good card number with separators, which some APIs refuse
	Expired   Class = 'x' // an expiry or a deadline that is past
	Unpadded  Class = 'u' // a month of one digit, which some APIs refuse
)

// Nothing reports whether a value of the class says nothing: an API that wants one refuses it.
func (c Class) Nothing() bool { return c == Empty || c == Blank }

// Class returns the class of a parameter that is sent at a time. On tape a card number stands as
// its surrogate, which tells by its residue whether the number was good.
func (p *Param) Class(at time.Time) Class {
	if p.Text == "" || p.Kind == leaf.Null || p.Kind == leaf.Empty {
		return Empty
	}
	switch p.Field.Secret {
	case profile.PAN:
		return cardClass(p.Text)
	case profile.CVC:
		return cvcClass(p)
	}
	switch p.Field.From {
	case profile.Date:
		return p.dateClass(at)
	case profile.Ignored: // it may be blank, too
	default:
		if isSpace(p.Text) {
			return Blank
		}
	}
	switch p.Field.Secret {
	case profile.PIN:
		if isWithheld(p) {
			return There
		}
	case profile.Token:
		return tokenClass(p)
	}
	if p.Field.Max > 0 && utf8.RuneCountInString(p.Text) > int(p.Field.Max) {
		return Long
	}
	if !shaped(p.Field.As, p.Text) {
		return Malformed
	}
	return There
}

// dateClass returns the class of a date. Whether a deadline is past, the time of the request tells.
func (p *Param) dateClass(at time.Time) Class {
	class := dateClass(p.Field.Form, p.Text, at)
	if !p.Field.Deadline || class != There || at.IsZero() {
		return class
	}
	if t, ok := dates.Parse(p.Field.Form, p.Text, at.Location()); ok && !t.After(at) {
		return Expired
	}
	return There
}

// shaped reports whether a text looks as its row says.
func shaped(shape profile.Shape, text string) bool {
	switch shape {
	case profile.FullURL, profile.WebURL:
		if plainAddress(text) {
			return true // nearly always
		}
		u, err := url.Parse(text)
		web := err == nil && (u.Scheme == "http" || u.Scheme == "https")
		return err == nil && u.Scheme != "" && u.Host != "" && (web || shape == profile.FullURL)
	case profile.MailShape:
		name, host, _ := strings.Cut(text, "@")
		return name != "" && host != "" && !strings.ContainsAny(host, "@ ") &&
			!strings.Contains(name, " ")
	case profile.IPShape:
		_, err := netip.ParseAddr(text)
		return err == nil
	case profile.DayShape:
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case profile.LastFirst:
		last, others, _ := strings.Cut(text, ",")
		return strings.TrimSpace(last) != "" && strings.TrimSpace(others) != ""
	case profile.PINShape:
		return isPIN(text)
	case profile.TelShape:
		digits, plus := strings.CutPrefix(text, "+")
		if !plus {
			digits = strings.TrimPrefix(text, "00")
		}
		return len(digits) >= 7 && len(digits) <= 15 && each(digits, IsDigit)
	}
	return true
}

// plainAddress reports whether a text is an address of the web in which nothing is escaped, and needs no
// more to be looked at.
func plainAddress(text string) bool {
	rest, found := strings.CutPrefix(text, "https://")
	if !found {
		rest, found = strings.CutPrefix(text, "http://")
	}
	host := 0
	for host < len(rest) && (IsLetter(rest[host]) || IsDigit(rest[host]) || rest[host] == '.' ||
		rest[host] == '-') {
		host++
	}
	if !found || host == 0 {
		return false
	}
	behind := rest[host:]
	if port, digits := 1, strings.HasPrefix(behind, ":"); digits {
		for port < len(behind) && IsDigit(behind[port]) {
			port++
		}
		behind = behind[port:]
	}
	plain := func(c byte) bool { return idByte(c) || strings.IndexByte("/?&=.~", c) >= 0 }
	return behind == "" || (behind[0] == '/' || behind[0] == '?') && each(behind, plain)
}

// each reports whether all bytes of a text are as they should be.
func each(text string, is func(byte) bool) bool {
	for i := range len(text) {
		if !is(text[i]) {
			return false
		}
	}
	return true
}

// cardClass returns the class of a card number. What cleaning could not replace by a surrogate was no
// number.
func cardClass(text string) Class {
	digits := pan.Digits(text)
	grouped := func(c byte) bool { return IsDigit(c) || c == ' ' || c == '-' }
	if !each(text, grouped) || len(digits) < 12 || len(digits) > pan.MaxLength {
		return Malformed
	}
	if stands, _ := pan.StandsFor(digits); stands == pan.Surrogate || pan.Residue(digits) == pan.Valid {
		if digits != text {
			return Grouped
		}
		return There
	}
	return Malformed
}

// HasCardLength reports whether a text has as many digits as a card number, or one fewer: what cleaning takes
// for a number by the name of its field, whatever its sum. A text with fewer stays on tape as it is.
func HasCardLength(text string) bool {
	return len(pan.Digits(text)) >= pan.MinLength-1
}

// isPIN reports whether a text is a PIN of four digits (document 1, generatePin: two of them and the other
// two), or an encrypted block: eight bytes (ISO 9564-1) or more.
func isPIN(text string) bool {
	const block = 8
	if each(text, IsDigit) {
		return len(text) == 4 || len(text) >= hex.EncodedLen(block)
	}
	fromHex, hexErr := hex.DecodeString(text)
	fromBase64, base64Err := base64.StdEncoding.DecodeString(text)
	return hexErr == nil && len(fromHex) >= block || base64Err == nil && len(fromBase64) >= block
}

// isSpace reports whether a text, which is not empty, is white space alone.
func isSpace(text string) bool {
	printed := text[0] > ' ' && text[0] < utf8.RuneSelf // as nearly every text begins
	return !printed && strings.TrimSpace(text) == ""
}

// isWithheld reports whether nothing of a secret is left on tape that tells how it looked.
func isWithheld(p *Param) bool {
	number := p.Kind == leaf.Number && p.Text == surrogate.JSONNumber
	return number || strings.Contains(p.Text, surrogate.Withheld)
}

// cvcClass returns the class of a CVC: three digits, four of some issuers. On tape a constant of
// three digits stands for all of these, of two for others that have digits alone, and a zero for a
// JSON number.
func cvcClass(p *Param) Class {
	short := len(p.Text) == 3 || len(p.Text) == 4
	if isWithheld(p) || short && each(p.Text, IsDigit) {
		return There
	}
	return Malformed
}

// tokenClass returns the class of a token: credentials of the scheme Basic are a pair in base64 (RFC 7617,
// 2). Of others, and of what cleaning left, nothing can be told.
func tokenClass(p *Param) Class {
	scheme, pair, found := strings.Cut(p.Text, " ")
	if p.Place != leaf.Header || !found || !strings.EqualFold(scheme, "Basic") ||
		strings.Contains(pair, "REDACTED") {
		return There
	}
	if !isPair(strings.TrimSpace(pair)) {
		return Malformed
	}
	return There
}

// isPair reports whether a text is base64 of two texts with a colon between them.
func isPair(text string) bool {
	var encoded, room [256]byte // nearly all are shorter
	if len(text) > len(encoded) {
		decoded, err := base64.StdEncoding.DecodeString(text)
		return err == nil && bytes.IndexByte(decoded, ':') >= 0
	}
	n, err := base64.StdEncoding.Decode(room[:], encoded[:copy(encoded[:], text)])
	return err == nil && bytes.IndexByte(room[:n], ':') >= 0
}

func dateClass(f profile.Form, text string, at time.Time) Class {
	switch f {
	case profile.MonthOfYear:
		if n := strings.TrimLeft(text, "0"); len(text) > 2 || !each(text, IsDigit) ||
			n == "" || len(n) == 2 && n > "12" {
			return Malformed
		}
		if len(text) == 1 {
			return Unpadded
		}
		return There
	}
	zone := at.Location()
	if at.IsZero() {
		zone = time.UTC
	}
	if _, ok := dates.Parse(f, text, zone); !ok {
		return Malformed
	}
	if dates.Expiry(f) && (text < "2000" || text >= "2201") {
		return Malformed // no card is of another century
	}
	if dates.Expiry(f) && !at.IsZero() && dates.Expired(f, text, at) {
		return Expired
	}
	return There
}

// Expiries returns the months, as "203012", that two parameters of one object tell, a year and a
// month.
func (r *Request) Expiries() []string {
	var months []string
	for i := range r.Params {
		year := &r.Params[i]
		if year.Field.From != profile.Date || year.Field.Form != profile.Year || len(year.Text) != 4 {
			continue
		}
		for j := range r.Params {
			month := &r.Params[j]
			if month.Field.From == profile.Date && month.Field.Form == profile.MonthOfYear &&
				Parent(month.Path) == Parent(year.Path) && month.Class(time.Time{}) != Malformed &&
				month.Text != "" {
				months = append(months, year.Text+("0" + month.Text)[len(month.Text)-1:])
			}
		}
	}
	return months
}

// ExpiryClass returns the class of an expiry at a time.
func ExpiryClass(f profile.Form, text string, at time.Time) Class { return dateClass(f, text, at) }

// Deciding returns the text under which a card number decides what a sandbox answers: its length,
// issuer and last digits, which are all that a tape has of it. Empty for what is no number.
func (p *Param) Deciding() string {
	if p.Field.Secret != profile.PAN {
		return ""
	}
	digits := pan.Digits(p.Text)
	if len(digits) < pan.KeptFirst+pan.KeptLast {
		return ""
	}
	const stars = "*************************"
	hidden := min(len(digits)-pan.KeptFirst-pan.KeptLast, len(stars))
	return digits[:pan.KeptFirst] + stars[:hidden] + digits[len(digits)-pan.KeptLast:]
}
