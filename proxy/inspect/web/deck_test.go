package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/proxy/inspect/web"
	"github.com/paytape/paytape/redact"
)

// testToken is what the page has to send with each call.
const testToken = "f00dfeed0123456789"

// rowsOf bounds the rows of a flow: row 3 of flow 12 has the ID 12*rowsOf + 3.
const rowsOf = 10

// began is when the first flow of a deck began.
var began = time.Date(2026, 11, 22, 11, 24, 2, 0, time.UTC)

// deck answers the API by its contract, from flows that are made when somebody asks for them: a
// list of any length costs nothing.
type deck struct {
	*httptest.Server
	clean redact.Clean

	mu      sync.Mutex // guards what follows
	flows   int
	hostile string // stands in every text of the traffic, if it is set
	huge    string // stands in the texts that have no bound on the server: a sentence, an outcome
	asked   []string
	more    chan struct{} // closed when flows were added
	ended   bool
}

// startDeck starts a deck with so many flows.
func startDeck(t *testing.T, flows int) *deck {
	t.Helper()
	d := &deck{flows: flows, more: make(chan struct{}),
		clean: redact.New(redact.Options{}).Clean(&leaf.Exchange{})}
	mux := http.NewServeMux()
	page := web.Handler("/")
	mux.Handle("/", page)
	mux.Handle("/"+testToken+"/", http.StripPrefix("/"+testToken, page))
	for pattern, answer := range map[string]func(r *http.Request) (any, error){
		"GET /api/status":         func(*http.Request) (any, error) { return d.status(), nil },
		"GET /api/exchanges":      d.window,
		"GET /api/exchanges/{id}": d.exchange,
		"GET /api/why/{id}":       d.why,
		"GET /api/flows/{id}":     d.flow,
		"GET /api/rows":           d.rows,
		"GET /api/filter":         d.complete,
	} {
		mux.HandleFunc(pattern, d.json(answer))
	}
	mux.HandleFunc("GET /api/events", d.events)
	d.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		d.end()
		d.CloseClientConnections()
		d.Close()
	})
	return d
}

// problem is an error with the status of its answer.
type problem struct {
	code int
	text string
}

func (p problem) Error() string { return p.text }

func (d *deck) json(answer func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		d.asked = append(d.asked, r.URL.RequestURI())
		d.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		var found any
		err := error(problem{http.StatusUnauthorized, "the token is not of this deck"})
		if r.Header.Get("Authorization") == "Bearer "+testToken {
			found, err = answer(r)
		}
		if err != nil {
			w.WriteHeader(err.(problem).code)
			found = map[string]string{"error": err.Error()}
		}
		_ = json.NewEncoder(w).Encode(found)
	}
}

// safe makes a text of the traffic.
func (d *deck) safe(text string) redact.Safe {
	if d.hostile != "" && text != "" {
		text = d.hostile
	}
	return d.clean.Derive(func(*leaf.Exchange) string { return text })
}

// unbounded makes a text of the traffic that may be huge.
func (d *deck) unbounded(text string) redact.Safe {
	if d.huge != "" {
		return d.clean.Derive(func(*leaf.Exchange) string { return d.huge })
	}
	return d.safe(text)
}

// step is a row of a story.
type step struct {
	operation, outcome string
	tone               view.Tone
	codes              string
	sign               view.Sign
	number             int
}

// story is what happens in a flow.
type story struct {
	outcome string
	tone    view.Tone
	codes   string
	card    string
	amount  int64
	steps   []step
}

