package match_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// rowed is a request of an operation, with every field that the documents name.
type rowed struct {
	op     *profile.Operation
	path   map[string]string
	header http.Header
	fields map[string]any // of the body, or of the query
	nested bool           // some field is not at the top
}

// rowedRequests builds one request for every operation that the documents describe, from the
// list that the profiles are checked against.
func rowedRequests(t *testing.T, set *profile.Set) map[string]*rowed {
	t.Helper()
	data, err := os.ReadFile("../internal/profile/testdata/fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	requests := map[string]*rowed{}
	for _, p := range set.Profiles() {
		for _, o := range p.Operations {
			requests[p.Name+" "+o.Name] = &rowed{
				op: o, path: map[string]string{}, header: http.Header{}, fields: map[string]any{},
			}
		}
	}
	for line := range strings.Lines(string(data)) {
		cols := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cols) < 4 || cols[2] != "request" {
			continue
		}
		if r := requests[cols[0]+" "+cols[1]]; r != nil {
			r.add(set, cols[3])
		}
	}
	return requests
}

// add gives the request a value at a place as the list writes it: "a.b", "text>a", "list(name)",
// "path id" or "header X".
func (r *rowed) add(set *profile.Set, place string) {
	call := profile.Call{Profile: r.op.Profile, Operation: r.op}
	if kind, name, found := strings.Cut(place, " "); found {
		if kind == "header" {
			f, _ := set.HeaderField(call, profile.Request, name)
			r.header.Set(name, rowValue(f, name))
			return
		}
		f, _ := set.Field(call, profile.Request, profile.At{Key: name, Shape: "{" + name + "}"})
		r.path[name] = rowValue(f, name)
		return
	}
	if list, name, found := strings.Cut(place, "("); found {
		name = strings.TrimSuffix(name, ")")
		at := profile.At{Key: "value", Name: name, Shape: list + ".value"}
		f, _ := set.Field(call, profile.Request, at)
		items, _ := r.fields[list].([]any)
		r.fields[list] = append(items, map[string]any{"name": name, "value": rowValue(f, name)})
		r.nested = true
		return
	}
	key := place[strings.LastIndexAny(place, ".>")+1:]
	f, _ := set.Field(call, profile.Request, profile.At{Key: key, Shape: place})
	r.nested = put(r.fields, place, rowValue(f, key)) || r.nested
}

// put sets a value at a path and reports whether it is not at the top. An object behind ">"
// is kept as an inner and becomes a text.
func put(m map[string]any, place, value string) bool {
	i := strings.IndexAny(place, ".>")
	if i < 0 {
		if _, holds := m[place].(map[string]any); !holds { // what has rows inside
			m[place] = value
		}
		return false
	}
	head := place[:i]
	if place[i] == '>' {
		head += ">"
	}
	if _, list := m[head].([]any); list {
		return true // its items have names and values already
	}
	inner, _ := m[head].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
		m[head] = inner
	}
	put(inner, place[i+1:], value)
	return true
}

// texts turns what stands behind ">" into texts.
func texts(m map[string]any) map[string]any {
	out := map[string]any{}
	for key, v := range m {
		inner, _ := v.(map[string]any)
		if name, text := strings.CutSuffix(key, ">"); text {
			b, err := json.Marshal(texts(inner))
			if err != nil {
				panic(err)
			}
			out[name] = string(b)
		} else if inner != nil {
			out[key] = texts(inner)
		} else if _, both := m[key+">"]; !both {
			out[key] = v
		}
	}
	return out
}

// exchange returns the request as a recorded exchange.
func (r *rowed) exchange(t *testing.T) *leaf.Exchange {
	t.Helper()
	x := &leaf.Exchange{}
	x.Method, x.Code, x.Response.Body = r.op.Methods[0], 200, "{}"
	x.Meta.Number, x.Meta.At = 1, recorded
	path := r.op.Path
	for name, v := range r.path {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(v))
	}
	x.URL, x.Request.Headers = "https://sandbox.example"+path, r.header
	switch {
	case len(r.fields) == 0:
	case r.op.Carrier == profile.CarrierQuery || !r.nested && r.op.Carrier == profile.CarrierForm:
		v := url.Values{}
		for key, text := range r.fields {
			v.Set(key, text.(string))
		}
		if x.Method == "GET" || r.op.Carrier == profile.CarrierQuery {
			x.URL += "?" + v.Encode()
		} else {
			x.Request.Body = v.Encode()
		}
	default:
		b, err := json.Marshal(texts(r.fields))
		if err != nil {
			t.Fatal(err)
		}
		x.Request.Body = string(b)
	}
	return x
}

// rowValue makes a value for a field of a request.
func rowValue(f profile.Field, name string) string {
	const card = "411111" + "1111111111"
	switch {
	case f.Secret == profile.PAN && f.Form != profile.Mask:
		return card
	case f.From == profile.Rendering && f.Form == profile.Mask:
		return "411111******1111"
	case f.From == profile.Rendering && f.Form == profile.Last && f.Of == "card":
		return "1111"
	case f.Deadline:
		return "2190-03-31T10:30:00"
	case f.As == profile.IPShape:
		return "192.0.2.1"
	case f.As == profile.LastFirst:
		return name + ", Ann"
	case f.As == profile.PINShape:
		return "1234"
	case f.As == profile.DayShape:
		return "1990-05-17"
	case f.As == profile.TelShape:
		return "+49170000001"
	case f.As == profile.MailShape:
		return name + "@example.com"
	case f.As != 0:
		return "https://shop.example/" + name
	case f.From == profile.Date:
		return map[profile.Form]string{
			profile.Month: "203012", profile.Year: "2030", profile.MonthOfYear: "12",
			profile.Day: "2026-03-31", profile.Compact: "20260331", profile.ISO: "2026-03-31T10:30:00Z",
			profile.EpochMS: "1774953000123", profile.EpochS: "1774953000",
			profile.Java: "Tue Mar 31 10:30:00 UTC 2026",
		}[f.Form]
	case f.Of != "":
		return f.Of + "-0001234567"
	}
	return "v" + name
}
