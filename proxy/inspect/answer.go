package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/paytape/paytape/proxy/inspect/line"
)

// look answers a request with a value, or says why it cannot.
type look func(req *http.Request) (any, error)

// refusal is why a request cannot be answered: a status and a sentence of ours.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return r.text }

func refuse(code int, format string, args ...any) error {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

// file is an answer that is saved under a name.
type file struct {
	name, media string
	data        []byte
}

// answer makes a handler that writes what a look returns: as JSON or, if the client asks for it, as
// a terminal shows it.
func (i *Inspector) answer(l look) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		v, err := l(req)
		if err != nil {
			i.fail(w, req, err)
			return
		}
		if f, is := v.(file); is {
			w.Header().Set("Content-Type", f.media)
			w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(f.name))
			_, _ = w.Write(f.data) // who has gone needs no answer
			return
		}
		if req.URL.Query().Get("format") == "text" {
			i.writeText(w, req, v)
			return
		}
		writeJSON(w, http.StatusOK, v)
	}
}

// fail answers with an error. One that is not of this package may repeat what a client has typed.
func (i *Inspector) fail(w http.ResponseWriter, req *http.Request, err error) {
	if r, ok := errors.AsType[*refusal](err); ok {
		fail(w, req, r.code, r.text)
		return
	}
	fail(w, req, http.StatusBadRequest, i.Cleaner.Text(err.Error()).String())
}

// fail answers with a sentence of ours. A page that is refused gets a line of text.
func fail(w http.ResponseWriter, _ *http.Request, code int, text string) {
	writeJSON(w, code, struct {
		Error string `json:"error"`
	}{text})
}

// writeJSON answers with a value. What HTML would take for markup is escaped, so that an answer is
// harmless even to a reader that takes it for a page.
func writeJSON(w http.ResponseWriter, code int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		code, data = http.StatusInternalServerError, []byte(`{"error":"the answer has no JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(data, '\n')) // who has gone needs no answer
}

// Bounds of a terminal, in columns.
const (
	leastColumns, usualColumns, mostColumns = 40, 120, 500
)

// writeText answers with what a terminal shows of a value.
func (i *Inspector) writeText(w http.ResponseWriter, req *http.Request, v any) {
	text, ok := i.text(req, v)
	if !ok {
		fail(w, req, http.StatusBadRequest, "format=text: this call has no form for a terminal")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text)) // who has gone needs no answer
}

// text returns what a terminal as wide as the client says shows of a value.
func (i *Inspector) text(req *http.Request, v any) (string, bool) {
	if list, is := v.(Rows); is {
		v = list.Rows
	}
	return line.Text(v, i.terminal(req))
}

// terminal returns what a client says of its terminal.
func (i *Inspector) terminal(req *http.Request) line.Options {
	columns, err := strconv.Atoi(req.URL.Query().Get("columns"))
	if err != nil {
		columns = usualColumns
	}
	columns = max(leastColumns, min(columns, mostColumns))
	return line.Options{
		Columns: columns, Color: req.URL.Query().Get("color") == "1", Base: i.Base,
	}
}