// stories are told in turn.
var stories = []story{
	{"paid", view.Good, "2/0", "400000******1118", 12500, []step{
		{"register.do", "order registered", "", "", view.SignHit, 1},
		{"paymentorder.do", "payment taken, back to shop", "", "", view.SignHit, 2},
		{"deposited", "shop said 200", view.Good, "", view.SignCallback, 0},
		{"getOrderStatusExtended.do", "paid", view.Good, "2/0", view.SignHit, 3},
		{"getBindings.do", "1 binding", "", "", view.SignHit, 22},
		{"refund.do", "", "", "", view.SignMiss, 0}}},
	{"waiting at the ACS", view.Waits, "5", "500000******1115", 4900, []step{
		{"register.do", "order registered", "", "", view.SignHit, 9},
		{"paymentorder.do", "to the ACS", "", "", view.SignHit, 10},
		{"getOrderStatusExtended.do", "waiting at the ACS", view.Waits, "5", view.SignWaits, 11}}},
	{"declined: insufficient funds", view.Bad, "6/116", "400000******9995", 99900, []step{
		{"register.do", "order registered", "", "", view.SignHit, 6},
		{"paymentorder.do", "payment taken, back to shop", "", "", view.SignRule, 7},
		{"getOrderStatusExtended.do", "declined: insufficient funds", view.Bad, "6/116",
			view.SignDeclined, 8}}},
	{"refunded in part", "", "4/0", "424242******4242", 12500, []step{
		{"register.do", "order registered", "", "", view.SignHit, 1},
		{"refund.do", "refunded", "", "0", view.SignMarked, 4},
		{"refunded", "shop said 500", view.Bad, "", view.SignCallback, 0},
		{"getOrderStatusExtended.do", "refunded in part", "", "4/0", view.SignMarked, 5}}},
}

func (d *deck) who(n int) view.Who {
	s := stories[n%len(stories)]
	return view.Who{Kind: "order", Label: d.safe(fmt.Sprintf("B-%d", 1000+n)),
		ID: d.safe(fmt.Sprintf("c8b1f7aa-2d90-7e6b-9c35-%012d", n)), Card: d.safe(s.card)}
}

func (d *deck) group(n int) *view.Group {
	s := stories[n%len(stories)]
	g := &view.Group{ID: fmt.Sprintf("g%d", n), Who: d.who(n), At: d.at(n), Rows: len(s.steps),
		Took: time.Duration(len(s.steps)) * 310 * time.Millisecond,
		Outcome: view.Outcome{Words: d.unbounded(s.outcome), Tone: s.tone, Codes: d.safe(s.codes),
			Fields: d.safe("orderStatus and actionCode " + s.codes)},
		Amount: &view.Amount{Text: d.safe(fmt.Sprintf("%.2f EUR", float64(s.amount)/100)),
			Minor: s.amount, Currency: "EUR"}}
	for _, step := range s.steps {
		g.Steps = append(g.Steps, step.sign)
		switch step.sign {
		case view.SignMiss:
			g.Misses++
		case view.SignMarked:
			g.Marked++
			g.Hits++
		case view.SignRule:
			g.Ruled++
		case view.SignHit, view.SignDeclined, view.SignWaits:
			g.Hits++
		}
	}
	return g
}

func (d *deck) at(n int) time.Time { return began.Add(time.Duration(n) * 9 * time.Second) }

func (d *deck) row(n, i int) *view.Row {
	s := stories[n%len(stories)].steps[i]
	r := &view.Row{ID: uint64(n*rowsOf + i + 1), At: d.at(n).Add(time.Duration(i) * 310 * time.Millisecond),
		Sign: s.sign, Kind: "hit", Group: fmt.Sprintf("g%d", n), Operation: s.operation, Method: "POST",
		Short: strings.TrimSuffix(s.operation, ".do"), Who: d.who(n), Code: 200, Read: true,
		Outcome: view.Outcome{Words: d.safe(s.outcome), Tone: s.tone, Codes: d.safe(s.codes)},
		Took:    210 * time.Microsecond, From: view.ActorClient, To: view.ActorDeck}
	if s.number > 0 {
		r.Cassette, r.Number, r.Served = "checkout", s.number, "tape"
	}
	switch s.sign {
	case view.SignMiss:
		r.Kind, r.Code, r.Reason, r.Served = "miss", 501, "field", "nothing"
		r.Fields = []redact.Safe{d.safe("amount")}
	case view.SignCallback:
		r.Kind, r.Callback, r.Attempt, r.Attempts = "callback", n+1, 1, 3
		r.CallbackOutcome, r.Code = "accepted", 0
	case view.SignMarked:
		r.Mark, r.MarkWords = "assumed", "answered by likeness"
	case view.SignRule:
		r.Rules = []view.Fired{{Name: "poor-card", Count: "1/2"}}
	}
	return r
}

