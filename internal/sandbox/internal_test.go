package sandbox

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"math/big"
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		text := encryptSecret(key, "4321", newSource(seed, streamV1))
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
		text := encryptSecret(pair.public, "4321", newSource(seed, streamV1))
		if pair.decrypt(text) != "4321" {
			t.Fatalf("seed %d: the secret does not come back", seed)
		}
		other := encryptSecret(sandboxKey(), "4321", newSource(seed, streamV1))
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
	s := newSource(1, streamV1Extra)
	for range 100 {
		for _, b := range s.desKey(24) {
			if bits.OnesCount8(b)%2 == 0 {
				t.Fatal("a byte of a key has even parity")
			}
		}
	}
}

func TestReadParams(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		query, body string
		want        params
	}{
		"form":                       {"", "a=1&b=2", params{"a": "1", "b": "2"}},
		"query and empty object":     {"a=1", " {} ", params{"a": "1"}},
		"query and form together":    {"a=1", "b=2", params{"a": "1", "b": "2"}},
		"the query comes first":      {"a=1", "a=2", params{"a": "1"}},
		"the first of two counts":    {"a=1&a=2", "", params{"a": "1"}},
		"dollar literal and encoded": {"$PAN=1", "%24CVC=2", params{"$PAN": "1", "$CVC": "2"}},
		"plus and %20 are spaces":    {"a=x+y", "b=x%20y", params{"a": "x y", "b": "x y"}},
		"a semicolon is a character": {"a=x;y", "", params{"a": "x;y"}},
		"a bad escape is absent":     {"a=%zz&%q=1&b=1", "", params{"b": "1"}},
		"a name without a value":     {"a", "", params{"a": ""}},
		"a value with equals signs":  {"a=b=c", "", params{"a": "b=c"}},
	} {
		got, err := readParams(row.query, []byte(row.body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRedirect(t *testing.T) {
	t.Parallel()
	for shop, want := range map[string]string{
		"https://a.example":         "https://a.example?orderId=ID&lang=ru",
		"https://a.example/b?c=%2f": "https://a.example/b?c=%2f&orderId=ID&lang=ru",
		"https://a.example/#part":   "https://a.example/?orderId=ID&lang=ru#part",
		"https://a.example/?c#d?e":  "https://a.example/?c&orderId=ID&lang=ru#d?e",
		"app://done":                "app://done?orderId=ID&lang=ru",
	} {
		if got := redirect(shop, "ID", ""); got != want {
			t.Errorf("redirect of %s is %s, want %s", shop, got, want)
		}
	}
}

func TestCounterGoesRound(t *testing.T) {
	t.Parallel()
	c := &counter{value: 2, lo: 1, hi: 3}
	got := []int64{c.next(), c.next(), c.next(), c.next()}
	if diff := cmp.Diff([]int64{3, 1, 2, 3}, got); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}

func TestDigitsNotZero(t *testing.T) {
	t.Parallel()
	s := newSource(1, streamV1)
	for range 1000 {
		if s.digitsNotZero(1) == "0" {
			t.Fatal("a run of zeros was minted")
		}
	}
}

// Every outcome that a card can have must have its words.
func TestEveryActionHasItsText(t *testing.T) {
	t.Parallel()
	actions := []int{actionNoAttempt, actionNoSuchCard, actionTimedOut, actionExpired}
	for number, action := range testCards {
		if !isCardNumber(number) {
			t.Errorf("the test card ending in %s is not valid", number[12:])
		}
		actions = append(actions, action)
	}
	for _, action := range actions {
		if _, listed := actionTexts[action]; !listed {
			t.Errorf("action code %d has no text", action)
		}
	}
}
