package cardv1

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"math/big"
	"testing"

	"github.com/paytape/paytape/internal/sandbox/mint"
)

// The public key has no private half, so the encryption is proved with another one.
func TestEncryptSecretIsRSA(t *testing.T) {
	t.Parallel()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	key := publicKey{private.N, big.NewInt(int64(private.E))}
	for seed := range uint64(20) {
		text := encryptSecret(key, "4321", mint.NewSource(seed, 1))
		block, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatalf("decoding the cipher text: %v", err)
		}
		m := new(big.Int).SetBytes(block)
		plain := m.Exp(m, private.D, private.N).FillBytes(block)
		padding, secret, _ := bytes.Cut(plain[2:], []byte{0})
		if plain[0] != 0 || plain[1] != 2 || len(padding) < 8 || string(secret) != "4321" {
			t.Fatalf("seed %d: the block does not come back", seed)
		}
	}
}

func TestSandboxKeyIsAnRSAKey(t *testing.T) {
	t.Parallel()
	key := sandboxKey()
	if key.modulus.BitLen() != 2048 || key.modulus.Bit(0) == 0 {
		t.Errorf("the modulus has %d bits or is even", key.modulus.BitLen())
	}
}

// A number encrypted for the stand-in comes back, and nothing else does.
func TestServiceKeyDecrypts(t *testing.T) {
	t.Parallel()
	pair := serviceKey()
	if pair.public.modulus.BitLen() != 2048 {
		t.Errorf("the modulus has %d bits", pair.public.modulus.BitLen())
	}
	for seed := range uint64(20) {
		text := encryptSecret(pair.public, "4321", mint.NewSource(seed, 1))
		if pair.decrypt(text) != "4321" {
			t.Fatalf("seed %d: the secret does not come back", seed)
		}
		other := encryptSecret(sandboxKey(), "4321", mint.NewSource(seed, 1))
		if pair.decrypt(other) != "" {
			t.Fatalf("seed %d: a text under another key was opened", seed)
		}
	}
	zeros := base64.StdEncoding.EncodeToString(make([]byte, 256))
	for _, text := range []string{"", "*", "AAAA", zeros} {
		if pair.decrypt(text) != "" {
			t.Errorf("%d characters that are no cipher text were opened", len(text))
		}
	}
}
