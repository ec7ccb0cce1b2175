package sandbox

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// Each API draws from its own stream of the seed, so that calls to one do not change what
// another mints.
const (
	streamCards uint64 = iota + 1
	streamGateway
	streamV1
	streamV2
	streamV1Extra
)

// source mints values from the seed. Its owner's lock guards it.
type source struct {
	rng *rand.Rand
}

func newSource(seed, stream uint64) *source {
	return &source{rng: rand.New(rand.NewPCG(seed, stream))}
}

func (s *source) digits(n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte('0' + s.rng.IntN(10))
	}
	return string(out)
}

// digitsNotZero never returns a run of zeros: the CVC "000" and the PIN "0000" are what a
// careless template contains, and no card has them.
func (s *source) digitsNotZero(n int) string {
	for {
		if d := s.digits(n); strings.Trim(d, "0") != "" {
			return d
		}
	}
}

func (s *source) uuid(version byte) [16]byte {
	var id [16]byte
	for i := range id {
		id[i] = byte(s.rng.IntN(256))
	}
	id[6] = version<<4 | id[6]&0x0f
	id[8] = 0x80 | id[8]&0x3f
	return id
}

// uuid4 mints the ids of version 2 and its Request-id.
func (s *source) uuid4() string {
	return formatUUID(s.uuid(4))
}

// installation ends every orderId and bindingId of this gateway: eight constant hex
// digits (domain facts, Identifiers).
var installation = [4]byte{0x00, 0xc4, 0xa1, 0xe5}

// gatewayID mints an orderId or bindingId: UUID-shaped, version nibble 7, the constant at
// the end (domain facts, Identifiers).
func (s *source) gatewayID() string {
	id := s.uuid(7)
	copy(id[12:], installation[:])
	return formatUUID(id)
}

func formatUUID(id [16]byte) string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// counter hands out the numbers from lo to hi in order and then goes round. Its owner's
// lock guards it.
type counter struct {
	value, lo, hi int64
}

// newCounter starts at a place that the seed decides.
func newCounter(s *source, lo, hi int64) *counter {
	return &counter{value: lo + s.rng.Int64N(hi-lo+1), lo: lo, hi: hi}
}

func (c *counter) next() int64 {
	c.value++
	if c.value > c.hi {
		c.value = c.lo
	}
	return c.value
}

// hourRRN is the form YDDDHHnnnnnn: last digit of the year, day of the year, hour, number
// (domain facts, Identifiers).
func hourRRN(at time.Time, number int64) string {
	return fmt.Sprintf("%d%03d%02d%06d", at.Year()%10, at.YearDay(), at.Hour(), number)
}

// issuer makes card numbers for both versions of the card service, no number twice.
type issuer struct {
	prefix string

	mu     sync.Mutex // guards the fields below
	source *source
	issued map[string]bool
}

func newIssuer(prefix string, s *source) *issuer {
	return &issuer{prefix: prefix, source: s, issued: map[string]bool{}}
}

// template stands for "a new number" in createVirtualCard and is never issued.
func (i *issuer) template() string {
	return i.prefix + "0000000000"
}

func (i *issuer) next() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	for {
		body := i.prefix + i.source.digits(9)
		number := body + string(luhnDigit(body))
		if number == i.template() || i.issued[number] {
			continue
		}
		i.issued[number] = true
		return number
	}
}

// luhnDigit is the check digit that completes a card number.
func luhnDigit(body string) byte {
	sum := 0
	for i := range len(body) {
		d := int(body[len(body)-1-i] - '0')
		if i%2 == 0 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return byte('0' + (10-sum%10)%10)
}

// isCardNumber tells whether s has 13 to 19 digits and a right check digit.
func isCardNumber(s string) bool {
	return len(s) >= 13 && len(s) <= 19 && isDigits(s) && s[len(s)-1] == luhnDigit(s[:len(s)-1])
}

// mask shows the first six and last four digits with the given number of stars between.
func mask(number string, stars int) string {
	return number[:6] + strings.Repeat("*", stars) + number[len(number)-4:]
}

// cardMask keeps the length of the number.
func cardMask(number string) string {
	return mask(number, len(number)-10)
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

const (
	dayForm   = "2006-01-02"
	monthForm = "200601" // expiry dates everywhere: YYYYMM
	zonedForm = "2006-01-02T15:04:05-07:00"
	localForm = "2006-01-02T15:04:05"
)

// isTime tells whether s is a time in the given form and nothing looser.
func isTime(form, s string) bool {
	t, err := time.Parse(form, s)
	return err == nil && t.Format(form) == s
}

// isMoment tells whether s is empty, a day or a time: what document 1 calls a DateTime. A
// time may lack its zone.
func isMoment(s string) bool {
	return s == "" || isTime(dayForm, s) || isTime(localForm, s) || isTime(zonedForm, s)
}

// dayOf is the day of a moment that is not empty, in the zone it was written in.
func dayOf(moment string) string {
	return moment[:len(dayForm)]
}

// isOver tells whether a card with this expiry (YYYYMM) can no longer be used: it is good
// to the end of its month.
func isOver(expiry string, now time.Time) bool {
	return expiry < now.Format(monthForm)
}
