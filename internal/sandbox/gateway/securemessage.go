package gateway

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"time"
)

// The messages of 3-D Secure 1. Document 3 names paReq alone; that it is base64 of a deflated
// XML document, and the elements, are public knowledge of the protocol. Of the elements those
// are here that clients are known to look at.

// paMessage is a message of version 1: one of the two is inside.
type paMessage struct {
	XMLName xml.Name `xml:"ThreeDSecure"`
	Message struct {
		ID    string `xml:"id,attr"`
		PAReq *paReq `xml:"PAReq"`
		PARes *paRes `xml:"PARes"`
	} `xml:"Message"`
}

type paReq struct {
	Version  string     `xml:"version"`
	Merchant paMerchant `xml:"Merchant"`
	Purchase paPurchase `xml:"Purchase"`
	Expiry   string     `xml:"CH>expiry"` // YYMM
}

type paRes struct {
	Version  string     `xml:"version"`
	Merchant paMerchant `xml:"Merchant"`
	Purchase paPurchase `xml:"Purchase"`
	Pan      string     `xml:"pan"` // zeros, and the last four digits
	Time     string     `xml:"TX>time"`
	Status   string     `xml:"TX>status"` // Y or N
	Cavv     string     `xml:"TX>cavv,omitempty"`
	ECI      string     `xml:"TX>eci,omitempty"`
}

type paMerchant struct {
	AcquirerBIN string `xml:"acqBIN"`
	ID          string `xml:"merID"`
	Name        string `xml:"name,omitempty"`
}

type paPurchase struct {
	XID      string `xml:"xid"`
	Date     string `xml:"date"`
	Amount   int64  `xml:"purchAmount"` // smallest unit
	Currency string `xml:"currency"`
	Exponent int    `xml:"exponent"`
}

// Values that the real gateway would have in its settings.
const (
	secure1Version = "1.0.2"
	acquirerBIN    = "400000"
	merchantName   = "TEST SHOP"
	paTimeForm     = "20060102 15:04:05"
)

func newPAReq(o *order) paMessage {
	m := paMessage{}
	m.Message.ID = "PAReq-" + o.id
	m.Message.PAReq = &paReq{
		Version:  secure1Version,
		Merchant: paMerchant{acquirerBIN, terminalID, merchantName},
		Purchase: o.purchase(o.secure.payment.now),
		Expiry:   o.secure.payment.card.expiry[2:],
	}
	return m
}

func (o *order) purchase(at time.Time) paPurchase {
	return paPurchase{
		XID: o.secure.id, Date: at.UTC().Format(paTimeForm),
		Amount: o.amount, Currency: o.currency, Exponent: exponent(o.currency),
	}
}

// newPARes is what the ACS says of the payer. The real one is signed; here the gateway
// remembers it instead and takes no other.
func newPARes(o *order, now time.Time) paMessage {
	s := o.secure
	number := s.payment.card.number
	res := &paRes{
		Version:  secure1Version,
		Merchant: paMerchant{AcquirerBIN: acquirerBIN, ID: terminalID},
		Purchase: o.purchase(s.payment.now),
		Pan:      strings.Repeat("0", len(number)-4) + number[len(number)-4:],
		Time:     now.UTC().Format(paTimeForm),
		Status:   s.status(),
	}
	m := paMessage{}
	m.Message.ID = "PARes-" + o.id
	m.Message.PARes = res
	return m
}

// status is the outcome of an authentication in the words of both versions.
func (s *secure) status() string {
	if s.verdict == actionOK {
		return "Y"
	}
	return "N"
}

// exponent is the number of decimals of a currency of the table in register.go.
func exponent(currency string) int {
	if currency == "392" { // yen
		return 0
	}
	return 2
}

// packXML is base64 of the deflated document.
func packXML(m paMessage) string {
	text, err := xml.Marshal(m)
	if err != nil {
		panic("gateway: a message of 3-D Secure 1 cannot be written")
	}
	var packed bytes.Buffer
	deflate := zlib.NewWriter(&packed)
	_, _ = deflate.Write(text) // into memory: neither can fail
	_ = deflate.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

// maxMessage bounds an unpacked message of either version, in bytes. Real ones have some
// hundred.
const maxMessage = 64 << 10

var errMessage = errors.New("the message of 3-D Secure cannot be read")

// unpackXML reads what packXML has made, with line breaks inside as some clients send it.
func unpackXML(packed string) (paMessage, error) {
	var m paMessage
	raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(packed), ""))
	if err != nil {
		return m, errMessage
	}
	inflate, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		return m, errMessage
	}
	if err := xml.NewDecoder(io.LimitReader(inflate, maxMessage)).Decode(&m); err != nil {
		return m, errMessage
	}
	return m, nil
}

// The messages of 3-D Secure 2: base64url of JSON, without padding (domain facts,
// Identifiers, of packedCReq; threeDSMethodDataPacked is made alike, as its protocol has it).

const (
	secure2Version = "2.2.0"
	fullScreen     = "05" // challengeWindowSize
)

// cReq goes from the shop through the browser to the ACS.
type cReq struct {
	ServerTransID string `json:"threeDSServerTransID"`
	ACSTransID    string `json:"acsTransID"`
	MessageType   string `json:"messageType"`
	Version       string `json:"messageVersion"`
	WindowSize    string `json:"challengeWindowSize"`
}

// cRes goes from the ACS through the browser to the gateway.
type cRes struct {
	ServerTransID string `json:"threeDSServerTransID"`
	ACSTransID    string `json:"acsTransID"`
	Completed     string `json:"challengeCompletionInd"`
	MessageType   string `json:"messageType"`
	Version       string `json:"messageVersion"`
	Status        string `json:"transStatus"`
}

// methodData goes to the ACS in a hidden frame and comes back without the address.
type methodData struct {
	ServerTransID   string `json:"threeDSServerTransID"`
	NotificationURL string `json:"threeDSMethodNotificationURL,omitempty"`
}

func (s *secure) packedCReq() string {
	return packJSON(cReq{s.id, s.acsID, "CReq", secure2Version, fullScreen})
}

func (s *secure) packedCRes() string {
	return packJSON(cRes{s.id, s.acsID, "Y", "CRes", secure2Version, s.status()})
}

// methodData names the address that hears of the end of the frame: the gateway's, unless the
// shop has one of its own (document 3, performP2P.do, threeDSMethodNotificationUrl).
func (s *secure) methodData() string {
	address := s.payment.methodURL
	if address == "" {
		address = s.payment.base + pathMethodOver
	}
	return packJSON(methodData{s.id, address})
}

func packJSON(message any) string {
	raw, err := json.Marshal(message)
	if err != nil {
		panic("gateway: a message of 3-D Secure 2 cannot be written")
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// unpackJSON reads what packJSON has made, in either alphabet and padded or not: clients pack
// messages again.
func unpackJSON(packed string, into any) error {
	packed = strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(packed)
	raw, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil || len(raw) > maxMessage || json.Unmarshal(raw, into) != nil {
		return errMessage
	}
	return nil
}
