package tour

import (
	"cmp"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/story"
)

// cardSealed is always the same card: nobody but the gateway can see which one is in a
// seToken, so that what answers show of it cannot follow the client.
const cardSealed = "400000" + "1111111118"

// sealed pays with a seToken in the place of card data (document 3, What the service does).
func sealed(t *story.Teller) error {
	order, err := t.Form("register.do", "orderNumber", t.OrderNumber+"-t", "amount", "700",
		"currency", "978", "returnUrl", "https://shop.example/return", "language", "en")
	if err != nil {
		return err
	}
	id := order.Get("orderId").String()
	t.Fresh("sealed orderId", id)
	token, err := seal(t, id)
	if err != nil {
		return err
	}
	paid, err := t.Form("paymentorder.do", "MDORDER", id, "seToken", token, "language", "en")
	if err != nil {
		return err
	}
	if err := story.Agree("errorCode of the payment", paid.Get("errorCode").Raw, "0"); err != nil {
		return err
	}
	s, err := t.Form("getOrderStatusExtended.do", "orderId", id, "language", "en")
	if err != nil {
		return err
	}
	t.Fresh("sealed authRefNum", s.Get("authRefNum").String())
	return cmp.Or(
		story.Agree("orderStatus", s.Get("orderStatus").Raw, "2"),
		story.Agree("the mask", s.Get("cardAuthInfo.maskedPan").String(),
			story.ShortMask(cardSealed)))
}

// seal encrypts the card for an order as SDKs do: RSA of timestamp, UUID, card data and order
// id (domain facts, Signing), under the key that the gateway serves.
func seal(t *story.Teller, orderID string) (string, error) {
	r, err := t.Request("GET", "/payment/se/keys.do", "")
	if err != nil {
		return "", err
	}
	keys, err := t.Send(r)
	if err != nil {
		return "", err
	}
	key, err := publicKey(keys.Get("keys.0.keyValue").String())
	if err != nil {
		return "", err
	}
	expiry := t.Today.AddDate(4, 0, 1-t.Today.Day()).Format("200601")
	text := strings.Join([]string{
		t.Today.Format(time.RFC3339), newUUID(), cardSealed, "123", expiry, orderID}, "/")
	// What makes this padding dangerous is a secret key that matters.
	//lint:ignore SA1019 the SDKs choose the padding
	sealed, err := rsa.EncryptPKCS1v15(rand.Reader, key, []byte(text))
	if err != nil {
		return "", errors.New("sealing a card failed")
	}
	return base64.StdEncoding.EncodeToString(sealed), nil
}

func publicKey(text string) (*rsa.PublicKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("keyValue is no PEM")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading keyValue: %w", err)
	}
	public, ok := key.(*rsa.PublicKey)
	if !ok {
		return nil, errors.New("keyValue is no RSA key")
	}
	return public, nil
}

// newUUID makes a random UUID of version 4.
func newUUID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