// matches is the filter language as far as the tests speak it.
func matches(q string) (func(r *view.Row) bool, error) {
	key, value, _ := strings.Cut(strings.TrimSpace(q), ":")
	switch {
	case key == "":
		return func(*view.Row) bool { return true }, nil
	case key == "served" && value == "miss":
		return func(r *view.Row) bool { return r.Sign == view.SignMiss }, nil
	case key == "outcome" && value == "declined":
		return func(r *view.Row) bool { return r.Sign == view.SignDeclined }, nil
	case key == "order":
		return func(r *view.Row) bool { return r.Who.Label.String() == value }, nil
	case key == "served" && value == "":
		return nil, problem{400, `"served:" wants a value`}
	}
	return nil, problem{400, fmt.Sprintf("there is no key %q", key)}
}

// held returns the flows of a list, the newest first, and how many wait behind "before".
func (d *deck) held(r *http.Request) (flows []int, waiting int, err error) {
	match, err := matches(r.FormValue("q"))
	if err != nil {
		return nil, 0, err
	}
	d.mu.Lock()
	all := d.flows
	d.mu.Unlock()
	before, _ := strconv.Atoi(r.FormValue("before"))
	for n := all - 1; n >= 0; n-- {
		switch {
		case !slices.ContainsFunc(d.rowsOf(n), match):
		case before > 0 && n*rowsOf+1 > before:
			waiting++
		default:
			flows = append(flows, n)
		}
	}
	return flows, waiting, nil
}

func (d *deck) rowsOf(n int) []*view.Row {
	var rows []*view.Row
	for i := range stories[n%len(stories)].steps {
		rows = append(rows, d.row(n, i))
	}
	return rows
}

// listing is a window that is being made, with the number of flows that wait behind it.
type listing struct {
	view.Window
	New int `json:"new"`
}

func (d *deck) window(r *http.Request) (any, error) {
	flows, waiting, err := d.held(r)
	if err != nil {
		return nil, err
	}
	at, _ := strconv.Atoi(r.FormValue("at"))
	n, _ := strconv.Atoi(r.FormValue("n"))
	open := strings.Split(r.FormValue("open"), ",")
	match, _ := matches(r.FormValue("q"))
	all := slices.Contains(open, "all")
	w := listing{New: waiting}
	if len(flows) > 0 {
		w.Last = uint64(flows[0]*rowsOf + rowsOf)
	}
	for _, flow := range flows {
		opened := all || slices.Contains(open, fmt.Sprintf("g%d", flow))
		w.line(at, n, func() view.Line { return view.Line{Level: 1, Group: d.group(flow), Folded: !opened} })
		if !opened {
			continue
		}
		for _, row := range d.rowsOf(flow) {
			if match(row) {
				w.line(at, n, func() view.Line { return view.Line{Level: 2, Row: row} })
			}
		}
	}
	w.At = at
	w.Counts = d.counts(len(flows))
	return w, nil
}

// line counts a line of the whole list, and makes it if it is in the window.
func (w *listing) line(at, n int, make func() view.Line) {
	if w.Total >= at && w.Total < at+n {
		l := make()
		l.Index = w.Total
		w.Lines = append(w.Lines, l)
	}
	w.Total++
}

func (d *deck) counts(flows int) view.Counts {
	quarter := (flows + 3) / 4
	return view.Counts{All: 3 * flows, Groups: flows, Declined: quarter, Misses: quarter,
		Marked: 2 * quarter, Ruled: quarter, Callbacks: 2 * quarter, Refused: quarter}
}

func (d *deck) status() view.Status {
	d.mu.Lock()
	flows := d.flows
	d.mu.Unlock()
	c := d.counts(flows)
	return view.Status{Mode: "replay", Cassettes: []string{"checkout", "cards", "transfers"},
		Exchanges: 41, URL: "http://127.0.0.1:8080", Requests: int64(c.All), Hits: int64(c.All - c.Misses),
		Misses: int64(c.Misses), Marked: int64(c.Marked), Ruled: int64(c.Ruled), Rules: 6, Armed: 4,
		Keep:      100_000,
		Callbacks: view.CallbackCounts{Accepted: c.Callbacks - c.Refused, Refused: c.Refused, Pending: 1}}
}

// found returns the flow and the place of the row that a path names.
func (d *deck) found(r *http.Request) (n, i int, err error) {
	id, err := strconv.Atoi(r.PathValue("id"))
	n, i = (id-1)/rowsOf, (id-1)%rowsOf
	if err != nil || id < 1 || n >= d.flows || i >= len(stories[n%len(stories)].steps) {
		return 0, 0, problem{404, "there is no such exchange"}
	}
	return n, i, nil
}

