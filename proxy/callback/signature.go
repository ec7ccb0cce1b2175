package callback

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Message is what is signed of a callback: its final bytes. An example, of which the checksum is
// made last:
//
//	Query: "mdOrder=9c...&operation=deposited&status=1&checksum=00"
//	Over:  "mdOrder;9c...;operation;deposited;status;1;"
//	Query: "mdOrder=9c...&operation=deposited&status=1&checksum=EAF2..."
type Message struct {
	leaf.Unprinted
	Query  string // raw, of the URL that is called: that of the shop's address included
	Header http.Header
	Body   string // without content coding
}

// Sign puts a signature into a message, as an API does that sends it at a time. What stood in its
// place is replaced. The header of the message is changed. The error repeats nothing of the key.
func Sign(s *profile.Signature, k Key, m *Message, at time.Time) error {
	return m.sign(s, at, func(over string) ([]byte, error) { return k.sign(s, over) })
}

// SignWrong puts a signature into a message that no key has made: it has the form of a signature,
// and the length of one that a key of the usual size makes. The header of the message is changed.
func SignWrong(s *profile.Signature, m *Message, at time.Time) {
	_ = m.sign(s, at, func(over string) ([]byte, error) { // which does not fail
		block := sha512.Sum512([]byte(over))
		sum := bytes.Repeat(block[:], 4) // 2048 bits, as of RSA
		switch s.Algorithm {
		case profile.HMACSHA256:
			sum = sum[:32]
		case profile.HMACSHA512:
			sum = sum[:64]
		}
		return sum, nil
	})
}

// sign puts a signature into a message, of which sum makes the bytes.
func (m *Message) sign(s *profile.Signature, at time.Time,
	sumOf func(over string) ([]byte, error)) error {
	stamp := strconv.FormatInt(at.Unix(), 10)
	if s.Timestamp != "" {
		m.Header.Set(s.Timestamp, stamp)
	}
	sum, err := sumOf(m.over(s, stamp))
	if err != nil {
		return err
	}
	text := expand(s.Text, func(name string) string {
		if name == "timestamp" {
			return stamp
		}
		return encodeSignature(s, sum)
	})
	if s.Header != "" {
		m.Header.Set(s.Header, text)
		return nil
	}
	m.setParameter(s.Field, text)
	return nil
}

// Strip takes the signature out of a message: it goes out unsigned. The header of the message is
// changed.
func Strip(s *profile.Signature, m *Message) {
	if s.Header != "" {
		m.Header.Del(s.Header)
		return
	}
	m.deleteParameter(s.Field)
}

// Verdict is what became of the check of a signature.
type Verdict struct {
	leaf.Unprinted
	// Checksum is one of the constants of package leaf; empty for a message without a signature.
	Checksum string
	// Over is the text that should have been signed. It holds live values.
	Over string
}

// Verify checks the signature of a message as it came. Without a key, nil, it is unchecked; so it
// is with a key that cannot be used, which Key.Check tells.
func Verify(s *profile.Signature, k *Key, m Message) Verdict {
	found := m.signature(s)
	if len(found) == 0 {
		return Verdict{}
	}
	v := Verdict{Checksum: leaf.ChecksumBad}
	for _, f := range found {
		stamp := f.stamp
		if s.Timestamp != "" {
			stamp = m.Header.Get(s.Timestamp)
		}
		v.Over = m.over(s, stamp)
		if k == nil {
			v.Checksum = leaf.ChecksumUnchecked
			return v
		}
		good, err := k.signs(s, v.Over, decodeSignature(s, f.text))
		switch {
		case err != nil:
			v.Checksum = leaf.ChecksumUnchecked
			return v
		case good:
			v.Checksum = leaf.ChecksumGood
			return v
		}
	}
	return v
}

// over returns the text that is signed.
func (m *Message) over(s *profile.Signature, stamp string) string {
	return expand(s.Over, func(name string) string {
		switch name {
		case "parameters":
			return m.signedParameters(s)
		case "body":
			return m.Body
		case "timestamp":
			return stamp
		}
		header, _ := strings.CutPrefix(name, "header.")
		return m.Header.Get(header)
	})
}

// foundSignature is a signature as it stands in a message.
type foundSignature struct{ text, stamp string }

// signature finds the signatures of a message. While an API changes its key there may be several,
// such as "v1,K5oZ... v1,8fhq...".
func (m *Message) signature(s *profile.Signature) []foundSignature {
	var texts []string
	if s.Header != "" {
		texts = m.Header.Values(s.Header)
	} else if text, ok := m.parameter(s.Field); ok {
		texts = []string{text}
	}
	form := signaturePattern(s.Text)
	var all []foundSignature
	for _, text := range texts {
		for _, match := range form.FindAllStringSubmatch(text, -1) {
			var f foundSignature
			for i, name := range form.SubexpNames() {
				switch name {
				case "signature":
					f.text = match[i]
				case "timestamp":
					f.stamp = match[i]
				}
			}
			all = append(all, f)
		}
	}
	return all
}

// signaturePattern returns the pattern of what stands where a signature stands.
func signaturePattern(text string) *regexp.Regexp {
	var pattern strings.Builder
	last := 0
	for _, at := range reference.FindAllStringSubmatchIndex(text, -1) {
		pattern.WriteString(regexp.QuoteMeta(text[last:at[0]]))
		if text[at[2]:at[3]] == "timestamp" {
			pattern.WriteString(`(?P<timestamp>[0-9]+)`)
		} else {
			pattern.WriteString(`(?P<signature>[0-9A-Za-z+/=_-]+)`)
		}
		last = at[1]
	}
	pattern.WriteString(regexp.QuoteMeta(text[last:]))
	return regexp.MustCompile(pattern.String()) // of two quoted parts and two constants
}

// reference is a reference in a template: "${body}".
var reference = regexp.MustCompile(`\$\{([^}]*)\}`)

// expand replaces the references of a template. What stands in their place is not looked at again.
func expand(template string, value func(name string) string) string {
	return reference.ReplaceAllStringFunc(template, func(found string) string {
		return value(found[len("${") : len(found)-len("}")])
	})
}

func encodeSignature(s *profile.Signature, sum []byte) string {
	switch s.Encoding {
	case profile.SignatureBase64:
		return base64.StdEncoding.EncodeToString(sum)
	case profile.SignatureUpperHex:
		return strings.ToUpper(hex.EncodeToString(sum))
	}
	return hex.EncodeToString(sum)
}

// decodeSignature returns the bytes of a signature; nil if it is written otherwise than the API
// writes it. Hexadecimal digits have no case.
func decodeSignature(s *profile.Signature, text string) []byte {
	var sum []byte
	var err error
	if s.Encoding == profile.SignatureBase64 {
		sum, err = base64.StdEncoding.DecodeString(text)
	} else {
		sum, err = hex.DecodeString(text)
	}
	if err != nil {
		return nil
	}
	return sum
}
