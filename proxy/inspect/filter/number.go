package filter

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/proxy/inspect/view"
)

// comparison is how a number is compared.
type comparison string

// The comparisons, those of two characters first.
var comparisons = []comparison{">=", "<=", ">", "<", "="}

// cutComparison returns the comparison with which a value begins, "=" for none, and the rest.
func cutComparison(value string) (comparison, string) {
	for _, c := range comparisons {
		if rest, found := strings.CutPrefix(value, string(c)); found {
			return c, rest
		}
	}
	return "=", value
}

// holds reports whether a comparison holds between two numbers.
func (c comparison) holds(a, b int64) bool {
	switch c {
	case ">=":
		return a >= b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case "<":
		return a < b
	}
	return a == b
}

// says returns the comparison in words, before a number.
func (c comparison) says() string {
	switch c {
	case ">=":
		return "at least "
	case "<=":
		return "at most "
	case ">":
		return "more than "
	case "<":
		return "less than "
	}
	return ""
}

// compared returns a test that compares a number of a row. has reports whether a row has one.
func compared(what, unit string, c comparison, n int64, of func(r *view.Row) (n int64, has bool)) test {
	return simple(what+" "+c.says()+strconv.FormatInt(n, 10)+unit, func(r *view.Row) bool {
		got, has := of(r)
		return has && c.holds(got, n)
	})
}

// parseStatus takes a status, a comparison with one, or a class of them: "4xx".
func parseStatus(_ *Key, value string) (test, error) {
	code := func(r *view.Row) (int64, bool) { return int64(r.Code), r.Code != 0 }
	if class, found := strings.CutSuffix(lower(value), "xx"); found && len(class) == 1 &&
		class[0] >= '1' && class[0] <= '5' {
		return simple("status "+lower(value), func(r *view.Row) bool {
			return r.Code/100 == int(class[0]-'0')
		}), nil
	}
	c, rest := cutComparison(value)
	n, err := strconv.ParseUint(rest, 10, 16)
	if err != nil {
		return test{}, fmt.Errorf("status is a number, as in 501, 4xx or >=500")
	}
	return compared("status", "", c, int64(n), code), nil
}

// parseMilliseconds compares how long something took. A number alone means the millisecond that a
// list shows.
func parseMilliseconds(_ *Key, value string) (test, error) {
	c, rest := cutComparison(value)
	ms, err := strconv.ParseFloat(rest, 64)
	if err != nil || ms != ms || ms < 0 || ms > 1e9 {
		return test{}, fmt.Errorf("ms is a number of milliseconds, as in >=50")
	}
	bound := time.Duration(ms * float64(time.Millisecond))
	return simple("took "+c.says()+rest+" ms", func(r *view.Row) bool {
		took := r.Took
		if c == "=" {
			took = took.Round(time.Millisecond)
		}
		return c.holds(int64(took), int64(bound))
	}), nil
}

// parseID compares the number of a row.
func parseID(_ *Key, value string) (test, error) {
	c, rest := cutComparison(value)
	n, err := strconv.ParseInt(strings.TrimPrefix(rest, "#"), 10, 64)
	if err != nil || n < 0 {
		return test{}, fmt.Errorf("id is the number of a row, as in 52 or >=50")
	}
	return compared("number", "", c, n, func(r *view.Row) (int64, bool) { return int64(r.ID), true }), nil
}

// decimals is how many digits of a sum are compared behind its point. No currency has more than four.
const decimals = 4

// parseAmount compares a sum of money, or looks for words of it: a currency.
func parseAmount(_ *Key, value string) (test, error) {
	c, rest := cutComparison(value)
	n, ok := sum(rest)
	if !ok && c == "=" && rest == value && !strings.ContainsAny(value[:1], "0123456789.") {
		p := newWords(value)
		return simple("amount "+value, func(r *view.Row) bool {
			return r.Amount != nil && p.inAny(r.Amount.Text.String(), r.Amount.Currency)
		}), nil
	}
	if !ok {
		return test{}, fmt.Errorf("amount is a sum, as in 125.00 or >100, or a currency")
	}
	return simple("amount "+c.says()+rest, func(r *view.Row) bool {
		if r.Amount == nil {
			return false
		}
		number, _, _ := strings.Cut(r.Amount.Text.String(), " ")
		got, ok := sum(number)
		return ok && c.holds(got, n)
	}), nil
}

// sum reads a decimal number of up to 14 digits, and returns it in its ten-thousandth parts.
func sum(text string) (int64, bool) {
	const longest = 14
	text, negative := strings.CutPrefix(text, "-")
	whole, part, _ := strings.Cut(text, ".")
	if whole == "" || len(whole) > longest || len(part) > decimals {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+part+strings.Repeat("0", decimals-len(part)), 10, 63)
	if err != nil {
		return 0, false
	}
	if negative {
		return -int64(n), true
	}
	return int64(n), true
}

// longestAgo bounds "since": what is held is younger.
const longestAgo = 10 * 365 * 24 * time.Hour

// parseSince takes how long ago, or a time of the day. The time of the day is that of this machine,
// and the last such time: in the morning 23:00 was yesterday.
func parseSince(_ *Key, value string) (test, error) {
	if ago, err := time.ParseDuration(value); err == nil && ago > 0 && ago < longestAgo {
		return simple("of the last "+value, func(r *view.Row) bool {
			return !r.At.Before(time.Now().Add(-ago))
		}), nil
	}
	for _, form := range []string{time.TimeOnly, "15:04"} {
		clock, err := time.ParseInLocation(form, value, time.Local)
		if err != nil {
			continue
		}
		return simple("since "+value, func(r *view.Row) bool {
			return !r.At.Before(lastAt(clock, time.Now()))
		}), nil
	}
	return test{}, fmt.Errorf("since is a time, as in 30s, 5m, 2h or 11:25")
}

// lastAt returns the last moment, not after now, at which clocks showed a time of the day.
func lastAt(clock, now time.Time) time.Time {
	at := time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0,
		now.Location())
	if at.After(now) {
		return at.AddDate(0, 0, -1)
	}
	return at
}
