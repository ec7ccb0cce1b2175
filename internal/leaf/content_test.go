package leaf_test

import (
	"bytes"
	"compress/flate"
	"errors"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

func TestContentCodingsRoundTrip(t *testing.T) {
	body := []byte(strings.Repeat(`{"orderId":"x"}`, 100))
	for _, coding := range []string{"", "identity", "gzip", "deflate", "br", "zstd", "gzip, br"} {
		coded, err := leaf.Encode(coding, body)
		if err != nil {
			t.Fatalf("encoding %q: %v", coding, err)
		}
		got, err := leaf.Decode(coding, coded, 1<<20)
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("%q: decoding gave %d bytes, %v", coding, len(got), err)
		}
	}
}

func TestDecodeRawDeflate(t *testing.T) {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed)
	_, _ = w.Write([]byte("raw"))
	_ = w.Close()
	got, err := leaf.Decode("deflate", b.Bytes(), 10)
	if err != nil || string(got) != "raw" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	bomb, err := leaf.Encode("gzip", make([]byte, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, coding string
		body         []byte
		limit        int64
		want         error
	}{
		{"an unknown coding", "snappy", []byte("x"), 2 << 20, leaf.ErrCoding},
		{"bytes that are not gzip", "gzip", []byte("plain"), 2 << 20, leaf.ErrCoding},
		{"a truncated stream", "gzip", bomb[:len(bomb)/2], 2 << 20, leaf.ErrCoding},
		{"a bomb", "gzip", bomb, 1000, leaf.ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := leaf.Decode(tt.coding, tt.body, tt.limit); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// FuzzDecode checks that no bytes make a decoder panic or pass its limit.
func FuzzDecode(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		coded, err := leaf.Encode(coding, []byte("some text, some text"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(coding, coded)
	}
	f.Fuzz(func(t *testing.T, coding string, body []byte) {
		const limit = 1 << 16
		got, err := leaf.Decode(coding, body, limit)
		if err == nil && len(got) > limit && len(got) > len(body) {
			t.Fatalf("%d bytes decoded past the limit", len(got))
		}
	})
}
