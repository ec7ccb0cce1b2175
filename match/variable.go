package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
)

// origin says what a variable is, by where it was born on tape.
type origin uint8

const (
	minted     origin = iota // born in an answer: fresh in every live thread
	unique                   // chosen by the client for one run
	shared                   // chosen by the client, the same in many threads
	configured               // an id that the tape never saw born: must be equal
	date                     // a date born in an answer: shifted
	givenDate                // a date the client made: binds to what is sent
	passing                  // of one recorded thread, but nobody sends it: stays as recorded
)

// variable is a value that travels on tape.
type variable struct {
	origin origin
	of     string // the noun of the profile; empty where none or by inference
	text   string // as recorded at its birth; the digits alone for a card
	form   profile.Form
	birth  *exchange // where it was born
	secret profile.Sensitivity
	// header is set for a value born in a header, recurs for one that turned up again. A
	// header's value that never recurs is of one answer (a Request-id), not of a thread.
	header, recurs bool
	unsent         bool // inferred, though no request on tape carries it
	// ways are those in which requests on tape write the value, beside as it is.
	ways []rendering
	// twin is another date of the same second on tape; nil for none. It may be the same event.
	twin *variable
	sent *exchange // the latest write on tape that carries it; nil if none does
	user *thread   // the last thread to use it, while a tape is compiled
	// self is the template of a parameter that is the variable and nothing else. Requests
	// share it: a login is in every one of a thread.
	self template
	// shown are holes of answers that the variable fills, each other than the rest: answers share
	// them too.
	shown []*hole
}

// alone returns the template of a parameter that is all the variable, as it is: the given one
// or that of an earlier parameter.
func (v *variable) alone(t template) template {
	if v.self == nil {
		v.self = t
	}
	return v.self
}

// written notes a way in which a request writes the value.
func (v *variable) written(r rendering) {
	tail := r.how == last && len(r.like) < embedLength // of many
	if r.how == masked || tail || r.how == grouped || r == (rendering{}) ||
		slices.Contains(v.ways, r) {
		return
	}
	v.ways = append(v.ways, r)
}

// unprefixed returns what stands behind the prefix that names the kind of an id ("tr_"), if
// that is long enough to be found alone; addresses show it so. Else it returns "".
func (v *variable) unprefixed() string {
	kind, tail, _ := strings.Cut(v.text, "_")
	long := len(tail) >= embedLength && (embeddable(tail) || fresh.InBothCases(tail))
	if v.origin != minted || !long || strings.Trim(kind, smallLetters) != "" ||
		strings.Contains(tail, "_") {
		return ""
	}
	return tail
}

// perAnswer reports whether every answer has a value of its own, even where one recorded
// answer is served many times.
func (v *variable) perAnswer() bool { return v.origin == minted && v.header && !v.recurs }

// onWire returns the recorded text as a client may have it. The surrogate of a card number
// that was valid becomes valid by the one digit that made it a surrogate, and agrees with
// every mask as before.
func (v *variable) onWire() string {
	last := len(v.text) - pan.KeptLast - 1
	if v.secret != profile.PAN || last < pan.KeptFirst || v.text != pan.Digits(v.text) ||
		pan.Residue(v.text) != pan.Surrogate {
		return v.text
	}
	return pan.WithResidue(v.text, last, pan.Valid)
}

// identifies reports whether a live value of the variable can tell which flow owns a
// request. Credentials and text without a noun are the same for everybody.
func (v *variable) identifies() bool {
	switch v.origin {
	case minted, unique, configured:
		return true
	case shared:
		return v.of != "" && v.secret != profile.Token
	}
	return false
}

// maxAlike bounds the holes of a variable that are looked through.
const maxAlike = 8

// same returns the hole of an earlier answer that is filled and written like h, or h.
func (v *variable) same(h *hole) *hole {
	for _, o := range v.shown {
		if o.rendering == h.rendering && o.whole == h.whole && o.enc.Equal(h.enc) {
			return o
		}
	}
	if len(v.shown) < maxAlike {
		v.shown = append(v.shown, h)
	}
	return h
}

// rebinds reports whether every request that carries the variable may give it a new value:
// free text and dates that the client makes identify nothing, so a change is no mistake.
func (v *variable) rebinds() bool {
	return v.origin == givenDate || v.origin == shared && v.of == ""
}

// canonical returns the text under which values of a noun are compared: the digits of a
// card number, everything else as it is.
func canonical(f profile.Field, text string) string {
	if f.Secret == profile.PAN {
		if digits := pan.Digits(text); digits != "" {
			return digits
		}
	}
	return text
}

