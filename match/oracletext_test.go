package match_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"html"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// oracleLeaf is one value of an answer.
type oracleLeaf struct {
	path, key string
	kind      gjson.Type
	text      string
}

// oracleLeaves are the values of an answer by their paths: its status line and headers as far as
// they matter, and its body. A JSON body has a leaf for each value and the length of each list;
// any other body is one leaf.
func oracleLeaves(a *oracleAnswer) map[string]oracleLeaf {
	all := map[string]oracleLeaf{}
	add := func(path, key string, kind gjson.Type, text string) {
		all[path] = oracleLeaf{path, key, kind, text}
	}
	media, _, _ := strings.Cut(a.media, ";")
	add("status", "status", gjson.Number, a.status())
	add("Content-Type", "Content-Type", gjson.String, media)
	add("Location", "Location", gjson.String, a.location)
	if !gjson.Valid(a.body) {
		add("page", "page", gjson.String, html.UnescapeString(a.body))
		return all
	}
	var walk func(path, key string, v gjson.Result)
	walk = func(path, key string, v gjson.Result) {
		if !v.IsObject() && !v.IsArray() {
			text := v.String()
			if v.Type == gjson.Number {
				text = v.Raw
			}
			add(path, key, v.Type, text)
			return
		}
		n := 0
		name := v.Get("name").String()
		v.ForEach(func(k, item gjson.Result) bool {
			switch {
			case v.IsArray():
				walk(path+"["+oracleNumber(n)+"]", key, item)
			case k.String() == "value" && name != "":
				walk(path+".value", name, item) // of a pair of name and value
			default:
				walk(path+"."+k.String(), k.String(), item)
			}
			n++
			return true
		})
		if v.IsArray() {
			add(path+"[]", key, gjson.Number, oracleNumber(n))
		} else if n == 0 {
			add(path, key, gjson.JSON, "{}")
		}
	}
	walk("", "", gjson.Parse(a.body))
	return all
}

// oracleWord is what an id, a number, a date or a mask is at most, inside of a text.
var oracleWord = regexp.MustCompile(
	`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}` +
		`|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?` +
		`|\d{8} \d\d:\d\d:\d\d` +
		`|\d{6,10}\*+\d{4}` +
		`|[A-Za-z0-9_]+`)

// oracleWords cuts a text into words and what is between them.
func oracleWords(text string) (words, between []string) {
	last := 0
	for _, at := range oracleWord.FindAllStringIndex(text, -1) {
		words = append(words, text[at[0]:at[1]])
		between = append(between, text[last:at[0]])
		last = at[1]
	}
	return words, append(between, text[last:])
}

// oraclePacked is a text that may hold a packed message.
var oraclePacked = regexp.MustCompile(`[A-Za-z0-9+/_-]{40,}=*`)

// opened is a text with its packed messages of 3-D Secure opened, without the secrets that
// cleaning takes out of them.
func opened(text string) string {
	return oraclePacked.ReplaceAllStringFunc(text, func(packed string) string {
		bare := strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(packed)
		raw, err := base64.RawURLEncoding.DecodeString(bare)
		if err != nil {
			return packed
		}
		if gjson.ValidBytes(raw) {
			return string(raw)
		}
		inflate, err := zlib.NewReader(bytes.NewReader(raw))
		if err != nil {
			return packed
		}
		xml, err := io.ReadAll(inflate)
		if err != nil {
			return packed
		}
		return oracleSecretElement.ReplaceAllString(string(xml), "<$1>$2")
	})
}

// oracleSecretElement is a secret in a message of 3-D Secure 1, up to the digits of a card that
// stay when it is cleaned.
var oracleSecretElement = regexp.MustCompile(`<(xid|cavv|pan)>[^<]*?(\d{4})?</`)

// oracleDate reads a date with a time of day. zone is that of dates which tell none.
func oracleDate(text string, near time.Time, zone *time.Location) (time.Time, bool) {
	if len(text) == 13 && text[0] == '1' {
		ms, ok := oracleDigits(text)
		at := time.UnixMilli(ms)
		return at, ok && at.Sub(near).Abs() < 1000*24*time.Hour
	}
	if len(text) < len("20060102 15:04:05") || text[0] != '2' && text[0] != '1' {
		return time.Time{}, false
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if at, err := time.ParseInLocation(form, text, zone); err == nil {
			return at, true
		}
	}
	at, err := time.Parse("20060102 15:04:05", text)
	return at, err == nil
}
