package cardv1

import (
	"math/bits"
	"testing"

	"github.com/paytape/paytape/internal/sandbox/mint"
)

// Published vectors of the key check value: zeros under the key of zeros, and under the
// usual test key of double length.
func TestCheckValueVectors(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		key  string
		want string
	}{
		"single length of zeros": {"00000000" + "00000000", "8CA64D"},
		"double length of zeros": {"00000000" + "00000000" + "00000000" + "00000000", "8CA64D"},
		"the test pattern":       {masterKey, "08D7B4"},
		"triple length":          {masterKey + masterKey[:16], "08D7B4"},
	} {
		if got := checkValue(fromHex(row.key)); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

func TestKeysHaveOddParity(t *testing.T) {
	t.Parallel()
	s := mint.NewSource(1, 1)
	for range 100 {
		for _, b := range desKey(s, 24) {
			if bits.OnesCount8(b)%2 == 0 {
				t.Fatal("a byte of a key has even parity")
			}
		}
	}
}
