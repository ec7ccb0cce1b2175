package callback_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/redact"
)

// memory is a tape in memory.
type memory struct {
	mu   sync.Mutex // guards the rest
	last int
	got  []*leaf.Exchange

	entered, release chan struct{} // if set, Append says that it has begun, and waits
}

func (m *memory) Next() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last++
	return m.last
}

func (m *memory) Append(x redact.Clean) error {
	if m.entered != nil {
		m.entered <- struct{}{}
		<-m.release
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.got = append(m.got, x.Exchange())
	return nil
}

func (m *memory) exchanges() []*leaf.Exchange {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*leaf.Exchange(nil), m.got...)
}

// relayed is a callback door before a tape.
type relayed struct {
	*httptest.Server
	addresses *callback.Addresses
	tape      *memory
	set       *profile.Set
}

// openDoor opens a callback door. edit changes what it is made of.
func openDoor(t *testing.T, edit func(*callback.RelayOptions)) *relayed {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	d := &relayed{tape: &memory{}, set: set}
	var relay http.Handler
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		relay.ServeHTTP(w, r)
	}))
	t.Cleanup(d.Close)
	if d.addresses, err = callback.NewAddresses(d.URL, callback.NewKey()); err != nil {
		t.Fatal(err)
	}
	record, err := proxy.NewRecord(proxy.RecordOptions{
		Route: proxy.Route{Upstreams: &proxy.Upstreams{}, Transport: http.DefaultTransport},
		Tape:  d.tape, Cleaner: redact.New(redact.Options{Profiles: set}),
	})
	if err != nil {
		t.Fatal(err)
	}
	o := callback.RelayOptions{Addresses: d.addresses, Profiles: set, Mode: record}
	if edit != nil {
		edit(&o)
	}
	if relay, err = callback.NewRelay(o); err != nil {
		t.Fatal(err)
	}
	return d
}

// to returns the door's address for a shop.
func (d *relayed) to(t *testing.T, shop string) string {
	t.Helper()
	address, ok := d.addresses.Relay("gateway", shop)
	if !ok {
		t.Fatalf("no address for %q", shop)
	}
	return address
}

// only returns the one exchange on tape.
func (d *relayed) only(t *testing.T) *leaf.Exchange {
	t.Helper()
	got := d.tape.exchanges()
	if len(got) != 1 || got[0].Meta.Callback == nil {
		t.Fatalf("%d exchanges on tape", len(got))
	}
	return got[0]
}

// sandboxClient calls as sandboxes do: redirects are answers.
func sandboxClient(t *testing.T) *http.Client {
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// send sends a callback and returns status and body of the answer.
func send(t *testing.T, method, to, contentType, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, to, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := sandboxClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(answer)
}

// seen is a request as a shop saw it.
type seen struct {
	method, target, host, body string
	header                     http.Header
}

// shopOf is a shop that notes what it sees, and answers by a handler.
func shopOf(t *testing.T, answer http.HandlerFunc) (*httptest.Server, <-chan seen) {
	t.Helper()
	all := make(chan seen, 100)
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		all <- seen{r.Method, r.RequestURI, r.Host, string(body), r.Header.Clone()}
		answer(w, r)
	}))
	t.Cleanup(shop.Close)
	return shop, all
}

