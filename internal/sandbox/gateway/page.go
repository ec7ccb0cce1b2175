package gateway

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
)

// The pages are plain HTML that a browser without scripts can walk. Where the protocols want
// a browser to post by itself, a script of one line presses the button; nothing is loaded
// from elsewhere, and the policy below allows exactly the style and that script.

//go:embed pages
var pageFiles embed.FS

var (
	pageTemplates = template.Must(template.ParseFS(pageFiles, "pages/*.html"))
	pageStyle     = pageFile("style.css")
	pageScript    = pageFile("submit.js")
)

func pageFile(name string) string {
	text, err := pageFiles.ReadFile("pages/" + name)
	if err != nil {
		panic("gateway: the embedded file " + name + " is missing")
	}
	return string(text)
}

// pagePolicy is the Content-Security-Policy of all pages. It says nothing of where forms go
// and who may frame a page: forms end at the shop and the ACS, and shops frame both.
var pagePolicy = "default-src 'none'; base-uri 'none'; frame-src 'self'; style-src " +
	hashSource(pageStyle) + "; script-src " + hashSource(pageScript)

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// hidden is a hidden field of a form.
type hidden struct{ Name, Value string }

// page is one HTML answer; a template uses the fields that it knows.
type page struct {
	Language string // "ru" or "en"
	Error    string // what is wrong with what was entered
	Message  string // all that there is to say
	Link     string // where to go on; empty means nowhere
	Action   string // of the form
	Hidden   []hidden
	Frames   []string // addresses of hidden frames

	Order, Amount string // for people
	Holder        string // as entered before
	Recipient     bool   // only a recipient's card is asked for
	Transfer      bool   // a recipient's card is asked for too
	Password      string // the right one
	Wrong         bool   // the last one was not

	template string
}

// newPage begins a page; Russian is the default, as for messages.
func newPage(language, name string) page {
	return page{Language: cmp.Or(language, "ru"), template: name}
}

// saying turns the page into a mere message.
func (p page) saying(t text) page {
	p.template, p.Message = "message", t.in(p.Language)
	return p
}

// Say picks a language, for templates.
func (p page) Say(ru, en string) string { return text{ru, en}.in(p.Language) }

// Style is the style sheet, for templates.
func (p page) Style() template.CSS { return template.CSS(pageStyle) }

// Script is the one script, for templates.
func (p page) Script() template.JS { return template.JS(pageScript) }

// ServeHTTP writes the page. It may hold what a payer has entered, so nobody keeps it.
func (p page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var out bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&out, p.template, p); err != nil {
		http.Error(w, "writing the page failed", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html;charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	// A browser that went away is its own affair: there is nobody left to tell.
	_, _ = w.Write(out.Bytes())
}
