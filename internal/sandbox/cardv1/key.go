package cardv1

import (
	"bytes"
	"crypto/cipher"
	"crypto/des"
	"encoding/hex"
	"math/bits"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// The two keys under which keys travel. They are well known test patterns and published here
// on purpose: with the master key a client of the stand-in can open keyValue and see that
// checkValue agrees. Which hostId has which master key is not shown; here all have this one.
const (
	masterKey = "0123456789ABCDEF" + "FEDCBA9876543210"
	localKey  = "1032547698BADCFE" + "EFCDAB8967452301"
)

// keyForm is a key length in bytes with the letters that hardware modules put before such a
// key when it travels and when it is kept (document 1, setKey, prefixes). The document does
// not say which letter means what; U and X for double, T and Y for triple length is the
// common use. A single-length key has none.
type keyForm struct {
	size     int
	exported string // before keyValue
	kept     string // before lmkHsmKeyValue
}

// keyForms by keyLength, which counts hex digits (document 1, generateKey).
var keyForms = map[string]keyForm{
	"ENKL_0016": {8, "", ""},
	"ENKL_0032": {16, "X", "U"},
	"ENKL_0048": {24, "Y", "T"},
}

// keySizes by prefix, in bytes.
var keySizes = map[string]int{"U": 16, "X": 16, "T": 24, "Y": 24}

// keyTarget says which terminal a key is for. All of it is optional.
type keyTarget struct {
	TerminalID     *int64 `json:"terminalId"`
	TerminalNumber string `json:"terminalNumber"`
	MerchantNumber string `json:"merchantNumber"`
	HostID         *int64 `json:"hostId"`
	KeyType        string `json:"keyType"`
}

func (t keyTarget) check() error {
	switch {
	case t.HostID == nil:
		return missing("hostId")
	case *t.HostID < 0:
		return fault(codeNoRecord, "no such master key")
	}
	return required("keyType", t.KeyType)
}

type generateKeyRequest struct {
	keyTarget
	KeyLength string `json:"keyLength"`
}

type keyGenerated struct {
	KeyValue       string `json:"keyValue"`
	CheckValue     string `json:"checkValue"`
	LmkHsmKeyValue string `json:"lmkHsmKeyValue"`
}

// generateKey mints a key, gives it to the terminal if one is named, and shows it under both
// keys. The keyType values are not shown; any will do.
func (b *bank) generateKey(q generateKeyRequest, _ time.Time) (keyGenerated, error) {
	form, known := keyForms[q.KeyLength]
	err := wire.FirstError(q.check(), required("keyLength", q.KeyLength))
	switch {
	case err != nil:
		return keyGenerated{}, err
	case !known:
		return keyGenerated{}, fault(codeFormat, "keyLength must be ENKL_0016, ENKL_0032 or ENKL_0048")
	}
	terminal, err := b.terminal(q.keyTarget)
	if err != nil {
		return keyGenerated{}, err
	}
	key := desKey(b.extra, form.size)
	if terminal != nil {
		terminal.keys[q.KeyType] = true
	}
	return keyGenerated{
		KeyValue:       form.exported + hexOf(ecb(desCipher(fromHex(masterKey)).Encrypt, key)),
		CheckValue:     checkValue(key),
		LmkHsmKeyValue: form.kept + hexOf(ecb(desCipher(fromHex(localKey)).Encrypt, key)),
	}, nil
}

type setKeyRequest struct {
	keyTarget
	InputKeyPrefix string `json:"inputKeyPrefix"`
	Key            string `json:"key"`
	KeyCheckValue  string `json:"keyCheckValue"`
	NewKeyPrefix   string `json:"newKeyPrefix"`
}

// setKey gives a terminal a key that comes under the master key. The answer is empty
// (document 1, setKey).
func (b *bank) setKey(q setKeyRequest, _ time.Time) (struct{}, error) {
	var nothing struct{}
	if err := q.verify(); err != nil {
		return nothing, err
	}
	terminal, err := b.terminal(q.keyTarget)
	if err != nil {
		return nothing, err
	}
	if terminal != nil {
		terminal.keys[q.KeyType] = true
	}
	return nothing, nil
}

// open checks the request and opens the key. The letter may stand before the key too, as
// generateKey writes it.
func (q setKeyRequest) open() ([]byte, error) {
	err := wire.FirstError(q.check(), required("key", q.Key, "newKeyPrefix", q.NewKeyPrefix))
	if err != nil {
		return nil, err
	}
	prefix, digits := q.InputKeyPrefix, q.Key
	if _, letter := keySizes[q.Key[:1]]; letter && (prefix == "" || prefix == q.Key[:1]) {
		prefix, digits = q.Key[:1], q.Key[1:]
	}
	sealed, err := hex.DecodeString(digits)
	size := len(sealed)
	switch {
	case !wire.OneOf("ENKTTMKA", "ENKTTMKP", "ENKTTAK", "ENKTIKEY")(q.KeyType):
		return nil, fault(codeFormat, "keyType is unknown")
	case !wire.OneOf("", "U", "T", "X", "Y")(q.InputKeyPrefix),
		!wire.OneOf("U", "T", "X", "Y")(q.NewKeyPrefix):
		return nil, fault(codeFormat, "a key prefix must be U, T, X or Y")
	case err != nil || size != 8 && size != 16 && size != 24:
		return nil, fault(codeFormat, "key must be 16, 32 or 48 hex digits")
	case prefix != "" && size != keySizes[prefix], size > 8 && size != keySizes[q.NewKeyPrefix]:
		return nil, fault(codeConstraint, "the length of key does not fit a prefix")
	}
	return ecb(desCipher(fromHex(masterKey)).Decrypt, sealed), nil
}

// verify compares the check value, of which the client may send four to sixteen digits.
func (q setKeyRequest) verify() error {
	key, err := q.open()
	if err != nil || q.KeyCheckValue == "" {
		return err
	}
	given := strings.ToUpper(q.KeyCheckValue)
	_, err = hex.DecodeString(given)
	switch {
	case err != nil || len(given) < 4 || len(given) > 16:
		return fault(codeFormat, "keyCheckValue must be 4 to 16 hex digits")
	case !strings.HasPrefix(zerosUnder(key), given):
		return fault(codeConstraint, "keyCheckValue does not agree with key")
	}
	return nil
}

// checkValue is the beginning of a block of zeros under the key, three bytes as is usual.
func checkValue(key []byte) string {
	return zerosUnder(key)[:6]
}

func zerosUnder(key []byte) string {
	return hexOf(ecb(desCipher(key).Encrypt, make([]byte, des.BlockSize)))
}

// desCipher takes a key of single, double or triple length.
func desCipher(key []byte) cipher.Block {
	parts := bytes.Repeat(key, 3)[:24] // single: K K K, double: K1 K2 K1, triple: as it is
	block, err := des.NewTripleDESCipher(parts)
	if err != nil {
		panic("cardv1: a DES key does not have 24 bytes")
	}
	return block
}

// ecb works on whole blocks, each on its own.
func ecb(crypt func(dst, src []byte), data []byte) []byte {
	out := make([]byte, len(data))
	for i := 0; i < len(data); i += des.BlockSize {
		crypt(out[i:], data[i:])
	}
	return out
}

// desKey mints a key whose bytes have odd parity.
func desKey(s *mint.Source, size int) []byte {
	key := make([]byte, size)
	for i := range key {
		key[i] = byte(s.IntN(128)) << 1
		if bits.OnesCount8(key[i])%2 == 0 {
			key[i]++
		}
	}
	return key
}

func hexOf(b []byte) string {
	return strings.ToUpper(hex.EncodeToString(b))
}

// fromHex reads a constant of this file.
func fromHex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic("cardv1: a constant key is not hex")
	}
	return b
}