// accepts answers with 200.
func accepts(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

const (
	formType = "application/x-www-form-urlencoded"
	xmlBody  = "<?xml version=\"1.0\"?>\r\n<callback><mdOrder>3f1</mdOrder>" +
		"<operation>refunded</operation><status>1</status></callback>"
)

// TestRelayKeepsBytes: what the sandbox sends is what the shop gets, and what the tape holds is
// that without what belongs to the shop's address.
func TestRelayKeepsBytes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, method, own, behind, kind, body string
		target, taped, event                  string
	}{
		{name: "GET", method: "GET", own: "/paid", behind: "?mdOrder=3f1&operation=deposited&x=%7e+%20",
			target: "/paid?mdOrder=3f1&operation=deposited&x=%7e+%20",
			taped:  "/?mdOrder=3f1&operation=deposited&x=%7e+%20", event: "deposited"},
		{name: "a query of the shop's", method: "GET", own: "/paid?t=7", behind: "&operation=reversed",
			target: "/paid?t=7&operation=reversed", taped: "/?operation=reversed", event: "reversed"},
		{name: "no path", method: "GET", own: "", behind: "?operation=approved",
			target: "/?operation=approved", taped: "/?operation=approved", event: "approved"},
		{name: "a path behind it", method: "GET", own: "/a/", behind: "b//c?operation=approved",
			target: "/a/b//c?operation=approved", taped: "/b//c?operation=approved", event: "approved"},
		{name: "POST of a form", method: "POST", own: "/paid", kind: formType,
			body:   "mdOrder=3f1&operation=deposited&status=1",
			target: "/paid", taped: "/", event: "deposited"},
		{name: "POST of JSON", method: "POST", own: "/paid", kind: "application/json",
			body:   "{ \"mdOrder\":\"3f1\",\n\t\"operation\" : \"refunded\",\"n\":1.00}",
			target: "/paid", taped: "/", event: "refunded"},
		{name: "POST of XML", method: "POST", own: "/paid", kind: "text/xml", body: xmlBody,
			target: "/paid", taped: "/", event: "refunded"},
		{name: "POST of anything", method: "POST", own: "/paid", kind: "text/plain", body: "hello\r\n",
			target: "/paid", taped: "/"},
		{name: "another method", method: "PUT", own: "/paid", behind: "?operation=deposited",
			target: "/paid?operation=deposited", taped: "/?operation=deposited", event: "deposited"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			shop, all := shopOf(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["X-Two"] = []string{"a", "b"}
				w.WriteHeader(http.StatusAccepted)
				_, _ = io.WriteString(w, "taken \x7f")
			})
			d := openDoor(t, nil)
			res, answer := send(t, test.method, d.to(t, shop.URL+test.own)+test.behind, test.kind, test.body)
			if res.StatusCode != http.StatusAccepted || answer != "taken \x7f" ||
				len(res.Header["X-Two"]) != 2 {
				t.Errorf("the sandbox got %d %q", res.StatusCode, answer)
			}
			got := <-all
			if got.method != test.method || got.target != test.target || got.body != test.body ||
				got.header.Get("Content-Type") != test.kind ||
				got.host != strings.TrimPrefix(shop.URL, "http://") {
				t.Errorf("the shop got %s %s with %q", got.method, got.target, got.body)
			}
			x := d.only(t)
			mark := x.Meta.Callback
			if x.URL != leaf.CallbackOrigin+test.taped || x.Request.Body != test.body ||
				x.Code != http.StatusAccepted || mark.Operation != test.event || mark.Attempt != 1 {
				t.Errorf("on tape: %s %q, %d, %+v", x.URL, x.Request.Body, x.Code, *mark)
			}
		})
	}
}

// TestRelayAttempts: the shop fails twice and then takes it; another event counts anew.
func TestRelayAttempts(t *testing.T) {
	t.Parallel()
	statuses := []int{500, 404, 200, 200}
	n := 0 // the shop is called by one client, call by call
	shop, _ := shopOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(statuses[n])
		n++
	})
	d := openDoor(t, nil)
	to := d.to(t, shop.URL+"/paid")
	for i, status := range statuses {
		query := "?mdOrder=3f1&operation=deposited"
		if i == 3 {
			query += "&status=0"
		}
		if res, _ := send(t, "GET", to+query, "", ""); res.StatusCode != status {
			t.Errorf("attempt %d: status %d, want %d", i+1, res.StatusCode, status)
		}
	}
	for i, want := range []int{1, 2, 3, 1} {
		if got := d.tape.exchanges()[i].Meta.Callback.Attempt; got != want {
			t.Errorf("callback %d is attempt %d, want %d", i+1, got, want)
		}
	}
}

