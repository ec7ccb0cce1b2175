package har

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/paytape/paytape/internal/leaf"
)

// entry is one exchange of an HTTP archive (HAR 1.2), of which only this is read.
type entry struct {
	StartedDateTime string  `json:"startedDateTime"`
	Time            float64 `json:"time"` // in milliseconds, the whole
	Timings         timings `json:"timings"`
	Request         struct {
		Method   string  `json:"method"`
		URL      string  `json:"url"`
		Headers  []pair  `json:"headers"`
		Cookies  []pair  `json:"cookies"`
		PostData *posted `json:"postData"`
	} `json:"request"`
	Response struct {
		Status     int    `json:"status"`
		StatusText string `json:"statusText"`
		Headers    []pair `json:"headers"`
		Content    struct {
			Size     int64  `json:"size"`
			MIMEType string `json:"mimeType"`
			Text     string `json:"text"`
			Encoding string `json:"encoding"` // base64, or empty
		} `json:"content"`
		Error string `json:"_error"` // as browsers note one
	} `json:"response"`
	Meta *note `json:"_paytape"` // in an archive of ours
}

// timings are in milliseconds, -1 for what does not apply.
type timings struct {
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// pair is a header or a parameter of a form.
type pair struct {
	Name        string `json:"name"`
	Value       string `json:"value"`
	FileName    string `json:"fileName"`
	ContentType string `json:"contentType"`
}

// posted is the body of a request: as text, or as the parameters of a form.
type posted struct {
	MIMEType string `json:"mimeType"`
	Text     string `json:"text"`
	Params   []pair `json:"params"`
	Encoding string `json:"encoding"` // base64 with some writers, mostly absent
}

// Entry is an entry of an archive, and where it lies in the file.
type Entry struct {
	From, To int            // in bytes
	Exchange *leaf.Exchange // nil if Err is not
	Err      error          // why there is no exchange; it quotes nothing
	Ours     bool           // the archive is one that Write has written for OwnCreator
	BadTime  bool           // the time at which it began cannot be read, and the exchange has none
}

// ErrNotArchive is returned for what is no archive.
var ErrNotArchive = errors.New("not an HTTP archive: expected log.entries")

// Read reads the entries of an archive. Errors say where, and never what: a JSON library's
// own words quote the text. An archive that was cut off yields the entries before the cut, and an
// error.
func Read(data []byte) ([]Entry, error) {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	if _, err := enterKey(dec, "log"); err != nil {
		return nil, err
	}
	by, err := enterKey(dec, "entries")
	if err != nil {
		return nil, err
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, ErrNotArchive
	}
	var items []Entry
	shift := len(data) - len(bytes.TrimPrefix(data, []byte("\ufeff")))
	for dec.More() {
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return items, fmt.Errorf("entry %d is not valid JSON", len(items)+1)
		}
		end := shift + int(dec.InputOffset())
		item := Entry{From: end - len(raw), To: end, Ours: by == OwnCreator}
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			item.Err = errors.New("it is not what an archive has there")
		} else {
			if !item.Ours {
				e.Meta = nil
			}
			item.Exchange, item.Err = e.exchange()
			item.BadTime = e.StartedDateTime != "" && item.Err == nil && item.Exchange.Meta.At.IsZero()
		}
		items = append(items, item)
	}
	if _, err := dec.Token(); err != nil {
		return items, fmt.Errorf("the file ends after entry %d", len(items))
	}
	return items, nil
}

// enterKey reads on to the value of a key of the object that begins now. It returns who the creator is,
// if that stands before.
func enterKey(dec *json.Decoder, key string) (creator string, err error) {
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", ErrNotArchive
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return "", ErrNotArchive
		}
		if name == key {
			return creator, nil
		}
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return "", ErrNotArchive
		}
		var by Creator
		if name == "creator" && json.Unmarshal(skipped, &by) == nil {
			creator = by.Name
		}
	}
	return "", ErrNotArchive
}

// exchange returns the entry as what it is everywhere else.
func (e *entry) exchange() (*leaf.Exchange, error) {
	if e.Request.Method == "" || e.Request.URL == "" {
		return nil, errors.New("it has no request")
	}
	if e.Response.Status < 0 || e.Response.Status > 999 {
		return nil, errors.New("its status has more than three digits")
	}
	target, _, _ := strings.Cut(e.Request.URL, "#") // never sent
	x := &leaf.Exchange{Interaction: cassette.Interaction{
		Request: cassette.Request{
			Method: e.Request.Method, URL: target, Headers: headerOf(e.Request.Headers),
		},
		Response: cassette.Response{
			Code: e.Response.Status, Headers: headerOf(e.Response.Headers),
			Status: strings.TrimSpace(fmt.Sprintf("%d %s", e.Response.Status,
				e.statusText())),
			Duration: e.duration(),
		},
	}}
	addCookies(x.Request.Headers, e.Request.Cookies)
	var err error
	if x.Request.Body, err = e.Request.PostData.body(x.Request.Headers); err != nil {
		return nil, err
	}
	content := e.Response.Content
	if x.Response.Body, err = bodyOf(content.Text, content.Encoding); err != nil {
		return nil, err
	}
	x.Meta.RequestCoding = takeCoding(x.Request.Headers, x.Request.Body)
	x.Meta.Coding = takeCoding(x.Response.Headers, x.Response.Body)
	e.notes(x)
	if e.Meta != nil {
		e.Meta.restore(x)
	}
	return x, nil
}

func (e *entry) statusText() string {
	if e.Response.StatusText != "" {
		return e.Response.StatusText
	}
	return http.StatusText(e.Response.Status) // HTTP/2 has none
}

// notes sets what the archive says of the exchange besides what was sent.
func (e *entry) notes(x *leaf.Exchange) {
	// A time that cannot be read is one that nobody noted; see Entry.BadTime.
	x.Meta.At, _ = time.Parse(time.RFC3339Nano, e.StartedDateTime)
	switch content := e.Response.Content; {
	case e.Response.Error != "" || e.Response.Status == 0:
		x.Meta.Failure = "the archive has no answer"
	case content.Text == "" && content.Size > 0 && e.Request.Method != http.MethodHead:
		x.Meta.Withheld = "response body: the archive was saved without it"
	}
}

// duration returns how long the exchange took. Waiting for a connection is no part of it.
func (e *entry) duration() time.Duration {
	ms := 0.0
	for _, part := range []float64{e.Timings.Send, e.Timings.Wait, e.Timings.Receive} {
		ms += max(part, 0)
	}
	const longest = 24 * time.Hour
	if ms == 0 {
		ms = max(e.Time, 0)
	}
	if ms > float64(longest/time.Millisecond) {
		return 0 // the clock was set meanwhile
	}
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}

// ofConnection are headers that say how an exchange was carried, and that no tape has.
var ofConnection = []string{"Host", "Connection", "Keep-Alive", "Transfer-Encoding"}

// headerOf reads headers. Those of HTTP/2 that are no headers are left out.
func headerOf(pairs []pair) http.Header {
	h := http.Header{}
	for _, p := range pairs {
		if p.Name != "" && !strings.HasPrefix(p.Name, ":") {
			h.Add(p.Name, p.Value)
		}
	}
	for _, name := range ofConnection {
		h.Del(name)
	}
	return h
}

// addCookies adds the cookies that a writer lists beside the headers and not among them.
func addCookies(h http.Header, cookies []pair) {
	if len(cookies) == 0 || h.Get("Cookie") != "" {
		return
	}
	pairs := make([]string, 0, len(cookies))
	for _, c := range cookies {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	h.Set("Cookie", strings.Join(pairs, "; "))
}
