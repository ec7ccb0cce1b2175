package natsconn

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// connID names a connection.
type connID [16]byte

// salt is what one side adds to the keys of a connection.
type salt [32]byte

// opening is what a side says that wants a connection.
type opening struct {
	ID   connID `json:"id"`
	Salt salt   `json:"salt"`
	From string `json:"from"` // the name of its endpoint
	Head Head   `json:"head"`
}

// purpose is sealed with the answer to an opening: it is none to another.
func (o *opening) purpose() string { return fmt.Sprintf("accept %x", o.ID) }

// accepted is the answer.
type accepted struct {
	Salt    salt `json:"salt"`
	Refused bool `json:"refused,omitempty"`
}

// sealer closes what is said before there are keys of a connection, and derives those.
type sealer struct {
	key  []byte
	aead cipher.AEAD
}

func newSealer(key []byte) (sealer, error) {
	if len(key) < 32 {
		return sealer{}, errors.New("the key is too short")
	}
	s := sealer{key: key}
	derived, err := hkdf.Key(sha256.New, key, nil, "paytape connections 1: opening", 32)
	if err != nil {
		return s, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return s, err
	}
	s.aead, err = cipher.NewGCMWithRandomNonce(block)
	return s, err
}

// seal seals a value with what it is for.
func (s sealer) seal(purpose string, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, errors.New("a message cannot be written")
	}
	return s.aead.Seal(nil, nil, text, []byte(purpose)), nil
}

// open is the opposite of seal.
func (s sealer) open(purpose string, sealed []byte, v any) error {
	text, err := s.aead.Open(nil, nil, sealed, []byte(purpose))
	if err != nil || json.Unmarshal(text, v) != nil {
		return errForeign
	}
	return nil
}

// keys returns what seals the frames of a connection: from the side that has asked for it, and to that
// side.
func (s sealer) keys(o opening, theirs salt) (from, to cipher.AEAD, err error) {
	both := slices.Concat(o.ID[:], o.Salt[:], theirs[:])
	derived, err := hkdf.Key(sha256.New, s.key, both, "paytape connections 1: frames", 64)
	if err != nil {
		return nil, nil, err
	}
	if from, err = frameSealer(derived[:32]); err != nil {
		return nil, nil, err
	}
	to, err = frameSealer(derived[32:])
	return from, to, err
}

func frameSealer(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// Kinds of frames.
const (
	frameData  byte = 'd' // bytes
	frameBeat  byte = 'b' // how many bytes were read, 8 bytes
	frameEnd   byte = 'e' // no more data will come
	frameClose byte = 'c' // and none is read any more
	frameAbort byte = 'a' // the connection is reset
	frameDrain byte = 'q' // to be closed when no request is under way
)

// frame is a message of a connection:
//
//	id, 16 bytes | counter, 8 bytes | sealed: kind, 1 byte | sequence, 8 bytes | payload
//
// The counter makes the nonce and is used once, also for a frame that could not be sent; the sequence
// has no gaps.
type frame struct {
	kind     byte
	sequence uint64
	payload  []byte
}

// Lengths of parts of frames, in bytes.
const (
	outerLen = 16 + 8
	innerLen = 1 + 8
	frameLen = outerLen + innerLen + 16 // without a payload
)

// sealFrame returns a frame as it is sent.
func sealFrame(aead cipher.AEAD, id connID, counter uint64, f frame) []byte {
	sealed := make([]byte, outerLen, frameLen+len(f.payload))
	copy(sealed, id[:])
	binary.BigEndian.PutUint64(sealed[16:], counter)
	plain := make([]byte, innerLen, innerLen+len(f.payload))
	plain[0] = f.kind
	binary.BigEndian.PutUint64(plain[1:], f.sequence)
	plain = append(plain, f.payload...)
	return aead.Seal(sealed, frameNonce(counter), plain, id[:])
}

// splitFrame returns what of a frame is not sealed.
func splitFrame(data []byte) (id connID, counter uint64, sealed []byte, ok bool) {
	if len(data) < frameLen {
		return id, 0, nil, false
	}
	copy(id[:], data)
	return id, binary.BigEndian.Uint64(data[16:]), data[outerLen:], true
}

// openFrame opens what is sealed of a frame.
func openFrame(aead cipher.AEAD, id connID, counter uint64, sealed []byte) (frame, bool) {
	plain, err := aead.Open(nil, frameNonce(counter), sealed, id[:])
	if err != nil || len(plain) < innerLen {
		return frame{}, false
	}
	return frame{plain[0], binary.BigEndian.Uint64(plain[1:]), plain[innerLen:]}, true
}

func frameNonce(counter uint64) []byte {
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint64(nonce[4:], counter)
	return nonce
}