// manner is how a rendering is made from a variable's value.
type manner uint8

const (
	asIs     manner = iota
	grouped         // card digits in the grouping of like
	dashless        // without dashes
	padded          // without leading zeros, then padded with them to the length of like
	masked          // in the form of the mask like
	last            // the last characters, as many as like has
	dashed          // a UUID with its dashes, where the value has none
	dated           // a date in another form, like like
	upper           // in capitals
	lower
	appended // an address without its fragment, and '?' or '&' if like ends with one
	anchor   // an address's fragment, with its '#'
	origins  // the sandbox's own origin; no variable has it
)

// rendering is one way in which a variable's value is written.
type rendering struct {
	like string    // the recorded text, where the manner needs it
	date *redating // how the date is written; nil for all but dated
	how  manner
	// letters is upper or lower where the value is written so besides; else asIs.
	letters manner
}

// apply writes a value.
func (r rendering) apply(value string) string {
	switch r.letters {
	case upper:
		value = strings.ToUpper(value)
	case lower:
		value = strings.ToLower(value)
	}
	switch r.how {
	case grouped:
		return pan.Regroup(value, r.like)
	case dashless:
		return strings.ReplaceAll(value, "-", "")
	case padded:
		value = strings.TrimLeft(value, "0")
		if strings.HasPrefix(r.like, "0") {
			value = strings.Repeat("0", max(0, len(r.like)-len(value))) + value
		}
		return value
	case masked:
		if mask, ok := pan.Mask(value, r.like); ok {
			return mask
		}
		return r.like
	case last:
		return value[max(0, len(value)-len(r.like)):]
	case dashed:
		return dash(value)
	case dated:
		return r.date.write(value, r.like)
	case appended:
		return r.opening(value)
	case anchor:
		if i := strings.IndexByte(value, '#'); i >= 0 {
			return value[i:]
		}
		return ""
	}
	return value
}

// opening writes an address to which a query is appended.
func (r rendering) opening(address string) string {
	base, _, _ := strings.Cut(address, "#")
	switch {
	case !strings.HasSuffix(r.like, "?") && !strings.HasSuffix(r.like, "&"):
		return base
	case strings.HasSuffix(base, "?") || strings.HasSuffix(base, "&"):
		return base
	case strings.Contains(base, "?"):
		return base + "&"
	}
	return base + "?"
}

// writes reports whether text is how the rendering writes value.
func (r rendering) writes(value, text string) bool {
	if r.how == masked {
		return pan.Masks(text, value)
	}
	return r.apply(value) == text
}

// invert returns the value that text renders, where the rendering loses nothing.
func (r rendering) invert(text string) (string, bool) {
	if r.letters != asIs {
		return "", false
	}
	switch r.how {
	case asIs:
		return text, true
	case grouped:
		return pan.Digits(text), true
	}
	return "", false
}

// agrees reports whether two holes are filled alike: the same manner, and the same form
// where the manner has one.
func (r rendering) agrees(o rendering) bool {
	if r.how != o.how || r.letters != o.letters {
		return false
	}
	switch r.how {
	case masked:
		return shapeOf(r.like) == shapeOf(o.like)
	case dated:
		return r.date.to == o.date.to && len(r.like) == len(o.like)
	case last, padded, grouped:
		return len(r.like) == len(o.like)
	}
	return true
}

// shapeOf replaces digits by zeros, so that two masks can be compared.
func shapeOf(mask string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, mask)
}

// renderings returns the other ways in which a value of this text may come back.
func renderings(text string) []rendering {
	var rs []rendering
	if strings.HasPrefix(text, "0") && strings.Trim(text, "0123456789") == "" {
		rs = append(rs, rendering{how: padded})
	}
	ways := []rendering{{}}
	if strings.Contains(text, "-") {
		ways = append(ways, rendering{how: dashless})
	} else if dash(text) != text {
		ways = append(ways, rendering{how: dashed})
	}
	for _, w := range ways {
		plain := w.apply(text)
		if plain != text {
			rs = append(rs, w)
		}
		for _, letters := range []manner{upper, lower} {
			if r := (rendering{how: w.how, letters: letters}); r.apply(text) != plain {
				rs = append(rs, r)
			}
		}
	}
	return rs
}

// dash puts the dashes of a UUID into 32 hex digits. Other text stays as it is.
func dash(text string) string {
	if len(text) != fresh.UUIDLength-4 {
		return text
	}
	u := strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
	if !fresh.IsUUID(u) {
		return text
	}
	return u
}
