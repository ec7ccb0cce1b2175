package scan

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// An id with zeros before its number is no UTF-16, though it has as many zeros; text in UTF-16 is.
func TestZerosAreNoText(t *testing.T) {
	const id = `{"id":"00000000000000000000000000001234"}`
	if MayDecode(id) {
		t.Error("an id with zeros before its number may hold anything")
	}
	for _, order := range []string{"\x00%", "%\x00"} {
		var b strings.Builder
		for _, c := range []byte("4000001111111118") {
			b.WriteString(strings.ReplaceAll(order, "%", string(c)))
		}
		if !mayRead([]byte("\xfb"+b.String()), false) {
			t.Errorf("a number in UTF-16 is taken for noise, order %q", order)
		}
	}
	const number = "003400300030003000300030003100310031003100310031003100310031003800"
	if !MayDecode(`{"id":"` + number + `"}`) {
		t.Error("a number in UTF-16 in hex is taken for noise")
	}
}

// What mayReadAsIs turns away holds nothing for any reader.
func TestNoiseIsNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	some := []string{
		"hello world!", "h\u00e9llo w\u00f6rld", "\x5a\x08\x40\x00\x00\x11\x11\x11\x11\x18", gzipMagic,
		"h\x00e\x00l\x00l\x00o\x00 \x00w\x00o\x00r\x00l\x00d\x00!\x00", "\xff\xfe",
	}
	turnedAway := 0
	for range 50_000 {
		b := make([]byte, random.IntN(60))
		for i := range b {
			if b[i] = byte(random.Uint32()); random.IntN(3) > 0 {
				b[i] = "a0\x00\xc3\xa9\x11"[random.IntN(6)]
			}
		}
		if random.IntN(3) == 0 {
			part := some[random.IntN(len(some))]
			at := random.IntN(len(b) + 1)
			b = append(append(bytes.Clone(b[:at]), part[:random.IntN(len(part)+1)]...), b[at:]...)
		}
		if mayReadAsIs(b) {
			continue
		}
		turnedAway++
		for range textRuns(b) {
			t.Fatalf("text is taken for noise: %x", b)
		}
		for from, to := range cardTLVs(b) {
			if strings.Trim(bcdText(b[from:to]), "0123456789=") == "" {
				t.Fatalf("card data is taken for noise: %x", b)
			}
		}
		for range utf16Runs(b) {
			t.Fatalf("UTF-16 is taken for noise: %x", b)
		}
		if _, marked := byteOrder(b); marked || bytes.Contains(b, []byte(gzipMagic)) {
			t.Fatalf("a mark is not seen: %x", b)
		}
	}
	if turnedAway < 10_000 {
		t.Errorf("only %d of 50,000 are turned away", turnedAway)
	}
}

// BenchmarkMayDecode looks at an answer that has runs of letters and nothing in them.
func BenchmarkMayDecode(b *testing.B) {
	const answer = `{"systemTraceAuditNumber":123456,"localTransactionDate":"2026-11-20T13:18:00",` +
		`"authorizationIdResponse":"A01234","cardId":"00000000000000001234",` +
		`"uniqueReferenceNumber":"REF-0000001234","merchantIdentification":"MERCH0000000001",` +
		`"url":"http://sandbox.test/v1/apigate/ws/rest/cardStatusInquiry"}`
	for name, runs := range map[string]*Memo{"first": nil, "again": NewMemo()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if LookAt(answer).MayDecode(answer, runs) {
					b.Fatal("noise")
				}
			}
		})
	}
}
