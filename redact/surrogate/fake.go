package surrogate

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
)

// Fake makes the fakes of one kind of personal data.
type Fake struct {
	// Same brings values that mean the same into one form, so that they get one fake.
	Same func(string) string
	// Make returns the n-th fake in the shape of a value. A fake that is too short to
	// hold n may recur.
	Make func(like string, n int) string
	// Own reports whether a value is one of our fakes.
	Own func(string) bool
}

// FakeOf returns the faker of a kind; false if the kind is no personal data.
func FakeOf(kind profile.Sensitivity) (Fake, bool) {
	switch kind {
	case profile.Name:
		return Fake{strings.ToLower, FakeName, ownName}, true
	case profile.Email:
		return Fake{strings.ToLower, fakeEmail, ownEmail}, true
	case profile.Phone:
		return Fake{scan.Digits, fakePhone, ownPhone}, true
	case profile.Address:
		return Fake{strings.ToLower, fakeAddress, ownAddress}, true
	case profile.Birth:
		return Fake{strings.TrimSpace, fakeBirth, ownBirth}, true
	case profile.Document:
		return Fake{strings.ToLower, fakeCode, ownCode}, true
	case profile.IP:
		return Fake{strings.ToLower, fakeIPs, ownIPs}, true
	}
	return Fake{}, false
}

// Fakes of names begin with a word that nobody is called, and a number in letters.
const (
	fakeFirst  = "taper"
	fakeOthers = "test"
)

// FakeName keeps case, commas and up to three words: "IVANOV, IVAN" becomes "TAPERA, TEST". Of more words
// before a comma, which an API may demand, it keeps the last.
func FakeName(like string, n int) string {
	words := strings.Fields(strings.ReplaceAll(like, ",", ", "))
	if len(words) == 0 {
		return ""
	}
	comma := slices.IndexFunc(words, func(w string) bool { return strings.HasSuffix(w, ",") })
	if comma > 1 && comma+1 < len(words) {
		words = slices.Delete(words, 1, comma)
	}
	words = words[:min(len(words), 3)]
	first := words[0]
	for i, w := range words {
		fake, like := fakeOthers, w
		if i == 0 {
			fake = fakeFirst + inLetters(n)
		} else if !strings.ContainsFunc(w, unicode.IsLetter) {
			like = first // a number has no case of its own
		}
		words[i] = inCase(fake, like)
		if strings.HasSuffix(w, ",") {
			words[i] += ","
		}
	}
	return strings.Join(words, " ")
}

func ownName(s string) bool {
	for i, w := range strings.Fields(strings.ToLower(s)) {
		w = strings.TrimSuffix(w, ",")
		own := strings.HasPrefix(w, fakeFirst) && scan.IsWord(w) && w != fakeFirst
		if !own && (i == 0 || w != fakeOthers) {
			return false
		}
	}
	return true
}

// inLetters writes n, from 1, in letters: a to z, aa to zz, and so on.
func inLetters(n int) string {
	var room [16]byte // an int has fewer
	at := len(room)
	for ; n > 0; n = (n - 1) / 26 {
		at--
		room[at] = byte('a' + (n-1)%26)
	}
	return string(room[at:])
}

// NameNumber returns the n of a fake name from the letters that follow its first word's beginning: 27 of
// the "aa" of TAPERAA. It returns 0 for what is no number.
func NameNumber(letters string) int {
	const longest = 5 // letters of more names than a tape has
	n := 0
	for _, c := range []byte(strings.ToLower(letters)) {
		if c < 'a' || c > 'z' || len(letters) > longest {
			return 0
		}
		n = n*26 + int(c-'a') + 1
	}
	return n
}

// inCase writes an ASCII word in the case of another.
func inCase(word, like string) string {
	switch {
	case isIn(unicode.ToLower, like):
		return word
	case isIn(unicode.ToUpper, like) && utf8.RuneCountInString(like) > 1:
		return strings.ToUpper(word)
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// isIn reports whether a text is in a case.
func isIn(toCase func(rune) rune, s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return toCase(r) != r })
}

const fakeDomain = "@example.com" // reserved by RFC 2606

// fakeEmail returns an address, of what is no address a word: an API may refuse it.
func fakeEmail(like string, n int) string {
	domain := fakeDomain
	if name, host, _ := strings.Cut(like, "@"); name == "" || host == "" {
		domain = ""
	}
	return fmt.Sprintf("%s%d%s", fakeFirst, n, domain)
}

func ownEmail(s string) bool {
	n, first := strings.CutPrefix(strings.TrimSuffix(s, fakeDomain), fakeFirst)
	return first && n != "" && strings.Trim(n, "0123456789") == ""
}

// fakeCountry is a country code that is not assigned, and no card number begins so.
const fakeCountry = "999"

// fakePhone keeps '+', length and grouping.
func fakePhone(like string, n int) string {
	if !isPhone(like) {
		like = "0000000000"
	}
	return scan.Regroup(digitsOf(fakeCountry, n, len(scan.Digits(like))), like)
}