// TestRelayFollowsNoRedirect: a redirect is an answer, and nobody goes where it leads.
func TestRelayFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere, called := shopOf(t, accepts)
	shop, _ := shopOf(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusFound)
	})
	d := openDoor(t, nil)
	res, _ := send(t, "GET", d.to(t, shop.URL), "", "")
	if res.StatusCode != http.StatusFound || res.Header.Get("Location") != elsewhere.URL {
		t.Errorf("status %d, to %q", res.StatusCode, res.Header.Get("Location"))
	}
	if len(called) != 0 {
		t.Error("the redirect was followed")
	}
	if x := d.only(t); x.Code != http.StatusFound || !x.Replayable() {
		t.Errorf("on tape: %d", x.Code)
	}
}

// TestRelayLeadsNowhere: nothing is dialled, and nothing is on tape.
func TestRelayLeadsNowhere(t *testing.T) {
	t.Parallel()
	shop, called := shopOf(t, accepts)
	other, err := callback.NewAddresses("http://127.0.0.1:1", callback.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	forged, _ := other.Relay("gateway", shop.URL)
	forged = strings.TrimPrefix(forged, "http://127.0.0.1:1")
	events := make(chan proxy.Event, 10)
	d := openDoor(t, func(o *callback.RelayOptions) {
		o.Observe = func(e proxy.Event) { events <- e }
	})
	for path, kind := range map[string]string{
		forged: "address", "/pt1.": "address", "/": "no-address", "/any": "no-address",
	} {
		res, answer := send(t, "GET", d.URL+path, "", "")
		if res.StatusCode != http.StatusNotFound || res.Header.Get("Paytape-Error") != kind ||
			!strings.Contains(answer, "message") {
			t.Errorf("%s: %d %s", kind, res.StatusCode, answer)
		}
		if e := <-events; e.Kind != proxy.Callback || e.Outcome != proxy.OutcomeDropped || e.Problem != kind {
			t.Errorf("%s: told %+v", kind, e)
		}
	}
	if len(called) != 0 || len(d.tape.exchanges()) != 0 {
		t.Error("a shop was called, or something is on tape")
	}
}

// TestRelayStatic: what the sandbox sends to the static address goes to the one shop.
func TestRelayStatic(t *testing.T) {
	t.Parallel()
	shop, all := shopOf(t, accepts)
	d := openDoor(t, func(o *callback.RelayOptions) { o.To = shop.URL + "/static?a=b" })
	for behind, want := range map[string]string{
		"": "/static?a=b", "/": "/static?a=b", "/more": "/static/more?a=b",
		"?operation=deposited":      "/static?a=b&operation=deposited",
		"/more?operation=deposited": "/static/more?a=b&operation=deposited",
	} {
		send(t, "GET", d.URL+behind, "", "")
		if got := <-all; got.target != want {
			t.Errorf("%q leads to %s, want %s", behind, got.target, want)
		}
	}
	for _, x := range d.tape.exchanges() {
		if x.Meta.Callback.Via != leaf.ViaStatic || strings.Contains(x.URL, "a=b") {
			t.Errorf("on tape: %s by %s", x.URL, x.Meta.Callback.Via)
		}
		if known := strings.Contains(x.URL, "operation"); known != (x.Meta.Profile == "gateway") {
			t.Errorf("%s is one of profile %q", x.URL, x.Meta.Profile)
		}
	}
}

// TestRelayFailures: a shop that gives no answer is an attempt that failed.
func TestRelayFailures(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	stop := make(chan struct{})
	hang, _ := shopOf(t, func(http.ResponseWriter, *http.Request) { <-stop })
	t.Cleanup(func() { close(stop) })
	broken, _ := shopOf(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	})
	for _, test := range []struct {
		name, shop, problem, fault, failure string
		code                                int
	}{
		{"nobody listens", gone.URL, "shop", leaf.FaultNoAnswer, "the connection was refused", 502},
		{"it closes the connection", broken.URL, "shop", leaf.FaultNoAnswer, "was closed", 502},
		{"it hangs", hang.URL, "shop", leaf.FaultTimeout, "it took too long", 504},
		{"another machine", "http://192.0.2.1/x", "forbidden", leaf.FaultNoAnswer, "neither on this machine", 502},
		{"a name of another machine", "http://callback.test./", "shop", leaf.FaultNoAnswer, "resolved", 502},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := openDoor(t, func(o *callback.RelayOptions) {
				if test.fault == leaf.FaultTimeout {
					o.Timeout = 50 * time.Millisecond // the others take what the machine takes
				}
			})
			res, _ := send(t, "POST", d.to(t, test.shop), formType, "operation=deposited")
			if res.StatusCode != test.code || res.Header.Get("Paytape-Error") != test.problem {
				t.Errorf("the sandbox got %d %s", res.StatusCode, res.Header.Get("Paytape-Error"))
			}
			x := d.only(t)
			if x.Replayable() || x.Meta.Fault != test.fault || x.Code != test.code ||
				!strings.Contains(x.Meta.Failure, test.failure) || x.Request.Body != "operation=deposited" ||
				x.Meta.Callback.Operation != "deposited" {
				t.Errorf("on tape: %d, %q, %q", x.Code, x.Meta.Fault, x.Meta.Failure)
			}
		})
	}
}

