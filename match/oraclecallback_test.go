package match_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/match"
)

// The oracle with callbacks: stand-ins call shops, whose callbacks are recorded, and what replay
// has to tell at a turn is compared with what a fresh stand-in tells at the same turn.

// oracleShop is a shop that a stand-in calls back: what came since it was last asked.
type oracleShop struct {
	address string

	mu   sync.Mutex // guards what came
	came []oracleCallback
}

// oracleCallback is what a shop was told.
type oracleCallback struct {
	method, path, query, body string
	header                    http.Header
}

// oracleShops are all shops of the process, at one port.
type oracleShops struct {
	url string

	mu sync.Mutex // guards the shops
	at map[string]*oracleShop
}

var oracleMall = sync.OnceValue(func() *oracleShops {
	m := &oracleShops{at: map[string]*oracleShop{}}
	m.url = httptest.NewServer(m).URL // for the life of the process
	return m
})

func (m *oracleShops) open() *oracleShop {
	m.mu.Lock()
	defer m.mu.Unlock()
	path := fmt.Sprintf("/shop/%d", len(m.at))
	s := &oracleShop{address: m.url + path}
	m.at[path] = s
	return s
}

func (m *oracleShops) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	s := m.at[r.URL.Path]
	m.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.came = append(s.came, oracleCallback{r.Method, r.URL.Path, r.URL.RawQuery, string(body), r.Header})
}

// take returns what came, order by order.
func (s *oracleShop) take() []oracleCallback {
	s.mu.Lock()
	defer s.mu.Unlock()
	came := s.came
	s.came = nil
	slices.SortStableFunc(came, func(a, b oracleCallback) int {
		return strings.Compare(a.parameters().Get("orderNumber"), b.parameters().Get("orderNumber"))
	})
	return came
}

func (c oracleCallback) parameters() url.Values {
	all, _ := url.ParseQuery(c.query + "&" + c.body)
	return all
}

// answer is the callback as something to be compared.
func (c oracleCallback) answer() *oracleAnswer {
	values := map[string]string{}
	for name, all := range c.parameters() {
		values[name] = strings.Join(all, "; ")
		if at, err := time.Parse("Mon Jan 02 15:04:05 MST 2006", all[0]); err == nil {
			values[name] = at.Format(time.RFC3339)
		}
	}
	body, _ := json.Marshal(values)
	return &oracleAnswer{code: 200, media: c.method + " " + c.header.Get("Content-Type"), body: string(body)}
}

// calling is a sandbox that calls a shop.
type calling struct {
	*sandbox.Sandbox
	shop *oracleShop
}

func newCalling(o sandbox.Options, method string) *calling {
	c := &calling{shop: oracleMall().open()}
	o.Callbacks.Address, o.Callbacks.Key = c.shop.address, "k-"+c.shop.address
	o.Callbacks.Post = method == http.MethodPost
	c.Sandbox = sandbox.New(o)
	return c
}

// told returns what the sandbox has told the shop since the last call. Whatever is due is
// delivered: the first look at the state is what finds that the time of an order has run out, and does
// not count the callback that comes of it.
func (c *calling) told() []oracleCallback {
	c.pending()
	for c.pending() > 0 {
		runtime.Gosched()
	}
	return c.shop.take()
}

// pending is how many callbacks are under way.
func (c *calling) pending() int64 {
	w := httptest.NewRecorder()
	c.Control().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/state", nil))
	return gjson.Get(w.Body.String(), "gateway.callbacks.counts.pending").Int()
}

// elapse lets a sandbox notice what time it is.
func (s *standIn) elapse() []*oracleAnswer {
	s.serve(oracleStep{call: oracleStatus, send: "orderId=" + oracleNobody}.request(nil))
	return answersOf(s.calling.told())
}

func answersOf(cbs []oracleCallback) []*oracleAnswer {
	var all []*oracleAnswer
	for _, cb := range cbs {
		all = append(all, cb.answer())
	}
	return all
}

