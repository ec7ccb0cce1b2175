package pieces

import (
	"bytes"
	"errors"
	"strconv"
)

// What stands around numbers in an exchange. The number is in the last line; that of the cause of a
// callback is in the first line of what is told of the callback.
const (
	numberStart = "    number: "
	causeStart  = "    callback:\n      of: "
)

// appendDistances appends a unit with its numbers as distances, and returns the number of the unit. A
// unit without a number, or with one that does not go up, is appended as it is and has the number of
// the unit before.
func appendDistances(to, unit []byte, last int) ([]byte, int) {
	above, n, ok := splitNumber(unit)
	if !ok || n <= last {
		return append(to, unit...), last
	}
	before, cause, after, ok := splitCause(above)
	if of, err := strconv.Atoi(string(cause)); ok && err == nil && of > 0 && of < n {
		to = append(append(to, before...), '-')
		to = strconv.AppendInt(to, int64(n-of), 10)
		to = append(to, after...)
	} else {
		to = append(to, above...)
	}
	to = append(to, numberStart+"+"...)
	to = strconv.AppendInt(to, int64(n-last), 10)
	return append(to, '\n'), n
}

// splitNumber cuts the last line off a unit if it has a number as a tape has it.
func splitNumber(unit []byte) (above []byte, n int, ok bool) {
	above, digits, ok := lastLine(unit)
	if !ok {
		return nil, 0, false
	}
	n, err := strconv.Atoi(string(digits))
	return above, n, err == nil && n > 0 && strconv.Itoa(n) == string(digits)
}

// lastLine cuts off the last line if it is that of a number, and returns what stands in it.
func lastLine(unit []byte) (above, told []byte, ok bool) {
	body, ended := bytes.CutSuffix(unit, []byte("\n"))
	at := bytes.LastIndexByte(body, '\n') + 1
	told, ok = bytes.CutPrefix(body[at:], []byte(numberStart))
	return unit[:at], told, ok && ended && at > 0
}

// splitCause cuts what is above the number around what is told of the cause of a callback.
func splitCause(above []byte) (before, cause, after []byte, ok bool) {
	at := bytes.Index(above, []byte(causeStart))
	if at < 0 {
		return nil, nil, nil, false
	}
	at += len(causeStart)
	n := bytes.IndexByte(above[at:], '\n')
	if n < 0 {
		return nil, nil, nil, false
	}
	return above[:at], above[at : at+n], above[at+n:], true
}

// errDistance is returned for a text that no piece has.
var errDistance = errors.New("a number in a piece is out of range")

// Restore returns the stretch of a file that a piece was made of.
func Restore(text []byte, base int) ([]byte, error) {
	if base == Verbatim {
		return text, nil
	}
	raw := make([]byte, 0, len(text)+len(text)/64)
	last := base
	for len(text) > 0 {
		n := unitLength(text)
		var err error
		if raw, last, err = appendNumbers(raw, text[:n], last); err != nil {
			return nil, err
		}
		text = text[n:]
	}
	return raw, nil
}

// unitLength returns how long the first unit is: up to the next line that does not begin with a space.
func unitLength(text []byte) int {
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		if at += n + 1; at == len(text) || text[at] != ' ' {
			return at
		}
	}
}

// appendNumbers undoes appendDistances.
func appendNumbers(to, unit []byte, last int) ([]byte, int, error) {
	above, told, ok := lastLine(unit)
	distance, relative := bytes.CutPrefix(told, []byte("+"))
	if !ok || !relative {
		return append(to, unit...), last, nil
	}
	d, err := strconv.Atoi(string(distance))
	if err != nil || d <= 0 || last+d <= last {
		return nil, 0, errDistance
	}
	n := last + d
	before, cause, after, ok := splitCause(above)
	back, relative := bytes.CutPrefix(cause, []byte("-"))
	if ok && relative {
		d, err := strconv.Atoi(string(back))
		if err != nil || d <= 0 || d >= n {
			return nil, 0, errDistance
		}
		to = append(to, before...)
		to = strconv.AppendInt(to, int64(n-d), 10)
		to = append(to, after...)
	} else {
		to = append(to, above...)
	}
	to = append(to, numberStart...)
	to = strconv.AppendInt(to, int64(n), 10)
	return append(to, '\n'), n, nil
}

// Text returns the text of a stretch of a file that is a piece with a number before its first.
func Text(raw []byte, base int) []byte {
	if base == Verbatim {
		return raw
	}
	text := make([]byte, 0, len(raw)+len(raw)/64)
	last := base
	for len(raw) > 0 {
		n := unitLength(raw)
		text, last = appendDistances(text, raw[:n], last)
		raw = raw[n:]
	}
	return text
}
