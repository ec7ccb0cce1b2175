// Package mint makes the values that the stand-ins invent: numbers of cards, orders and
// transactions, ids, CVCs and PINs. It also knows what can be read off a card number: its
// check digit, its network and the masks that may be shown of it.
//
// The idea: everything is drawn from a Source, which a seed decides, so that equal calls get
// equal answers. How often and in which order values are drawn is therefore part of the
// behaviour of a stand-in.
//
// The limit: nothing here is random enough for a real secret.
package mint

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
)

// Source mints values from the seed. Its owner's lock guards it.
type Source struct {
	rng *rand.Rand
}

// NewSource begins one of the streams of a seed. Streams of one seed do not disturb each
// other.
func NewSource(seed, stream uint64) *Source {
	return &Source{rng: rand.New(rand.NewPCG(seed, stream))}
}

// IntN draws a number from 0 to n-1.
func (s *Source) IntN(n int) int {
	return s.rng.IntN(n)
}

// Digits mints a run of n decimal digits.
func (s *Source) Digits(n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte('0' + s.IntN(10))
	}
	return string(out)
}

// DigitsNotZero never returns a run of zeros: the CVC "000" and the PIN "0000" are what a
// careless template contains, and no card has them.
func (s *Source) DigitsNotZero(n int) string {
	for {
		if d := s.Digits(n); strings.Trim(d, "0") != "" {
			return d
		}
	}
}

func (s *Source) uuid(version byte) [16]byte {
	var id [16]byte
	for i := range id {
		id[i] = byte(s.IntN(256))
	}
	id[6] = version<<4 | id[6]&0x0f
	id[8] = 0x80 | id[8]&0x3f
	return id
}

// UUID4 mints the ids of version 2 and its Request-id.
func (s *Source) UUID4() string {
	return formatUUID(s.uuid(4))
}

// installation ends every orderId and bindingId of this gateway: eight constant hex
// digits (domain facts, Identifiers).
var installation = [4]byte{0x00, 0xc4, 0xa1, 0xe5}

// GatewayID mints an orderId or bindingId: UUID-shaped, version nibble 7, the constant at
// the end (domain facts, Identifiers).
func (s *Source) GatewayID() string {
	id := s.uuid(7)
	copy(id[12:], installation[:])
	return formatUUID(id)
}

func formatUUID(id [16]byte) string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
