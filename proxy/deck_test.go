package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/proxytest"
	"github.com/paytape/paytape/redact"
)

// The tests of this file play the whole deck: doors, sockets, redactor, tape on disk, player.

func builtin(t testing.TB) *profile.Set {
	t.Helper()
	set, err := ours()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// ours parses the built-in profiles once: no test changes them.
var ours = sync.OnceValues(profile.Builtin)

// told are the stories, and what they tell first and later.
var told = map[string]func(*story.Teller, context.Context) ([]story.Value, error){
	"checkout":  (*story.Teller).Checkout,
	"card life": (*story.Teller).CardLife,
	"transfer":  (*story.Teller).Transfer,
}

func teller(url string, n int) *story.Teller {
	card := "411111" + "1111111111"
	if n == 0 {
		card = "400000" + "1111111118"
	}
	return &story.Teller{
		Base: url, HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		OrderNumber: fmt.Sprintf("order-%d", n), ClientID: fmt.Sprintf("client-%d", n),
		Customer: fmt.Sprintf("2000%02d", n), Card: card,
		Payee: fmt.Sprintf("Payee %d", n), Today: time.Now(),
	}
}

// record tells a story to the stand-in through a deck, and closes both.
func record(t *testing.T, dir, base string,
	tell func(*story.Teller, context.Context) ([]story.Value, error)) []story.Value {
	t.Helper()
	up := httptest.NewServer(http.StripPrefix(base, sandbox.New(sandbox.Options{})))
	defer up.Close()
	var values []story.Value
	recordFrom(t, dir, up.URL+base, func(url string) {
		var err error
		if values, err = tell(teller(url, 0), t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	return values
}

// recordFrom records on a tape what is said to a deck before an upstream.
func recordFrom(t *testing.T, dir, upstream string, say func(url string)) {
	t.Helper()
	d := started(t, deck.Options{
		Mode: deck.Record, Cassettes: []string{"tape"}, Dir: dir, Upstreams: []string{upstream},
		Knowledge: known(t), Sync: "none",
	})
	say(d.URL)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// known knows the card numbers of the stand-in.
func known(t *testing.T) *deck.Knowledge {
	t.Helper()
	k, err := deck.NewKnowledge(deck.KnowledgeOptions{CardPrefixes: []string{"427600"}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// started starts a deck, which is closed at the end of the test if not before.
func started(t *testing.T, o deck.Options) *deck.Deck {
	t.Helper()
	d, err := deck.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // whose error those have had who closed it before
	return d
}

// replay plays the tape in a folder. A miss fails the test, unless options allow it.
func replay(t *testing.T, dir string, options ...proxytest.Option) *proxytest.Deck {
	t.Helper()
	return proxytest.Replay(t, "tape", append(options, proxytest.Dir(dir))...)
}

func TestWhatWasRecordedIsReplayedToManyAtOnce(t *testing.T) {
	for name, tell := range told {
		for _, base := range []string{"", "/base"} {
			t.Run(name+" from "+base+"/", func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				old := map[string]bool{}
				for _, v := range record(t, dir, base, tell) {
					old[v.Text] = v.Fresh
				}
				d := replay(t, dir)
				var clients sync.WaitGroup
				for n := 1; n <= 8; n++ {
					clients.Go(func() {
						values, err := tell(teller(d.URL, n), t.Context())
						if err != nil {
							t.Errorf("client %d: %v", n, err)
						}
						for _, v := range values {
							// Dates may agree: the tape is some milliseconds old.
							if v.Fresh && old[v.Text] && !strings.HasSuffix(strings.ToLower(v.Name), "date") {
								t.Errorf("client %d: %s is the recorded one", n, v.Name)
							}
						}
					})
				}
				clients.Wait()
				if got := d.Summary().Stats; got.Misses != 0 || got.Hits == 0 {
					t.Errorf("counted %+v", got)
				}
			})
		}
	}
}

// What net/http would not read as a path goes to the sandbox and comes back from tape.
func TestAPathThatIsNoneIsReplayed(t *testing.T) {
	ask := func(url, target string) string {
		return raw(t, strings.TrimPrefix(url, "http://"), rawGet(target, "Connection: close"))
	}
	dir := t.TempDir()
	record(t, dir, "", func(tell *story.Teller, _ context.Context) ([]story.Value, error) {
		if got := ask(tell.Base, "/a%zz/%?b=%zz"); !strings.Contains(got, "400 Bad Request") {
			t.Errorf("the sandbox, which net/http serves, answered %q", got)
		}
		return nil, nil
	})
	d := replay(t, dir, proxytest.AllowMisses())
	if got := ask(d.URL, "/a%zz/%?b=%zz"); !strings.HasPrefix(got, "HTTP/1.1 400 Bad Request") ||
		!strings.Contains(got, "Paytape-Served") {
		t.Errorf("on tape: got %q", got)
	}
	if got := ask(d.URL, "/a%zy/%?b=%zz"); !strings.HasPrefix(got, "HTTP/1.1 501 ") {
		t.Errorf("another path: got %q", got)
	}
	if s := d.Summary(); s.Hits != 1 || s.Misses != 1 {
		t.Errorf("counted %+v", s.Stats)
	}
}

// Of an answer without a body all that was recorded is replayed, and so are the words in the
// first line of any.
func TestFirstLinesAreReplayed(t *testing.T) {
	tests := []struct{ name, request, answer, want string }{
		{"a reason", rawGet("/a"), rawReply("200 Fine", "x"), "HTTP/1.1 200 Fine"},
		{"no reason", rawGet("/a"), rawReply("200 ", "x"), "HTTP/1.1 200"},
		{
			"a HEAD with a length", rawRequest("HEAD /a", "", nil), rawOpen("", "Content-Length: 9"),
			"HTTP/1.1 200 OK",
		},
		{
			"304 with a length", rawGet("/a"), "HTTP/1.1 304 Same\r\nContent-Length: 9\r\n\r\n",
			"HTTP/1.1 304 Same",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			u := newUpstream(t, tt.answer)
			k := talk{tt.name, tt.request, tt.answer}
			var live view
			recordFrom(t, dir, "http://"+u.addr, func(url string) {
				live = k.hold(t, strings.TrimPrefix(url, "http://"), u)
			})
			d := replay(t, dir)
			got := k.hold(t, strings.TrimPrefix(d.URL, "http://"), u).Got
			if got.Line != tt.want || got.Framed != live.Got.Framed || got.Body != live.Got.Body {
				t.Errorf("replayed %+v, recorded %+v", got, live.Got)
			}
		})
	}
}

func TestNothingSecretIsOnDisk(t *testing.T) {
	dir := t.TempDir()
	for _, tell := range told {
		record(t, dir, "", tell)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files: %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for kind, secret := range map[string]string{
			"card":     "400000" + "1111111118",
			"password": "sandbox-password", "token": "sandbox-token", "key": "sandbox-key",
		} {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s holds a %s", filepath.Base(file), kind)
			}
		}
	}
}

// A body that is not on tape must not be served, whatever cleaning makes of its marker.
func TestWithheldStaysWithheldWhenCleaned(t *testing.T) {
	set := builtin(t)
	tp := &tape{}
	m := recorder(t, always(200, nil, strings.Repeat("x", 100)), tp, func(o *proxy.RecordOptions) {
		o.Limit, o.Cleaner = 10, redact.New(redact.Options{Profiles: set})
	})
	send(t, m, request(t, "GET", "/x", ""))
	if x := tp.only(t); x.Replayable() {
		t.Errorf("on tape: %q", x.Response.Body)
	}
}

// The report of a miss shows a field that differs, and no secret of the client.
func TestAMissTellsTheFieldAndNoSecret(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, "", (*story.Teller).Checkout)
	d := replay(t, dir, proxytest.AllowMisses())
	form := "userName=sandbox-api&password=hunter22hunter&orderNumber=z&amount=777777" +
		"&returnUrl=https://shop.test"
	res, err := http.Post(d.URL+"/payment/rest/register.do", "application/x-www-form-urlencoded",
		strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	body := string(text)
	reason := res.Header.Get("Paytape-Miss")
	if res.StatusCode != 501 || reason != "field" || !strings.Contains(body, `"amount"`) {
		t.Errorf("got %d %q: %s", res.StatusCode, reason, body)
	}
	if strings.Contains(body, "hunter22") {
		t.Error("the report repeats the password")
	}
}