func ownPhone(s string) bool {
	digits := scan.Digits(s)
	return isPhone(s) &&
		(strings.HasPrefix(digits, fakeCountry) || strings.Trim(digits, "9") == "")
}

func isPhone(s string) bool { return strings.Trim(s, "0123456789+-(). ") == "" }

// digitsOf writes n behind a prefix in the given number of digits. Its upper digits go where
// there is no room; where there is hardly any, the prefix alone stays.
func digitsOf(prefix string, n, length int) string {
	if length <= len(prefix) {
		return prefix[:length]
	}
	room := length - len(prefix)
	digits := strconv.Itoa(n)
	if zeros := room - len(digits); zeros > 0 {
		return prefix + strings.Repeat("0", zeros) + digits
	}
	return prefix + digits[len(digits)-room:]
}

// fakeStreet is the first part of every address that is no code.
const fakeStreet = "Taper Street"

// fakeAddress makes a code of a code, such as the code of a state or of a post office, and a street
// of anything longer.
func fakeAddress(like string, n int) string {
	if isCode(like) {
		return fakeCode(like, n)
	}
	return inCase(strings.ToLower(fakeStreet), like) + " " + fmt.Sprint(n)
}

func ownAddress(s string) bool {
	if len(s) < len(fakeStreet) || !strings.EqualFold(s[:len(fakeStreet)], fakeStreet) {
		return isCode(s) && ownCode(s)
	}
	return strings.Trim(s[len(fakeStreet):], " 0123456789") == ""
}

// isCode reports whether s is a short code of capitals and digits.
func isCode(s string) bool {
	const longest = 10
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -"
	letters := strings.Trim(s, "0123456789 -") != ""
	digits := strings.ContainsAny(s, "0123456789")
	return len(s) <= longest && strings.Trim(s, alphabet) == "" &&
		(digits || letters && len(s) <= 3)
}

// Digits of a fake code begin so; a JSON number cannot begin with a zero.
const (
	codeDigits   = "000"
	codeAsNumber = "900"
)

// fakeCode keeps the places of letters and digits: "AB 123456" becomes "ZZ 000001".
func fakeCode(like string, n int) string {
	letters := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsUpper(r):
			return 'Z'
		case unicode.IsLetter(r):
			return 'z'
		}
		return r
	}, like)
	return scan.Regroup(digitsOf(codeDigits, n, len(scan.Digits(like))), letters)
}

// AsJSONNumber writes a fake code as a JSON number, which cannot begin with a zero.
func AsJSONNumber(code string) string {
	if strings.HasPrefix(code, "0") && len(code) > 1 {
		return codeAsNumber[:1] + code[1:]
	}
	return code
}

func ownCode(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) && r != 'Z' && r != 'z' {
			return false
		}
	}
	digits := scan.Digits(s)
	if len(digits) < len(codeDigits) {
		return strings.Trim(strings.TrimPrefix(digits, codeAsNumber[:1]), "0") == ""
	}
	return strings.HasPrefix(digits, codeDigits) || strings.HasPrefix(digits, codeAsNumber)
}

// birthForms are the forms of dates of birth that a fake is made in.
var birthForms = []string{
	time.DateOnly, "20060102", "02.01.2006", "02/01/2006", "2006/01/02", "02-01-2006",
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04:05.999", time.DateTime,
}

// Fakes of dates of birth lie in ten years in which no customer was born.
const (
	fakeYear  = 1900
	fakeYears = 10
)

// fakeBirth returns "" for a value in no known form: it takes a marker then.
func fakeBirth(like string, n int) string {
	for _, form := range birthForms {
		if _, err := time.Parse(form, like); err == nil {
			day := time.Date(fakeYear, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n%(365*fakeYears))
			return day.Format(form)
		}
	}
	return ""
}

func ownBirth(s string) bool {
	for _, form := range birthForms {
		if t, err := time.Parse(form, s); err == nil {
			return t.Year() >= fakeYear && t.Year() < fakeYear+fakeYears
		}
	}
	return false
}

// fakeNets are the networks for documentation (RFC 5737, RFC 3849).
var fakeNets = []netip.Prefix{
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("2001:db8::/32"),
}

// fakeIPs returns an address of the kind of the first in like; lists of addresses, as
// proxies write them, become one.
func fakeIPs(like string, n int) string {
	if strings.Count(like, ":") > 1 && !strings.Contains(like, ".") {
		return fmt.Sprintf("2001:db8::%x", n&0xffff)
	}
	net := fakeNets[n/254%3].Addr().As4()
	net[3] = byte(1 + n%254)
	return netip.AddrFrom4(net).String()
}

func ownIPs(s string) bool {
	a, err := netip.ParseAddr(s)
	if err != nil {
		return false
	}
	for _, net := range fakeNets {
		if net.Contains(a) {
			return true
		}
	}
	return false
}
