package leaf

import "testing"

// TestData makes encoders and packers of their texts, and of texts that are none.
func TestData(t *testing.T) {
	t.Parallel()
	for _, e := range []Encoder{
		{}, {kind: Number}, {[]coding{percent, jsonString, firstCharset}, Null},
	} {
		if again, ok := EncoderOf(e.Data()); !ok || !again.Equal(e) {
			t.Errorf("%v became %v", e, again)
		}
	}
	for _, p := range []Packer{
		{}, {packing{chars: base64URL}},
		{packing{base64Std, zlibbed, 6, 76, "\r\n", true, firstCharset + 1}},
	} {
		if again, ok := PackerOf(p.Data()); !ok || *again != p {
			t.Errorf("%v became %v", p, again)
		}
	}
	for _, data := range []string{"", "\x05", "\x00\x09", "\x00\xff"} {
		if _, ok := EncoderOf(data); ok {
			t.Errorf("%q is taken for an encoder", data)
		}
	}
	for _, data := range []string{"", "0 0 0 0 false", "9 0 0 0 false 0 ", "1 0 0 0 false 9 ",
		"1 0 0 7 false 0 ", "1 4 0 0 false 0 ", "1 0 0 -7 false 0 \n", "01 0 0 0 false 0 "} {
		if _, ok := PackerOf(data); ok {
			t.Errorf("%q is taken for a packer", data)
		}
	}
}
