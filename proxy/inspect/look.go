package inspect

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Rows is a part of the list without groups, the oldest row first.
type Rows struct {
	Rows []view.Row `json:"rows"`
	Lost uint64     `json:"lost"`
}

// Callbacks are the callbacks of the deck, and when they go out.
type Callbacks struct {
	callback.List
	Mode callback.Mode `json:"mode"`
	// None says why the deck sends no callbacks; empty for a deck that sends some.
	None string `json:"none,omitempty"`
}

// Bounds of what is asked for. A Traffic bounds the rows of one answer.
const (
	usualRows = 40
	maxFilter = 4 << 10 // bytes
)

func (i *Inspector) status(*http.Request) (any, error) { return i.Status(), nil }

// window answers GET exchanges.
func (i *Inspector) window(req *http.Request) (any, error) {
	p := params{req.URL.Query(), nil}
	q := Query{
		Filter: p.filter(), Grouped: p.Get("grouped") == "1", At: p.number("at", 0),
		N: p.number("n", usualRows), All: p.Get("open") == "all",
		Open: names(p.Get("open")), Folded: names(p.Get("fold")), Before: p.id("before"),
	}
	if p.err != nil {
		return nil, p.err
	}
	return i.Traffic.Window(q)
}

// rows answers GET rows: those after an event, or the last.
func (i *Inspector) rows(req *http.Request) (any, error) {
	p := params{req.URL.Query(), nil}
	after := p.id("after")
	q := Query{Filter: p.filter(), N: p.number("n", usualRows)}
	if p.err != nil {
		return nil, p.err
	}
	w, err := i.Traffic.Window(q)
	if err != nil {
		return nil, err
	}
	rows := Rows{Rows: []view.Row{}, Lost: w.Lost}
	for _, l := range slices.Backward(w.Lines) { // the newest is on top
		if l.Row != nil && l.Row.ID > after {
			rows.Rows = append(rows.Rows, *l.Row)
		}
	}
	return rows, nil
}

// exchange answers GET exchanges/52 and GET exchanges/52.har.
func (i *Inspector) exchange(req *http.Request) (any, error) {
	text, archive := strings.CutSuffix(req.PathValue("id"), ".har")
	id, err := parseID(text)
	if err != nil {
		return nil, err
	}
	if archive {
		data, ok := i.Explainer.HAR(id)
		return file{"paytape-" + text + ".har", "application/json", data}, found(ok)
	}
	x, ok := i.Explainer.Exchange(id)
	return x, found(ok)
}

// value answers GET values.
func (i *Inspector) value(req *http.Request) (any, error) {
	p := params{req.URL.Query(), nil}
	id := p.id("id")
	side := p.Get("side")
	if p.err == nil && side != "request" && side != "answer" {
		p.err = refuse(http.StatusBadRequest, "side: expected request or answer")
	}
	if p.err != nil {
		return nil, p.err
	}
	v, ok := i.Explainer.Value(id, side, p.Get("path"))
	return v, found(ok)
}

// flow answers GET flows/g12.
func (i *Inspector) flow(req *http.Request) (any, error) {
	f, ok := i.Traffic.Flow(req.PathValue("id"))
	return f, found(ok)
}

// compare answers GET compare.
func (i *Inspector) compare(req *http.Request) (any, error) {
	q := req.URL.Query()
	a, b := q.Get("a"), q.Get("b")
	if a == "" || b == "" {
		return nil, refuse(http.StatusBadRequest, "a, b: expected the ids of two flows")
	}
	return i.Traffic.Compare(a, b)
}

// lastMiss is what stands in an address for the number of the last miss.
const lastMiss = "last-miss"

// why answers GET why/52, GET why/m3 for the third miss, because the body of a miss names it so, and
// GET why/c1 for the latest attempt of the first callback, as terminals call it.
func (i *Inspector) why(req *http.Request) (any, error) {
	id, err := i.named(req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	w, ok := i.Explainer.Why(id)
	return w, found(ok)
}

// named returns the number of the event that an address names.
func (i *Inspector) named(text string) (uint64, error) {
	if text == lastMiss {
		id, ok := i.Events.Miss(0)
		return id, orNone(ok, "there was no miss among the exchanges that are held")
	}
	if number, ok := strings.CutPrefix(text, "m"); ok {
		n, err := parseID(number)
		if err != nil {
			return 0, err
		}
		id, ok := i.Events.Miss(n)
		return id, found(ok)
	}
	if number, ok := strings.CutPrefix(text, "c"); ok {
		n, err := parseID(number)
		if err != nil {
			return 0, err
		}
		id, ok := i.Events.Callback(int(min(n, math.MaxInt32)))
		return id, orNone(ok, "there is no such callback among the exchanges that are held")
	}
	return parseID(text)
}

// orNone returns an error that says what is not there.
func orNone(ok bool, none string) error {
	if ok {
		return nil
	}
	return refuse(http.StatusNotFound, "%s", none)
}

// complete answers GET filter.
func (i *Inspector) complete(req *http.Request) (any, error) {
	p := params{req.URL.Query(), nil}
	text := p.filter()
	cursor := min(p.number("cursor", len(text)), len(text))
	if p.err != nil {
		return nil, p.err
	}
	return i.Traffic.Complete(text, cursor), nil
}

// tapes answers GET tapes.
func (i *Inspector) tapes(*http.Request) (any, error) {
	if i.Machines == nil {
		return []string{}, nil
	}
	return i.Machines.Names(), nil
}

// machine answers GET tapes/NAME/machine.
func (i *Inspector) machine(req *http.Request) (any, error) {
	if i.Machines == nil {
		return nil, refuse(http.StatusConflict, "this deck answers nothing from tape")
	}
	m, ok := i.Machines.Machine(req.PathValue("name"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "there is no such cassette: see tapes")
	}
	return m, nil
}

// rules answers GET rules.
func (i *Inspector) rules(*http.Request) (any, error) {
	all := view.Rules{Rules: []view.Rule{}}
	for _, s := range i.Rules.Report() {
		all.Rules = append(all.Rules, i.rule(s))
	}
	if i.Broken != nil {
		all.Broken = i.Cleaner.Text(i.Broken())
	}
	return all, nil
}

func (i *Inspector) rule(s rules.Status) view.Rule {
	source := i.Cleaner.Text(s.Source)
	s.Source = ""
	return view.Rule{Status: s, Armed: s.Armed, Source: source}
}

// callbacks answers GET callbacks.
func (i *Inspector) callbacks(*http.Request) (any, error) {
	if i.Callbacks == nil {
		return Callbacks{List: callback.List{Callbacks: []callback.Entry{}}, None: noCallbacks.text}, nil
	}
	return Callbacks{List: i.Callbacks.List(), Mode: i.Callbacks.Mode()}, nil
}

var noCallbacks = &refusal{http.StatusConflict,
	"This deck sends no callbacks: it does not replay, there are none on tape, or --callbacks off " +
		"was said."}

// found returns an error for what is not there.
func found(ok bool) error {
	return orNone(ok, "it is not there, or is held no longer: see --keep")
}

func parseID(text string) (uint64, error) {
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil || id == 0 {
		return 0, refuse(http.StatusBadRequest, "expected the number of an exchange, from 1")
	}
	return id, nil
}

// names returns the names in a list that commas separate.
func names(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}
