package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// Reply is one JSON answer on its way out.
type Reply struct {
	Status      int // HTTP status
	ContentType string
	Body        any // what JSON is made of
}

// Write sends the answer, without the line break that ends JSON elsewhere.
func (p Reply) Write(w http.ResponseWriter) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // the "&" of a formUrl stays as it is
	if err := enc.Encode(p.Body); err != nil {
		http.Error(w, "encoding the answer failed", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", p.ContentType)
	w.WriteHeader(p.Status)
	// A client that went away is its own affair: there is nobody left to tell.
	_, _ = w.Write(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}

// WritePage answers as a servlet container does outside the API: a small HTML page.
func WritePage(w http.ResponseWriter, status int) {
	text := http.StatusText(status)
	w.Header().Set("Content-Type", "text/html;charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<!doctype html><html><head><title>%d %s</title></head>"+
		"<body><h1>%d %s</h1></body></html>", status, text, status, text)
}

// NameValue is an item of a list of pairs, such as merchantOrderParams, attributes and
// parameters.
type NameValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Listed makes a list of a map's values in the order of its keys, never nil.
func Listed[K cmp.Ordered, V, S any](from map[K]V, show func(V) S) []S {
	list := []S{}
	for _, key := range slices.Sorted(maps.Keys(from)) {
		list = append(list, show(from[key]))
	}
	return list
}