// record adds what a sandbox has told to a recording.
func (s *oracleRecorder) record(cbs []oracleCallback) {
	for _, cb := range cbs {
		x := &leaf.Exchange{}
		x.Method, x.URL = cb.method, leaf.CallbackOrigin
		if cb.query != "" {
			x.URL += "?" + cb.query
		}
		x.Request.Headers, x.Request.Body = cb.header, cb.body
		x.Code = http.StatusOK
		x.Meta = leaf.Meta{
			Number: len(s.xs) + 1, At: s.now().Add(time.Millisecond), Profile: "gateway",
			Operation: "callback", Callback: &leaf.Callback{Attempt: 1, Via: leaf.ViaStatic},
		}
		s.xs = append(s.xs, x)
	}
}

// pass lets time pass while recording.
func (s *oracleRecorder) pass(d time.Duration, stage *oracleStage) {
	for end := stage.now.Add(d); stage.now.Before(end); {
		stage.now = stage.now.Add(min(time.Minute, end.Sub(stage.now)))
		if s.calling != nil {
			s.serve(oracleStep{call: oracleStatus, send: "orderId=" + oracleNobody}.request(nil))
			s.record(s.calling.told())
		}
	}
}

// toldBy returns what replay tells.
func toldBy(cbs []match.Callback) []*oracleAnswer {
	var all []oracleCallback
	marks := map[string]string{}
	for _, cb := range cbs {
		one := oracleCallback{cb.Method, cb.Path, cb.Query, cb.Body, cb.Header}
		all = append(all, one)
		number := one.parameters().Get("orderNumber")
		marks[number] = marks[number] + cb.Mark
	}
	slices.SortStableFunc(all, func(a, b oracleCallback) int {
		return strings.Compare(a.parameters().Get("orderNumber"), b.parameters().Get("orderNumber"))
	})
	answers := answersOf(all)
	for i := range answers {
		answers[i].mark = marks[all[i].parameters().Get("orderNumber")]
	}
	return answers
}

// callbacks compares what three sides tell at a turn.
func (b *oracleBijection) callbacks(t oracleTriple) (told []string, diffs []oracleDiff) {
	got, want, other := t.got.told, t.want.told, t.other.told
	if slices.ContainsFunc(got, func(a *oracleAnswer) bool { return a.mark != "" }) {
		return nil, nil
	}
	list := func(as []*oracleAnswer) []string {
		var all []string
		for _, a := range as {
			all = append(all, gjson.Get(a.body, "operation").String())
		}
		return all
	}
	if told = list(got); !slices.Equal(told, list(want)) || len(other) != len(want) {
		return nil, []oracleDiff{{"callbacks", strings.Join(told, " "),
			strings.Join(list(want), " "), "other callbacks"}}
	}
	for i := range want {
		diffs = append(diffs, b.compare(
			oracleTriple{got[i], want[i], other[i], false, t.now, t.unseen, t.apart})...)
	}
	for i := range diffs {
		diffs[i].path = "callback " + diffs[i].path
	}
	return told, diffs
}

// pass lets time pass on all sides, a minute at once, and compares what they tell meanwhile by
// themselves. It returns whether the sides agree, which they need not where answers were missed or
// marked before.
func (c *oracleCase) pass(d time.Duration, stage *oracleStage, sides [3]oracleSide,
	pairs map[string]*oracleBijection,
) (told []string, diffs []oracleDiff) {
	for end := stage.now.Add(d); stage.now.Before(end); {
		stage.now = stage.now.Add(min(time.Minute, end.Sub(stage.now)))
		if c.calls == "" {
			continue
		}
		var all [3]map[string][]*oracleAnswer
		for i, s := range sides {
			all[i] = s.(interface {
				passed() map[string][]*oracleAnswer
			}).passed()
		}
		for _, session := range slices.Sorted(maps.Keys(pairs)) {
			t := oracleTriple{now: stage.now}
			for i, a := range []**oracleAnswer{&t.got, &t.want, &t.other} {
				*a = &oracleAnswer{told: all[i][session]}
			}
			events, more := pairs[session].callbacks(t)
			told, diffs = append(told, events...), append(diffs, more...)
		}
	}
	return told, diffs
}

