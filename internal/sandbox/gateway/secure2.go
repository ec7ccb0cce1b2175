package gateway

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

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
