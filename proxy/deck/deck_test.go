package deck_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
)

// recording are options of a deck that records the built-in sandbox in a folder.
func recording(dir string) deck.Options {
	return deck.Options{
		Mode: deck.Record, Cassettes: []string{"tape"}, Dir: dir, Sync: "none",
		Upstreams: []string{deck.Builtin},
	}
}

func start(t *testing.T, o deck.Options) *deck.Deck {
	t.Helper()
	d, err := deck.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// call registers an order and returns the answer.
func call(t *testing.T, base, amount string) *http.Response {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.PostForm(base+"/payment/rest/register.do", url.Values{
		"userName": {"sandbox-api"}, "password": {"sandbox-" + "password"},
		"orderNumber": {"A-" + amount}, "amount": {amount}, "returnUrl": {"https://shop.example/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close() // status and header say enough
	return res
}

// notices collect what a deck tells. They are told while Start runs, so by one goroutine.
type notices []deck.Notice

func (n *notices) tell(one deck.Notice) { *n = append(*n, one) }

// TestEventsOfEveryMode asks each kind of deck once, and looks at what was said.
func TestEventsOfEveryMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, test := range []struct {
		mode deck.Mode
		want proxy.Kind
	}{
		{deck.Record, proxy.Recorded}, {deck.Replay, proxy.Served}, {deck.Spy, proxy.Served},
		{deck.Pass, proxy.Passed},
	} {
		o := recording(dir)
		o.Mode = test.mode
		observed := 0
		o.Observe = func(proxy.Event) { observed++ } // by one client's requests, one by one
		d := start(t, o)
		call(t, d.URL, "12500")
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		got := 0
		for e, lost := range d.Events().Follow(t.Context(), 0) {
			got++
			x, ok := d.Events().Exchange(e.ID)
			if e.ID != 1 || lost != 0 || e.Kind != test.want || e.Operation != "register.do" || !ok {
				t.Fatalf("%s: event %d is %q of %q", test.mode, e.ID, e.Kind, e.Operation)
			}
			if body := x.Exchange().Request.Body; !strings.Contains(body, "amount=12500") ||
				strings.Contains(body, "sandbox-"+"password") {
				t.Errorf("%s: the request has no amount, or a password", test.mode)
			}
			if !strings.Contains(x.Exchange().Response.Body, "orderId") {
				t.Errorf("%s: the answer has no orderId", test.mode)
			}
		}
		if got != 1 || observed != 1 {
			t.Errorf("%s: %d events, and the observer was told of %d", test.mode, got, observed)
		}
	}
}

func TestEveryModeServesAndCounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := start(t, recording(dir))
	if code := call(t, d.URL, "12500").StatusCode; code != http.StatusOK || d.Sandbox == "" {
		t.Errorf("record: status %d, sandbox at %q", code, d.Sandbox)
	}
	if s := d.Summary(); s.Recorded != (cassettes.Summary{}) {
		t.Errorf("record, before Close: %+v", s.Recorded)
	}
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	s := d.Summary()
	fired := 0
	for _, rule := range s.Rules {
		fired += rule.Hits
	}
	if s.Recorded.New != 1 || s.Recorded.File != filepath.Join(dir, "tape.yaml") || fired == 0 {
		t.Errorf("record: %+v, %d values taken out", s.Recorded, fired)
	}

	o := recording(dir)
	o.Mode = deck.Spy
	d = start(t, o)
	served, asked := call(t, d.URL, "12500"), call(t, d.URL, "99900")
	if served.Header.Get("Paytape-Served") == "" || asked.StatusCode != http.StatusOK ||
		asked.Header.Get("Paytape-Served") != "" {
		t.Errorf("spy: status %d from tape and %d from the sandbox", served.StatusCode,
			asked.StatusCode)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if s := d.Summary(); s.Hits != 1 || s.Recorded.New != 1 || s.Exchanges != 1 {
		t.Errorf("spy: %d hits, %d new, %d were on tape", s.Hits, s.Recorded.New, s.Exchanges)
	}

	d = start(t, deck.Options{Dir: dir, Cassettes: []string{"tape"}})
	call(t, d.URL, "99900")
	missed := call(t, d.URL, "77700")
	if s := d.Summary(); s.Hits != 1 || s.Misses != 1 || missed.Header.Get("Paytape-Miss") == "" ||
		len(s.Reasons) != 1 || s.Reasons[0].Reason != match.BadField || len(s.Unused) != 1 {
		t.Errorf("replay: %+v, %v, unused %v", s.Stats, s.Reasons, s.Unused)
	}

	d = start(t, deck.Options{Mode: deck.Pass, Upstreams: []string{deck.Builtin}})
	if code := call(t, d.URL, "12500").StatusCode; code != http.StatusOK {
		t.Errorf("pass: status %d", code)
	}
	files, err := os.ReadDir(dir)
	if err != nil || d.Exchanges() != 0 {
		t.Errorf("pass: %d exchanges, %v", d.Exchanges(), err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".journal") {
			t.Errorf("left over: %s", f.Name())
		}
	}
}

func TestAnUnusedDeckWritesNoTape(t *testing.T) {
	t.Parallel()
	d := start(t, recording(t.TempDir()))
	err := d.Close()
	if s := d.Summary().Recorded; err != nil || s.File != "" || s.New != 0 {
		t.Errorf("an unused deck came to %+v, %v", s, err)
	}
}

// A deck that cannot start leaves nothing running and nothing locked.
func TestADeckThatCannotStartLetsGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, recording(dir))
	o := recording(dir)
	var told notices
	o.Tell, o.Admin = told.tell, &deck.Admin{}
	_, err := deck.Start(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "is being recorded by another process") {
		t.Errorf("a second recording was not refused: %v", err)
	}
	if len(told) != 1 {
		t.Fatalf("told %v", told)
	}
	at, err := url.Parse(strings.TrimPrefix(told[0].Text, "admin at "))
	if err != nil {
		t.Fatal("the admin address is no URL")
	}
	if conn, err := net.Dial("tcp", at.Host); err == nil {
		_ = conn.Close()
		t.Error("its admin address still listens")
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	start(t, recording(dir)) // the lock is free
}

// What is wrong with options is told by the option's name, and before anything is made.
func TestWrongOptions(t *testing.T) {
	t.Parallel()
	card := "400000" + "1111111118"
	secret := "hunter2" + "hunter2"
	up := []string{deck.Builtin}
	tape := []string{"tape"}
	for _, test := range []struct {
		name   string
		give   deck.Options
		option string // "" for a name that no cassette can have
		want   string // part of the error
	}{
		{"an unknown mode", deck.Options{Mode: "rewind"}, "Mode", `found "rewind"`},
		{"nothing to replay", deck.Options{}, "Cassettes", "no cassette is named"},
		{"a cassette named twice", deck.Options{Cassettes: []string{"a", "a"}}, "Cassettes",
			`cassette "a" is named twice`},
		{"two to record on", deck.Options{Mode: deck.Record, Cassettes: []string{"a", "b"}},
			"Cassettes", "expected the name of one cassette to record, found 2"},
		{"a name that leads out", deck.Options{Cassettes: []string{"../a"}}, "", "cassette name"},
		{"no upstream", deck.Options{Mode: deck.Pass}, "Upstreams", "no upstream is given"},
		{"an upstream with a password", deck.Options{
			Mode: deck.Pass, Upstreams: []string{"https://shop:" + secret + "@a.example"},
		}, "Upstreams", "user and password do not belong here"},
		{"a host without a name", deck.Options{
			Mode: deck.Pass, Upstreams: up, Hosts: []string{"https://a.example"},
		}, "Hosts", "it has no name"},
		{"a way to sync", deck.Options{
			Mode: deck.Record, Cassettes: tape, Upstreams: up, Sync: "often",
		}, "Sync", `found "often"`},
		{"a body of less than nothing", deck.Options{Cassettes: tape, MaxBody: -1}, "MaxBody", ""},
		{"a token that can be guessed", deck.Options{
			Cassettes: tape, Admin: &deck.Admin{Token: secret[:7]},
		}, "Admin.Token", "16 characters"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.give.Dir = filepath.Join(t.TempDir(), "cassettes")
			_, err := deck.Start(t.Context(), test.give)
			wrongOption(t, err, test.option, test.want)
			if checked := test.give.Check(); checked == nil || checked.Error() != err.Error() {
				t.Errorf("Check says %v", checked)
			}
			if _, err := os.Stat(test.give.Dir); err == nil {
				t.Error("a folder was made")
			}
			for _, s := range []string{secret, secret[:7]} {
				if strings.Contains(fmt.Sprint(err), s) {
					t.Error("the error repeats a secret")
				}
			}
		})
	}
	for _, prefix := range []string{card, card[:3], "4276x0"} {
		_, err := deck.NewKnowledge(deck.KnowledgeOptions{CardPrefixes: []string{prefix}})
		wrongOption(t, err, "CardPrefixes", "expected 4 to 9 digits")
		if strings.Contains(fmt.Sprint(err), card) {
			t.Error("the error repeats a card number")
		}
	}
}

// wrongOption wants an error that names an option.
func wrongOption(t *testing.T, err error, option, want string) {
	t.Helper()
	wrong, ok := errors.AsType[*deck.OptionError](err)
	switch {
	case err == nil || !strings.Contains(err.Error(), want):
		t.Errorf("got error %v, want %s", err, want)
	case option == "":
		if !errors.Is(err, cassettes.ErrName) {
			t.Errorf("got error %v, want cassettes.ErrName", err)
		}
	case !ok || wrong.Option != option:
		t.Errorf("got error %v, want one of option %s", err, option)
	}
}

// A port that somebody has is an option that cannot be had.
func TestAnAddressThatIsTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	o := recording(t.TempDir())
	o.Listen = taken.Addr().String()
	_, err = deck.Start(t.Context(), o)
	wrongOption(t, err, "Listen", "listening: ")
	o.Listen, o.Admin = "", &deck.Admin{Listen: taken.Addr().String()}
	_, err = deck.Start(t.Context(), o)
	wrongOption(t, err, "Admin.Listen", "listening for admin: ")
	_, err = deck.Serve(t.Context(), http.NotFoundHandler(), deck.ServeOptions{Listen: o.Admin.Listen})
	wrongOption(t, err, "Listen", "listening: ")
}

