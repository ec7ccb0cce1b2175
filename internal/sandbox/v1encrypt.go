package sandbox

import (
	"encoding/base64"
	"math/big"
)

// publicKey is an RSA public key.
type publicKey struct {
	modulus  *big.Int
	exponent *big.Int
}

// sandboxModulus is the modulus of the sandbox's 2048-bit key. Where the real key comes
// from is not shown. The private half of this one was never kept: a client that decrypts
// needs the key of the real sandbox anyway, and others only pass the value on.
const sandboxModulus = "" +
	"0D6eKKnEZjactG9zgdsuqnm1eISUDTJvteOi0NDzlJZeEKIAXDIh6jJU4PGOdFCXYuuSWRXLPyaw" +
	"XrXT5ut0nOcOF6cwK934CT1QbZxjrtaIOLRbU/u2Z+06k2zoqDmB4fZtvtXTG1IOzCDZ6/8gLlXM" +
	"jx6lm4c7X1iI6ubZ66lO1unnPh+mgMQp5rjuQJHX/i22juVBESXCPorAjibk5NWNB2zk6+WZLMtG" +
	"UP0pcUnhv1MaiTYtHGB6+3HRMeMkEzdLi3i/41eAugQ/nJISHYWFls+X6uH+J7T2Pr3+jNsXMBp3" +
	"C3qcz7v8QdUJbRQbxPEJEjhg73B5Lt+kjJYY4w=="

func sandboxKey() publicKey {
	raw, err := base64.StdEncoding.DecodeString(sandboxModulus)
	if err != nil {
		panic("sandbox: the constant modulus is not base64")
	}
	return publicKey{new(big.Int).SetBytes(raw), big.NewInt(65537)}
}

// encryptSecret is the "public-key RSA in ECB mode" of document 1 (generatePin): one block,
// padded after PKCS #1 v1.5, in base64. The padding comes from the seed and not from
// crypto/rand, because equal seeds must give equal answers; nothing here is a real secret.
func encryptSecret(key publicKey, secret string, s *source) string {
	size := (key.modulus.BitLen() + 7) / 8
	block := make([]byte, size)
	block[1] = 2
	gap := size - len(secret) - 1 // where the zero before the secret stands
	for i := 2; i < gap; i++ {
		block[i] = byte(1 + s.rng.IntN(255))
	}
	copy(block[gap+1:], secret)
	c := new(big.Int).SetBytes(block)
	c.Exp(c, key.exponent, key.modulus)
	return base64.StdEncoding.EncodeToString(c.FillBytes(block))
}
