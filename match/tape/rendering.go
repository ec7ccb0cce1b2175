package tape

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
)

// Manner is how a rendering is made from a value.
type Manner uint8

// The manners.
const (
	AsIs     Manner = iota
	Grouped         // card digits in the grouping of Like
	Dashless        // without dashes
	Dashed          // a UUID with its dashes, where the value has none
	Padded          // without leading zeros, then padded with them to the length of Like
	Masked          // in the form of the mask Like
	Last            // the last characters, as many as Like has
	Dated           // a date in another form, like Like
	Appended        // an address without its fragment, and '?' or '&' if Like ends with one
	Anchor          // an address's fragment, with its '#'
	Scheme          // the payment network of a card, in the letters of Like
)

// manners are the words for the ways in which a value is written.
var manners = [...]string{
	"as is", "grouped", "without dashes", "with dashes", "padded", "masked", "its last characters",
	"in another form", "with more appended", "its fragment",
	"the name of its payment network",
}

// String returns the words for a manner.
func (m Manner) String() string { return manners[m] }

// Letters is the case of letters in which a value is written.
type Letters uint8

// The cases.
const (
	AnyCase Letters = iota // as the value has them
	Upper
	Lower
)

// Rendering is one way in which a value is written. The zero Rendering is as it is.
type Rendering struct {
	Like    string    // the recorded text, where the manner needs it
	date    *redating // how the date is written; nil for all but Dated
	How     Manner
	Letters Letters
}

// Apply writes a value.
func (r Rendering) Apply(value string) string {
	switch r.Letters {
	case Upper:
		value = strings.ToUpper(value)
	case Lower:
		value = strings.ToLower(value)
	}
	switch r.How {
	case Grouped:
		return pan.Regroup(value, r.Like)
	case Dashless:
		return strings.ReplaceAll(value, "-", "")
	case Dashed:
		return dash(value)
	case Padded:
		value = strings.TrimLeft(value, "0")
		if strings.HasPrefix(r.Like, "0") {
			value = strings.Repeat("0", max(0, len(r.Like)-len(value))) + value
		}
		return value
	case Masked:
		if mask, ok := pan.Mask(value, r.Like); ok {
			return mask
		}
		return r.Like
	case Last:
		return value[max(0, len(value)-len(r.Like)):]
	case Dated:
		return r.date.write(value, r.Like)
	case Appended:
		return r.opening(value)
	case Scheme:
		if name, ok := pan.SchemeLike(value, r.Like); ok {
			return name
		}
		return r.Like
	case Anchor:
		if i := strings.IndexByte(value, '#'); i >= 0 {
			return value[i:]
		}
		return ""
	}
	return value
}

// opening writes an address to which a query is appended.
func (r Rendering) opening(address string) string {
	base, _, _ := strings.Cut(address, "#")
	switch {
	case !strings.HasSuffix(r.Like, "?") && !strings.HasSuffix(r.Like, "&"):
		return base
	case strings.HasSuffix(base, "?") || strings.HasSuffix(base, "&"):
		return base
	case strings.Contains(base, "?"):
		return base + "&"
	}
	return base + "?"
}

// Writes reports whether text is how the rendering writes value.
func (r Rendering) Writes(value, text string) bool {
	switch r.How {
	case Masked:
		return pan.Masks(text, value)
	case Scheme:
		name, ok := pan.SchemeLike(value, r.Like)
		return ok && name == text
	}
	return r.Apply(value) == text
}

// appendForm appends what two renderings must have in common to write alike.
func (r *Rendering) appendForm(b []byte) []byte {
	b = append(b, '0'+byte(r.How), '0'+byte(r.Letters))
	switch r.How {
	case Masked, Last, Padded, Grouped:
		b = append(b, shapeOf(r.Like)...)
	case Dated:
		b = append(b, r.date.to.String()...)
	}
	return b
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
func renderings(text string) []Rendering {
	var rs []Rendering
	if strings.HasPrefix(text, "0") && request.IsDigits(text) {
		rs = append(rs, Rendering{How: Padded})
	}
	ways := []Rendering{{}}
	if strings.Contains(text, "-") {
		ways = append(ways, Rendering{How: Dashless})
	} else if dash(text) != text {
		ways = append(ways, Rendering{How: Dashed})
	}
	for _, w := range ways {
		plain := w.Apply(text)
		if plain != text {
			rs = append(rs, w)
		}
		for _, letters := range []Letters{Upper, Lower} {
			if r := (Rendering{How: w.How, Letters: letters}); r.Apply(text) != plain {
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

// MannerOf returns the manner of a form of the profile's renderings.
func MannerOf(f profile.Form) Manner {
	switch f {
	case profile.Mask:
		return Masked
	case profile.Last:
		return Last
	case profile.Unpadded:
		return Padded
	case profile.Scheme:
		return Scheme
	}
	return AsIs
}

// lettering returns in which letters a text writes a value.
func lettering(value, text string) (Letters, bool) {
	switch text {
	case value:
		return AnyCase, true
	case strings.ToUpper(value):
		return Upper, true
	case strings.ToLower(value):
		return Lower, true
	}
	return AnyCase, false
}

// redating writes a date in another form than its value has.
type redating struct {
	from, to profile.Form
	zone     *time.Location // of forms that tell none
}

// write writes the date that value tells the way like is written.
func (r *redating) write(value, like string) string {
	t, ok := dates.Parse(r.from, value, r.zone)
	if !ok {
		return like
	}
	zone := r.zone
	if shown, ok := dates.Parse(r.to, like, r.zone); ok {
		zone = shown.Location()
	}
	return dates.Write(r.to, t.In(zone), like)
}