func (d *deck) exchange(r *http.Request) (any, error) {
	n, i, err := d.found(r)
	if err != nil {
		return nil, err
	}
	return view.Exchange{Row: *d.row(n, i), Curl: d.safe("curl -X POST http://127.0.0.1:8080/refund.do")}, nil
}

func (d *deck) why(r *http.Request) (any, error) {
	n, i, err := d.found(r)
	if err != nil {
		return nil, err
	}
	return view.Why{Row: *d.row(n, i), Title: d.safe("miss: field amount"),
		Sentence: d.unbounded("No recording of refund.do has amount 5000 in the state this order is in."),
		Before:   "Registered for 125.00 EUR, paid with 400000******1118.",
		Candidates: []view.Candidate{{Exchange: "checkout#4", State: "registered, paid", Equal: true,
			Differs: []view.Differ{{Path: d.safe("amount"), Tape: d.safe("2500"), Sent: d.safe("5000")}}}},
		Mends: []view.Mend{{Text: d.safe("Send 2500, or record this call."), Kind: "client"},
			{Text: d.safe("Or one row: amount: client shared, because two later answers repeat it."),
				Kind: "rules"}}}, nil
}

func (d *deck) flow(r *http.Request) (any, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.PathValue("id"), "g"))
	if err != nil || n >= d.flows {
		return nil, problem{404, "there is no such flow"}
	}
	f := view.Flow{Group: *d.group(n), Actors: []view.Actor{view.ActorClient, view.ActorDeck},
		States: []view.Stage{{Words: d.safe("registered")}, {Words: d.safe("paid"), Tone: view.Good}}}
	for _, row := range d.rowsOf(n) {
		f.Rows = append(f.Rows, *row)
	}
	return f, nil
}

func (d *deck) rows(r *http.Request) (any, error) {
	match, err := matches(r.FormValue("q"))
	if err != nil {
		return nil, err
	}
	most, _ := strconv.Atoi(r.FormValue("n"))
	var rows []*view.Row
	for n := d.flows - 1; n >= 0 && len(rows) < most; n-- {
		for _, row := range d.rowsOf(n) {
			if match(row) {
				rows = append(rows, row)
			}
		}
	}
	slices.Reverse(rows)
	return map[string]any{"rows": rows, "lost": 0}, nil
}

func (d *deck) complete(r *http.Request) (any, error) {
	q := r.FormValue("q")
	c := view.Completion{Reads: "exchanges with " + q, To: len(q), From: strings.LastIndex(q, " ") + 1}
	if q == "" {
		c.Reads = ""
	}
	if _, err := matches(q); err != nil {
		c.Error, c.Reads = err.Error(), ""
	}
	for _, word := range []view.Word{
		{Text: d.safe("served:tape"), Says: "answered by a recording", Count: 67},
		{Text: d.safe("served:miss"), Says: "nothing on tape agreed", Count: 3},
		{Text: d.safe("outcome:declined"), Says: "the answer says no", Count: 2},
	} {
		if strings.HasPrefix(word.Text.String(), q[c.From:]) {
			c.Words = append(c.Words, word)
		}
	}
	return c, nil
}

// add adds flows, which the stream of events tells of.
func (d *deck) add(flows int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.flows += flows
	close(d.more)
	d.more = make(chan struct{})
}

// count counts calls whose address begins with a text.
func (d *deck) count(prefix string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, asked := range d.asked {
		if strings.HasPrefix(asked, prefix) {
			n++
		}
	}
	return n
}

// end lets all streams of events end.
func (d *deck) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ended {
		d.ended = true
		close(d.more)
	}
}

func (d *deck) events(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+testToken {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	d.mu.Lock()
	seen := d.flows
	d.mu.Unlock()
	for {
		d.mu.Lock()
		flows, more, ended := d.flows, d.more, d.ended
		d.mu.Unlock()
		for ; seen < flows; seen++ {
			for _, row := range d.rowsOf(seen) {
				data, _ := json.Marshal(row)
				fmt.Fprintf(w, "id: %d\nevent: row\ndata: %s\n\n", row.ID, data)
			}
		}
		status := d.status()
		status.Stopped = ended
		data, _ := json.Marshal(status)
		fmt.Fprintf(w, "event: status\ndata: %s\n\n", data)
		_ = http.NewResponseController(w).Flush()
		if ended {
			return
		}
		select {
		case <-more:
		case <-r.Context().Done():
			return
		}
	}
}