// TestRelayCut: an answer that breaks off is cut for the sandbox, too.
func TestRelayCut(t *testing.T) {
	t.Parallel()
	shop, _ := shopOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
	})
	d := openDoor(t, nil)
	res, err := sandboxClient(t).Get(d.to(t, shop.URL))
	if err == nil {
		_, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
	}
	if err == nil {
		t.Error("the sandbox got a whole answer")
	}
	if x := d.only(t); x.Meta.Fault != leaf.FaultCut || x.Response.Body != "half" || x.Code != 200 {
		t.Errorf("on tape: %d %q, %q", x.Code, x.Response.Body, x.Meta.Fault)
	}
}

// TestRelaySandboxLeaves: a sandbox that does not wait has made an attempt all the same.
func TestRelaySandboxLeaves(t *testing.T) {
	t.Parallel()
	begun, stop := make(chan struct{}), make(chan struct{})
	shop, _ := shopOf(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(stop)
	})
	d := openDoor(t, nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	to := strings.TrimPrefix(d.to(t, shop.URL+"/paid"), d.URL)
	_, _ = fmt.Fprintf(conn, "GET %s?operation=deposited HTTP/1.1\r\nHost: deck\r\n\r\n", to)
	<-begun
	_ = conn.Close()
	<-stop
	d.Server.Close() // when it returns the exchange is over
	if x := d.only(t); x.Meta.Failure != "the sandbox left before the answer" || x.Code != 0 {
		t.Errorf("on tape: %d %q", x.Code, x.Meta.Failure)
	}
}

// TestRelayIsOnTapeFirst: the sandbox has not the last byte before the attempt is on tape.
func TestRelayIsOnTapeFirst(t *testing.T) {
	t.Parallel()
	shop, _ := shopOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "4")
		_, _ = io.WriteString(w, "done")
	})
	d := openDoor(t, nil)
	d.tape.entered, d.tape.release = make(chan struct{}), make(chan struct{})
	answered := make(chan string, 1)
	go func() {
		res, err := http.Get(d.to(t, shop.URL))
		if err != nil {
			answered <- err.Error()
			return
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		answered <- string(body)
	}()
	<-d.tape.entered
	select {
	case got := <-answered:
		t.Errorf("the sandbox has %q before the tape", got)
	default:
	}
	close(d.tape.release)
	if got := <-answered; got != "done" || len(d.tape.exchanges()) != 1 {
		t.Errorf("the sandbox got %q", got)
	}
}

