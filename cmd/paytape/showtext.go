package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pretty"
	"github.com/paytape/paytape/redact"
)

// exchangeJSON is an exchange in full.
type exchangeJSON struct {
	*entry
	Request  messageJSON `json:"request"`
	Response messageJSON `json:"response"`
}

// messageJSON is its request or its answer.
type messageJSON struct {
	Header map[string][]string `json:"header"`
	Body   string              `json:"body"`
	// Coding is the content coding that the body had on the wire.
	Coding string `json:"coding,omitempty"`
	// Charset is the one that the body had on the wire; empty for UTF-8.
	Charset string              `json:"charset,omitempty"`
	Trailer map[string][]string `json:"trailer,omitempty"`
}

// whole returns the exchange in full.
func (l *entry) whole() exchangeJSON {
	x := l.clean.Exchange()
	return exchangeJSON{l,
		messageJSON{Header: x.Request.Headers, Body: x.Request.Body, Coding: x.Meta.RequestCoding,
			Charset: x.Meta.RequestCharset},
		messageJSON{Header: x.Response.Headers, Body: x.Response.Body, Coding: x.Meta.Coding,
			Charset: x.Meta.Charset, Trailer: x.Meta.Trailers}}
}

// text prints an exchange much as it looked on the wire, or with its bodies laid out.
func (s *tapePrinter) text(l *entry) redact.Safe {
	return l.clean.Derive(func(x *leaf.Exchange) string {
		target, asked, answered := l.URL, x.Request.Body, x.Response.Body
		if s.pretty {
			target = pretty.Target(s.profiles(), x)
			asked = pretty.Request(s.profiles(), x)
			answered = pretty.Response(s.profiles(), x)
		}
		var b strings.Builder
		title := strings.Join(strings.Fields(strings.ReplaceAll(l.row(), "\t", " \t ")), " ")
		fmt.Fprintf(&b, "# %s\n%s %s\n", title, l.Method, target)
		message(&b, x.Request.Headers, asked)
		fmt.Fprintf(&b, "\n%s\n", x.Response.Status)
		message(&b, x.Response.Headers, answered)
		l.remarks(&b)
		return b.String()
	})
}

// remarks prints what else a tape notes of an exchange.
func (l *entry) remarks(b *strings.Builder) {
	if l.Callback != nil {
		fmt.Fprintf(b, "# %s\n", l.Callback.circumstances())
	}
	if l.Relayed != "" {
		fmt.Fprintf(b, "# the sandbox got an address of the deck in %s\n", l.Relayed)
	}
	for _, r := range l.Redactions {
		fmt.Fprintf(b, "# taken out: %s\n", r)
	}
}

// message prints headers, by name, and body.
func message(b *strings.Builder, h map[string][]string, body string) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			fmt.Fprintf(b, "%s: %s\n", name, value)
		}
	}
	if body != "" {
		fmt.Fprintf(b, "\n%s\n", body)
	}
}