func TestListeningForOthersIsWarnedOf(t *testing.T) {
	t.Parallel()
	var told notices
	d := start(t, deck.Options{
		Mode: deck.Pass, Upstreams: []string{deck.Builtin}, Listen: "0.0.0.0:0", Tell: told.tell,
	})
	if len(told) != 1 || !told[0].Warning ||
		!strings.HasSuffix(told[0].Text, "which other machines may reach") {
		t.Errorf("told %v", told)
	}
	if code := call(t, d.URL, "12500").StatusCode; code != http.StatusOK {
		t.Errorf("status %d at %s", code, d.URL)
	}
}

// What is missing is said by words that a caller can decide on.
func TestATapeThatIsNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	none := deck.Options{Cassettes: []string{"tape"}, Dir: filepath.Join(dir, "none")}
	if _, err := deck.Start(t.Context(), none); !errors.Is(err, cassettes.ErrNoFolder) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := os.Stat(none.Dir); err == nil {
		t.Error("replay made a folder")
	}
	none.Dir = dir
	if _, err := deck.Load(none); !errors.Is(err, cassettes.ErrNotFound) {
		t.Errorf("no cassette: %v", err)
	}
}

// Files that cannot be used end in an error that says where, and repeats nothing of them.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	secret := "password=hunter2" + "hunter2"
	card := "400000" + "1111111118"
	for _, text := range []string{
		"", "\x00\x01", secret, card, "profile: mine\n" + card + ": yes", "interactions: " + secret, "version: 1\ninteractions:\n- " + secret,
		"version: 1\ninteractions: [{request: {body: \"" + card, "- - -\n\t" + card,
		"{\"a\": \"" + secret + "\"", "profile: " + secret + "\npaths: " + card,
		"profile: mine\noperations:\n  x: {path: /x, methods: [" + secret + "]}",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "tape.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, tapeErr := deck.Load(deck.Options{Cassettes: []string{"tape"}, Dir: dir})
		_, profileErr := deck.NewKnowledge(deck.KnowledgeOptions{Profiles: []string{file}})
		wrongOption(t, profileErr, "Profiles", "tape.yaml")
		for _, err := range []error{tapeErr, profileErr} {
			if s := fmt.Sprint(err); strings.Contains(s, "hunter2") || strings.Contains(s, card) {
				t.Errorf("an error repeats a secret of the file (%d bytes)", len(text))
			}
		}
	}
}

