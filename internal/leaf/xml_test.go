package leaf_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

const envelope = `<?xml version="1.0" encoding="UTF-8"?>` +
	`<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>` +
	`<pay:Register xmlns:pay="urn:acme:payment:v2"><pay:merchantRef>SHOP-900001</pay:merchantRef>` +
	`<pay:amount currency="EUR">1500</pay:amount><pay:note><![CDATA[a < b & c]]></pay:note><pay:last/>` +
	`</pay:Register></soap:Body></soap:Envelope>`

func TestBrokenXML(t *testing.T) {
	t.Parallel()
	in := func(old, new string) string { return strings.Replace(envelope, old, new, 1) }
	for _, tt := range []struct {
		name, body string
		want       bool
	}{
		{"a call", envelope, false},
		{"a byte order mark and white space", "\ufeff" + envelope + "\r\n", false},
		{"another charset in the declaration", in("UTF-8", "windows-1251"), false},
		{"single quotes", in(`"EUR"`, "'EUR'"), false},
		{"a prefix that nothing declares", in(` xmlns:pay="urn:acme:payment:v2"`, ""), false},
		{"an element without an end", in("</soap:Body>", ""), true},
		{"elements that overlap", in("</pay:Register></soap:Body>", "</soap:Body></pay:Register>"), true},
		{"an end of another prefix", in("</soap:Body>", "</Body>"), true},
		{"an end of nothing", envelope + "</x>", true},
		{"no end of the document", envelope[:len(envelope)-len("</soap:Envelope>")], true},
		{"cut in a tag", envelope[:len(envelope)-2], true},
		{"an attribute without quotes", in(`"EUR"`, "EUR"), true},
		{"an ampersand alone", in("SHOP-900001", "A&B"), true},
		{"an entity that nothing declares", in("SHOP-900001", "A&nbsp;B"), true},
		{"CDATA without an end", in("]]>", ""), true},
		{"a page", "<!doctype html><p>one<br>two", false},
		{"an element of a page", "<form><input value=1>", false},
		{"JSON", `{"a":"<b>"}`, false},
		{"text", "1 < 2", false},
		{"nothing", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := leaf.BrokenXML(tt.body); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func BenchmarkBrokenXML(b *testing.B) {
	b.SetBytes(int64(len(envelope)))
	b.ReportAllocs()
	for b.Loop() {
		leaf.BrokenXML(envelope)
	}
}