// TestRelayAllows: hosts beyond this machine are called if the operator has named them; here a name
// that this machine has for itself.
func TestRelayAllows(t *testing.T) {
	t.Parallel()
	shop, all := shopOf(t, accepts)
	d := openDoor(t, nil)
	port := shop.URL[strings.LastIndexByte(shop.URL, ':'):]
	if res, _ := send(t, "GET", d.to(t, "http://localhost"+port), "", ""); res.StatusCode != 200 {
		t.Errorf("localhost: status %d", res.StatusCode)
	}
	<-all
	own := openDoor(t, func(o *callback.RelayOptions) {
		o.Own = []net.Addr{shop.Listener.Addr()}
		o.Allow = []string{"127.0.0.1"}
	})
	res, _ := send(t, "GET", own.to(t, shop.URL), "", "")
	if res.StatusCode != 502 || res.Header.Get("Paytape-Error") != "forbidden" || len(all) != 0 {
		t.Errorf("the deck itself: status %d", res.StatusCode)
	}
}

// TestRelayVerdicts: a checksum is checked over what the sandbox has sent, the shop's own query
// included, and a body in a content coding too.
func TestRelayVerdicts(t *testing.T) {
	t.Parallel()
	const query = "mdOrder=06cf5599-3f17-7c86-bdbc-bd7d00a8b38b&operation=approved&orderNumber=2003&status=1"
	const sum = "EAF2FB72CAB99FD5067F4BA493DD84F4D79C1589FDE8ED29622F0F07215AA972" // domain facts
	packed := func() string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, query+"&checksum="+sum)
		_ = z.Close()
		return b.String()
	}
	shop, _ := shopOf(t, accepts)
	for _, test := range []struct {
		name, key, query, body, coding, want string
	}{
		{"good", "ooc7slpvc61k7sf7ma7p4hrefr", query + "&checksum=" + sum, "", "", leaf.ChecksumGood},
		{"changed", "ooc7slpvc61k7sf7ma7p4hrefr", query + "0&checksum=" + sum, "", "", leaf.ChecksumBad},
		{"another key", "another", query + "&checksum=" + sum, "", "", leaf.ChecksumBad},
		{"no key", "", query + "&checksum=" + sum, "", "", leaf.ChecksumUnchecked},
		{"no checksum", "another", query, "", "", ""},
		{"in a form", "ooc7slpvc61k7sf7ma7p4hrefr", "", query + "&checksum=" + sum, "", leaf.ChecksumGood},
		{"packed", "ooc7slpvc61k7sf7ma7p4hrefr", "", packed(), "gzip", leaf.ChecksumGood},
	} {
		d := openDoor(t, func(o *callback.RelayOptions) {
			if test.key != "" {
				o.Keys = callback.Keys{{Text: test.key}}
			}
		})
		to := d.to(t, shop.URL)
		if test.query != "" {
			to += "?" + test.query
		}
		req, err := http.NewRequest("POST", to, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", formType)
		if test.coding != "" {
			req.Header.Set("Content-Encoding", test.coding)
		}
		if test.body == "" {
			req.Header.Del("Content-Type")
		}
		res, err := sandboxClient(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if got := d.only(t).Meta.Callback.Checksum; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestRelayLarge: a callback that is too large to be looked at passes all the same.
func TestRelayLarge(t *testing.T) {
	t.Parallel()
	shop, all := shopOf(t, accepts)
	d := openDoor(t, nil)
	body := "operation=deposited&x=" + strings.Repeat("y", 2<<20)
	if res, _ := send(t, "POST", d.to(t, shop.URL), formType, body); res.StatusCode != 200 {
		t.Errorf("status %d", res.StatusCode)
	}
	if got := <-all; got.body != body {
		t.Errorf("the shop got %d bytes of %d", len(got.body), len(body))
	}
	if x := d.only(t); x.Meta.Callback.Operation != "" || x.Request.Body != body {
		t.Errorf("on tape: %d bytes", len(x.Request.Body))
	}
}

// TestRelayOwnParameters: a sandbox may sort all parameters, or write them anew.
func TestRelayOwnParameters(t *testing.T) {
	t.Parallel()
	shop, all := shopOf(t, accepts)
	d := openDoor(t, nil)
	address := d.to(t, shop.URL+"/p?zone=a%20b&a=1")
	path, _, _ := strings.Cut(address, "?")
	send(t, "GET", path+"?a=1&mdOrder=3f1&zone=a+b&a=2", "", "")
	if got := <-all; got.target != "/p?a=1&mdOrder=3f1&zone=a+b&a=2" {
		t.Errorf("the shop got %s", got.target)
	}
	if x := d.only(t); x.URL != leaf.CallbackOrigin+"/?mdOrder=3f1&a=2" {
		t.Errorf("on tape: %s", x.URL)
	}
}

// TestCauses: a callback follows the latest write that names its order and may cause it.
func TestCauses(t *testing.T) {
	t.Parallel()
	shop, _ := shopOf(t, accepts)
	var causes *callback.Causes
	d := openDoor(t, func(o *callback.RelayOptions) {
		causes = callback.NewCauses(o.Profiles)
		o.Causes = causes
	})
	call := func(name string) profile.Call {
		return d.set.Find("POST", "/payment/rest/"+name)
	}
	exchange := func(number int, operation, form, answer string) {
		x := &leaf.Exchange{}
		x.Method, x.URL = "POST", "https://gw.example/payment/rest/"+operation
		x.Request.Body, x.Response.Body = form, answer
		x.Request.Headers = http.Header{"Content-Type": {formType}}
		x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
		x.Meta.Number, x.Meta.At = number, time.Now()
		causes.Began(number, call(operation), func() string { return form })
		causes.Ended(x)
	}
	exchange(1, "register.do", "orderNumber=A-1&amount=100", `{"orderId":"3f1"}`)
	exchange(2, "register.do", "orderNumber=A-2&amount=100", `{"orderId":"3f2"}`)
	exchange(3, "paymentorder.do", "MDORDER=3f1", `{"errorCode":0}`)
	exchange(4, "getOrderStatus.do", "orderId=3f1", `{"orderStatus":2}`)
	exchange(5, "refund.do", "orderId=3f2", `{"errorCode":0}`)
	causes.Began(6, call("reverse.do"), func() string { return "orderId=3f2" })
	for i, test := range []struct {
		query  string
		of     int
		before bool // the answer
	}{
		{"mdOrder=3f1&operation=deposited", 3, false},
		{"orderNumber=A-1&operation=deposited", 0, false}, // the payment does not name the number
		{"mdOrder=3f2&operation=refunded", 5, false},
		{"mdOrder=3f2&operation=reversed", 6, true},
		{"mdOrder=3f2&operation=deposited", 0, false},
		{"mdOrder=3f1&operation=declinedByTimeout", 3, false}, // any write may be its cause
		{"mdOrder=3f9&operation=deposited", 0, false},
	} {
		send(t, "GET", d.to(t, shop.URL)+"?"+test.query, "", "")
		mark := d.tape.exchanges()[i].Meta.Callback
		if mark.Of != test.of || (mark.Gap < 0) != test.before || (mark.Gap == 0) != (test.of == 0) {
			t.Errorf("%s: of %d after %v, want of %d", test.query, mark.Of, mark.Gap, test.of)
		}
	}
}

// TestRelayUserInAddress: who is in the shop's address comes as a header, as without a deck.
func TestRelayUserInAddress(t *testing.T) {
	t.Parallel()
	shop, all := shopOf(t, accepts)
	d := openDoor(t, nil)
	u, err := url.Parse(shop.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("me", "se"+"cret")
	send(t, "GET", d.to(t, u.String()), "", "")
	if got := <-all; !strings.HasPrefix(got.header.Get("Authorization"), "Basic ") {
		t.Error("the shop was not told who calls")
	}
	if x := d.only(t); strings.Contains(fmt.Sprint(x.Request.Headers), "bWU6c2VjcmV0") {
		t.Error("the password is on tape")
	}
}