// loyalty is an API that no built-in profile knows.
const loyalty = `profile: loyalty
paths: [/loyalty/]
operations:
  earn:
    methods: [POST]
    path: /loyalty/earn
    carrier: json
    writes: true
    request:
      pass: exact, token
`

// Profiles come from files of the machine, or from files that a program brings.
func TestProfilesOfOnesOwn(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "loyalty.yaml")
	if err := os.WriteFile(file, []byte(loyalty), 0o600); err != nil {
		t.Fatal(err)
	}
	brought := fstest.MapFS{"loyalty.yaml": {Data: []byte(loyalty)}}
	for name, o := range map[string]deck.KnowledgeOptions{
		"a file":    {Profiles: []string{file}},
		"one in FS": {Profiles: []string{"loyalty.yaml"}, FS: brought},
	} {
		k, err := deck.NewKnowledge(o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var own *deck.Profiles = k.Profiles()
		if c := own.Find("POST", "/loyalty/earn"); c.Operation == nil || c.Operation.Name != "earn" {
			t.Errorf("%s: the operation is not known", name)
		}
		if c := own.Find("POST", "/payment/rest/register.do"); c.Operation == nil {
			t.Errorf("%s: the built-in profiles are gone", name)
		}
	}
	_, err := deck.NewKnowledge(deck.KnowledgeOptions{Profiles: []string{"../x.yaml"}, FS: brought})
	wrongOption(t, err, "Profiles", "x.yaml")
}

