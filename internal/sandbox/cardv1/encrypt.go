package cardv1

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"

	"github.com/paytape/paytape/internal/sandbox/mint"
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
	return publicKey{fromBase64(sandboxModulus), big.NewInt(65537)}
}

// encryptSecret is the "public-key RSA in ECB mode" of document 1 (generatePin): one block,
// padded after PKCS #1 v1.5, in base64. The padding comes from the seed and not from
// crypto/rand, because equal seeds must give equal answers; nothing here is a real secret.
func encryptSecret(key publicKey, secret string, s *mint.Source) string {
	size := (key.modulus.BitLen() + 7) / 8
	block := make([]byte, size)
	block[1] = 2
	gap := size - len(secret) - 1 // where the zero before the secret stands
	for i := 2; i < gap; i++ {
		block[i] = byte(1 + s.IntN(255))
	}
	copy(block[gap+1:], secret)
	c := new(big.Int).SetBytes(block)
	c.Exp(c, key.exponent, key.modulus)
	return base64.StdEncoding.EncodeToString(c.FillBytes(block))
}

// keyPair is an RSA key of the stand-in's own, for what clients encrypt.
type keyPair struct {
	public  publicKey
	private *big.Int // exponent
}

// The primes of the key under which clients encrypt a card number (encryptedCardNumber).
// Neither key nor format is shown; here it is the RSA of generatePin in the other direction,
// and the public half can be read at the control address. It guards nothing.
const (
	servicePrime1 = "" +
		"8mwtcewrkD3+r2LPnqwsaeQAH4pieRMGhJ/y04CSdytts6psISTNHrJp2biKeAMGRMXqKPUZITpM" +
		"LxjVvJM7b+yNPWiuWq7IaIb0gDtzH/GUFgw9Ezb6sWmB5TRqpmtUeX+lYfLlTdMDAh7TKz55iM7Y" +
		"NDKUk8z20N4jctCNN58="
	servicePrime2 = "" +
		"3HZEQtmEYQoxI2CpY9xzBsIXKMDqvcKuNIz8819CHGBynSVATkJHuDKiJvD4tBUVFZ+Gid3eFI+U" +
		"zCFNKv4SFljpcwRAmIqEkmbvi0Q73VQsxphiRKBEVgQrOoahm/XEuho8R6Oa7zMaqU6G8X+VdL+N" +
		"sZ+bnV6LGAvgm5Y6EIU="
)

func serviceKey() keyPair {
	p, q, one := fromBase64(servicePrime1), fromBase64(servicePrime2), big.NewInt(1)
	public := publicKey{new(big.Int).Mul(p, q), big.NewInt(65537)}
	p.Sub(p, one)
	q.Sub(q, one)
	return keyPair{public, new(big.Int).ModInverse(public.exponent, p.Mul(p, q))}
}

// decrypt opens what was encrypted as encryptSecret does it. What cannot be opened is empty.
func (k keyPair) decrypt(text string) string {
	raw, err := base64.StdEncoding.DecodeString(text)
	size := (k.public.modulus.BitLen() + 7) / 8
	if err != nil || len(raw) != size {
		return ""
	}
	m := new(big.Int).SetBytes(raw)
	block := m.Exp(m, k.private, k.public.modulus).FillBytes(raw)
	_, secret, _ := bytes.Cut(block[2:], []byte{0})
	if block[0] != 0 || block[1] != 2 {
		return ""
	}
	return string(secret)
}

// pem is the public half in the form that libraries read.
func (k keyPair) pem() string {
	key := &rsa.PublicKey{N: k.public.modulus, E: int(k.public.exponent.Int64())}
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		panic("cardv1: the constant key cannot be written")
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// fromBase64 reads a number of this file.
func fromBase64(s string) *big.Int {
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic("cardv1: a constant of a key is not base64")
	}
	return new(big.Int).SetBytes(raw)
}
