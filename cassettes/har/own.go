package har

import (
	"net/http"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// OwnCreator is the name of the creator of archives that paytape has written. What stands under
// "_paytape" is read in these alone, and surrogates in these are surrogates: an archive of another
// program holds live values.
const OwnCreator = "paytape"

// note is what a tape notes of an exchange, and HAR has no place for.
type note struct {
	Number         int           `json:"number,omitempty"`
	Status         string        `json:"status,omitempty"` // the whole line, where HAR does not hold it
	Profile        string        `json:"profile,omitempty"`
	Operation      string        `json:"operation,omitempty"`
	Base           string        `json:"base,omitempty"`
	Host           string        `json:"host,omitempty"`
	Aliases        []string      `json:"aliases,omitempty"`
	RequestCoding  string        `json:"requestCoding,omitempty"`
	Coding         string        `json:"coding,omitempty"`
	RequestCharset string        `json:"requestCharset,omitempty"`
	Charset        string        `json:"charset,omitempty"`
	Trailers       http.Header   `json:"trailers,omitempty"`
	Redactions     []string      `json:"redactions,omitempty"`
	Rules          []string      `json:"rules,omitempty"`
	Profiles       []string      `json:"profiles,omitempty"`
	Relayed        string        `json:"relayed,omitempty"`
	Callback       *callbackNote `json:"callback,omitempty"`
	Failure        string        `json:"failure,omitempty"`
	Fault          string        `json:"fault,omitempty"`
	Withheld       string        `json:"withheld,omitempty"`
}

// callbackNote is what is known of a callback.
type callbackNote struct {
	Of        int           `json:"of,omitempty"`
	Operation string        `json:"operation,omitempty"`
	Gap       time.Duration `json:"gapNanoseconds,omitempty"`
	Attempt   int           `json:"attempt"`
	Via       string        `json:"via"`
	Checksum  string        `json:"checksum,omitempty"`
}

// noted returns what is to be noted of an exchange.
func noted(x *leaf.Exchange) *note {
	m := &x.Meta
	return &note{
		Number: m.Number, Status: x.Response.Status, Profile: m.Profile, Operation: m.Operation,
		Base: m.Base, Host: m.Host, Aliases: m.Aliases, RequestCoding: m.RequestCoding, Coding: m.Coding,
		RequestCharset: m.RequestCharset, Charset: m.Charset, Trailers: m.Trailers,
		Redactions: m.Redactions, Rules: m.Rules, Profiles: m.Profiles, Relayed: m.Relayed,
		Callback: (*callbackNote)(m.Callback), Failure: m.Failure, Fault: m.Fault, Withheld: m.Withheld,
	}
}

// restore sets what was noted of an exchange. What Read has made of the archive before, such as a
// failure where there is no answer, is what the tape says of it.
func (n *note) restore(x *leaf.Exchange) {
	x.Response.Status = n.Status
	for h, coding := range map[*http.Header]string{
		&x.Request.Headers: n.RequestCoding, &x.Response.Headers: n.Coding,
	} {
		if coding != "" {
			h.Del("Content-Encoding")
		}
	}
	x.Meta = leaf.Meta{
		Number: n.Number, At: x.Meta.At, Profile: n.Profile, Operation: n.Operation, Base: n.Base,
		Host: n.Host, Aliases: n.Aliases, RequestCoding: n.RequestCoding, Coding: n.Coding,
		RequestCharset: n.RequestCharset, Charset: n.Charset, Trailers: n.Trailers,
		Redactions: n.Redactions, Rules: n.Rules, Profiles: n.Profiles, Relayed: n.Relayed,
		Callback: (*leaf.Callback)(n.Callback), Failure: n.Failure, Fault: n.Fault, Withheld: n.Withheld,
	}
}