// The admin address counts, and is no upstream: clients of the deck would reach it.
func TestTheAdminAddress(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	token := strings.Repeat("token-", 3)
	d := start(t, deck.Options{
		Mode: deck.Pass, Upstreams: []string{"http://" + at},
		Admin: &deck.Admin{Listen: at, Token: token},
	})
	if d.Admin != "http://"+at {
		t.Error("the address of the admin repeats the token that was given, or is another")
	}
	if code := call(t, d.URL, "12500").StatusCode; code != http.StatusBadGateway {
		t.Errorf("the client got status %d", code)
	}
	res, err := http.Get(d.Admin + "/" + token + "/metrics")
	if err != nil {
		t.Fatal("the admin address does not answer")
	}
	if _ = res.Body.Close(); res.StatusCode != http.StatusOK {
		t.Errorf("the metrics have status %d", res.StatusCode)
	}
	if s := fmt.Sprintf("%v %+v %#v", d, d, d); strings.Contains(s, token) {
		t.Error("a deck prints the token")
	}
}

// Observers are told with an admin address and without.
func TestObservers(t *testing.T) {
	t.Parallel()
	for _, a := range []*deck.Admin{nil, {}} {
		var mu sync.Mutex
		kinds := map[proxy.Kind]int{}
		d := start(t, deck.Options{
			Dir: filepath.Join("..", "..", "testdata"), Cassettes: []string{"stories"}, Admin: a,
			Observe: func(e proxy.Event) {
				mu.Lock()
				defer mu.Unlock()
				kinds[e.Kind]++
			},
		})
		call(t, d.URL, "1")
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if kinds[proxy.Missed] != 1 || len(kinds) != 1 {
			t.Errorf("admin %t: told %v", a != nil, kinds)
		}
	}
}

// What was learned while recording is known to Text, for programs that print what happened.
func TestTextKnowsWhatWasRecorded(t *testing.T) {
	t.Parallel()
	d := start(t, recording(t.TempDir()))
	secret := "sandbox-" + "password"
	before := d.Text("it said " + secret)
	call(t, d.URL, "12500")
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	var after redact.Safe = d.Text("it said " + secret)
	if !strings.Contains(before.String(), secret) || strings.Contains(after.String(), secret) {
		t.Error("a password of the recording is not taken out")
	}
}

// Decks that share a tape have nothing else in common.
func TestDecksOfOneTape(t *testing.T) {
	t.Parallel()
	tape, err := deck.Load(deck.Options{
		Dir: filepath.Join("..", "..", "testdata"), Cassettes: []string{"stories"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		d := start(t, deck.Options{Tape: tape})
		all.Go(func() {
			if code := call(t, d.URL, "1").StatusCode; code != http.StatusNotImplemented {
				t.Errorf("status %d", code)
			}
			if s := d.Summary(); s.Misses != 1 {
				t.Errorf("%d misses", s.Misses)
			}
		})
	}
	all.Wait()
}

func TestInCI(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"true": true, "1": true, "drone": true, "": false, "false": false, "False": false, "0": false,
		"off": false, "no": false,
	} {
		if deck.InCI(value) != want {
			t.Errorf("CI=%s: got %t", value, !want)
		}
	}
}

// After a reset nobody knows the orders of before.
func TestReset(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := start(t, recording(dir))
	call(t, d.URL, "12500")
	d.Reset() // there is nothing to forget
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = start(t, deck.Options{Dir: dir, Cassettes: []string{"tape"}})
	for _, want := range []int64{1, 1, 2} { // an order number is registered once
		call(t, d.URL, "12500")
		if got := d.Summary().Hits; got != want {
			t.Errorf("%d hits, want %d", got, want)
		}
		if d.Summary().Misses > 0 {
			d.Reset()
		}
	}
}

// A deck speaks TLS if it is given a certificate, and says what its proxy serves.
func TestADeckWithTLS(t *testing.T) {
	t.Parallel()
	authority, err := proxy.CreateAuthority(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	other := httptest.NewTLSServer(nil) // has a certificate, and a client that trusts it
	defer other.Close()
	d := start(t, deck.Options{
		Mode: deck.Pass, Upstreams: []string{deck.Builtin}, Certificate: &other.TLS.Certificates[0],
		Authority: authority, Hosts: []string{"acs=sandbox"},
	})
	if !strings.HasPrefix(d.URL, "https://") {
		t.Errorf("it serves at %s", d.URL)
	}
	res, err := other.Client().Get(d.URL + "/nothing")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close() // that it came is all
	hosts := d.Hosts()
	if len(hosts) != 2 || hosts[0] != d.Sandbox || hosts[1] != "acs" {
		t.Errorf("as a proxy it serves %q", hosts)
	}
}
