package demo

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/redact/audit"
)

// secretFields are the fields that the demo shows as they were on the wire and as they are on the
// tape.
var secretFields = []struct {
	what, operation string
	answer          bool // it stands in the answer, not in the request
	key             string
}{
	{"password", "register.do", false, "password"},
	{"card number", "paymentorder.do", false, "$PAN"},
	{"CVC", "paymentorder.do", false, "$CVC"},
	{"credentials", "registerCustomer", false, "Authorization"},
	{"issued card", "createVirtualCard", true, "cardNumber"},
	{"new CVC", "generateCVC2", true, "cvc2"},
	{"new PIN", "generatePin", true, "pinValue"},
	{"API key", "POST /cardholders", false, "X-API-KEY"},
}

// showSecrets shows what stands on the tape where a secret was on the wire.
func (d *demo) showSecrets(context.Context) error {
	t := tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "   SECRET\tNUMBER\tOPERATION\tFIELD\tON THE WIRE\tON THE TAPE\n")
	for _, e := range secretFields {
		i := d.callOf(e.operation)
		if i < 0 {
			return fmt.Errorf("the tape has no call of %s", e.operation)
		}
		x := d.calls[i]
		sent := keyed(d.wire.exchanges()[i], e.answer, e.key)
		held := keyed(x, e.answer, e.key)
		if sent == "" || held == "" {
			return fmt.Errorf("%s: field %s is absent", e.operation, e.key)
		}
		if sent == held {
			return fmt.Errorf("%s: field %s is on the tape as it was sent", e.operation, e.key)
		}
		fmt.Fprintf(t, "   %s\t%d\t%s\t%s\t%s\t%s\n",
			e.what, x.Meta.Number, e.operation, e.key, masked(sent), held)
	}
	return t.Flush()
}

// load reads the tape: what clients asked, and what the sandbox said by itself.
func (d *demo) load() error {
	library, err := cassettes.OpenExisting(d.Dir)
	if err != nil {
		return err
	}
	defer library.Close()
	tape, err := library.Load(d.name, d.known.Redactor(nil))
	if err != nil {
		return err
	}
	for _, w := range tape.Warnings {
		d.Warn(w)
	}
	for _, c := range tape.Exchanges {
		if x := c.Exchange(); x.Meta.Callback == nil {
			d.calls = append(d.calls, x)
		}
	}
	d.told = len(tape.Exchanges) - len(d.calls)
	return nil
}

// callOf returns the place of the first call of an operation, or -1.
func (d *demo) callOf(operation string) int {
	return slices.IndexFunc(d.calls, func(x *leaf.Exchange) bool {
		return x.Meta.Operation == operation
	})
}

// keyed returns the first value of a key in one half of an exchange, "" if there is none.
func keyed(x *leaf.Exchange, answer bool, key string) string {
	m := x.RequestMessage()
	if answer {
		m = x.ResponseMessage()
	}
	for i := range m.Leaves {
		if l := &m.Leaves[i]; strings.EqualFold(l.Key, key) {
			return l.Value
		}
	}
	return ""
}

// masked shows a secret as little as is needed to tell it from another: the ends of a card
// number, of everything else nothing.
func masked(secret string) string {
	if isCard(secret) {
		const first, last = 6, 4
		hidden := strings.Repeat("*", len(secret)-first-last)
		return secret[:first] + hidden + secret[len(secret)-last:]
	}
	return "****"
}

func isCard(text string) bool { return pan.Digits(text) == text && pan.IsCard(text) }

// search looks for everything secret that was on the wire in the file of the tape.
func (d *demo) search(context.Context) error {
	data, err := os.ReadFile(d.file)
	if err != nil {
		return fmt.Errorf("reading the cassette: %w", err)
	}
	text := string(data)
	if found := audit.Find(text); len(found) > 0 {
		return fmt.Errorf("paytape check would find %s", count.Of(len(found), "place"))
	}
	d.tell("paytape check finds nothing")
	secrets := wireSecrets(d.wire.exchanges())
	if len(secrets) == 0 {
		return errors.New("nothing secret was on the wire")
	}
	for secret := range secrets {
		for _, form := range []string{
			secret, url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)),
		} {
			if strings.Contains(text, form) {
				return errors.New("a secret that was on the wire is in the file")
			}
		}
	}
	d.tell("none of %d card numbers, passwords, tokens and keys of the wire is in the file",
		len(secrets))
	return nil
}

// minSearched is the length from which on a value found in a file is no accident: CVC and PIN
// are shorter, and have been compared in their places.
const minSearched = 8

// wireSecrets returns the secrets of exchanges: card numbers wherever they are, and the values
// of the keys of secretFields. It goes by values and names alone, not by what a profile says:
// the profile is what is being verified.
func wireSecrets(xs []*leaf.Exchange) map[string]bool {
	secrets := map[string]bool{}
	for _, x := range xs {
		for _, m := range []*leaf.Message{x.RequestMessage(), x.ResponseMessage()} {
			for i := range m.Leaves {
				if l := &m.Leaves[i]; isCard(l.Value) || isSecretField(l.Key) && !harmless(l.Value) {
					addSecret(secrets, l.Value)
				}
			}
		}
	}
	return secrets
}

func isSecretField(key string) bool {
	for _, e := range secretFields {
		if strings.EqualFold(e.key, key) {
			return true
		}
	}
	return false
}

// harmless reports whether a value that has the key of a card number tells none: it is a mask, or
// the template of createVirtualCard, the prefix and ten zeros (document 1).
func harmless(value string) bool {
	return pan.IsMask(value) || strings.HasSuffix(value, "0000000000")
}

// addSecret adds a value; of a Basic pair, the pair as it is sent and the password in it.
func addSecret(secrets map[string]bool, value string) {
	if pair, basic := strings.CutPrefix(value, "Basic "); basic {
		value = pair
		if plain, err := base64.StdEncoding.DecodeString(pair); err == nil {
			_, password, _ := strings.Cut(string(plain), ":")
			addSecret(secrets, password)
		}
	}
	if len(value) >= minSearched {
		secrets[value] = true
	}
}