// owe notes what a side has told.
func owe(owed map[string]*oracleTriple, session string, side int, a *oracleAnswer) {
	t := owed[session]
	if t == nil {
		t = &oracleTriple{got: &oracleAnswer{}, want: &oracleAnswer{}, other: &oracleAnswer{}}
		owed[session] = t
	}
	all := []*oracleAnswer{t.got, t.want, t.other}[side]
	all.told = append(all.told, a.told...)
}

// settle compares what the sides have told in all, where something was done behind the deck's back:
// replay tells of it when a client asks, or after a while.
func (c *oracleCase) settle(stage *oracleStage, sides [3]oracleSide,
	pairs map[string]*oracleBijection, owed map[string]*oracleTriple, run *oracleRun,
) {
	_, itself := sides[0].(*standIns)
	if c.calls == "" || len(owed) == 0 || run.unsure() || run.fault != "" || itself {
		return
	}
	stage.now = stage.now.Add(time.Minute)
	for session, told := range sides[0].(*oracleReplay).passed() {
		owe(owed, session, 0, &oracleAnswer{told: told})
	}
	v := oracleVerdict{
		turn: c.live[len(c.live)-1], outcome: "right", got: &oracleAnswer{}, want: &oracleAnswer{},
	}
	for _, session := range slices.Sorted(maps.Keys(owed)) {
		t := owed[session]
		for _, a := range []*oracleAnswer{t.got, t.want, t.other} {
			slices.SortStableFunc(a.told, func(x, y *oracleAnswer) int {
				return strings.Compare(gjson.Get(x.body, "orderNumber").String(),
					gjson.Get(y.body, "orderNumber").String())
			})
		}
		t.now, t.apart = stage.now, true
		if b := pairs[session]; b != nil {
			told, more := b.callbacks(*t)
			v.told, v.diffs = append(v.told, told...), append(v.diffs, more...)
		}
	}
	if len(v.diffs) > 0 {
		v.outcome = "wrong"
	}
	run.verdicts = append(run.verdicts, v)
}

func (s *standIns) passed() map[string][]*oracleAnswer {
	told := map[string][]*oracleAnswer{}
	for session, one := range s.of {
		told[session] = one.elapse()
	}
	return told
}

func (p *oracleReplay) passed() map[string][]*oracleAnswer {
	by := map[string][]match.Callback{}
	cbs, _ := p.sessions.Advance(p.now())
	for _, cb := range cbs {
		by[cb.Session] = append(by[cb.Session], cb)
	}
	told := map[string][]*oracleAnswer{}
	for session := range by {
		told[session] = toldBy(by[session])
	}
	return told
}

// TestOracleCallbacks is TestOracle with callbacks: what the stand-in tells the shop at each turn,
// replay tells too. A callback may be missing only where an answer is marked or missed.
func TestOracleCallbacks(t *testing.T) {
	t.Parallel()
	first, n := oracleRange(t, 40)
	j := newOracleJudge(t)
	eachSeed(seedsFrom(first, n), func(seed uint64) {
		s := scenario(seed)
		s.plain() // draws as the other tests do
		for range oracleVariations {
			c := s.variation()
			c.calls = []string{http.MethodGet, http.MethodGet, http.MethodPost}[seed%3]
			j.judge(c, c.run(t), false)
			if seed%10 > 0 {
				continue
			}
			for _, v := range c.runItself(t).verdicts {
				if v.bad() {
					t.Errorf("a stand-in beside itself: seed %d, %s: %v", seed, c.how, v.diffs)
				}
			}
		}
	})
	j.end()
}
