package inspect_test

import (
	"bufio"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect"
	"github.com/paytape/paytape/proxy/inspect/traffic"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// piped is the answer to a request whose client reads from the other end of a pipe. What is written
// waits until it is read, or until the deadline.
type piped struct {
	net.Conn
	header http.Header
}

func (p *piped) Header() http.Header { return p.header }
func (p *piped) WriteHeader(int)     {}
func (p *piped) FlushError() error   { return nil }

// ask has an inspector stream events, and returns the end at which they are read, and what is closed
// when the stream has ended.
func ask(t *testing.T, i *inspect.Inspector, call string) (*bufio.Reader, net.Conn, <-chan struct{}) {
	t.Helper()
	here, there := net.Pipe()
	req := httptest.NewRequestWithContext(t.Context(), "GET", "/"+token+"/api/"+call, nil)
	req.Host = "127.0.0.1:4711"
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		i.ServeHTTP(&piped{there, http.Header{}}, req)
		_ = there.Close()
	}()
	return bufio.NewReader(here), here, ended
}

func TestAQuietStreamTellsThatItIsThere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i, d := newInspector(t)
		from, _, ended := ask(t, i, "events")
		begun := time.Now()
		time.AfterFunc(50*time.Second, func() { close(d.coming) })
		beats := 0
		for {
			text, err := from.ReadString('\n')
			if err != nil {
				break
			}
			if strings.HasPrefix(text, ":") {
				beats++
			}
		}
		<-ended
		if took := time.Since(begun); beats != 3 || took != 50*time.Second {
			t.Errorf("in %v there were %d beats, want 3", took, beats)
		}
	})
}

func TestAReaderThatIsDeadIsLetGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i, d := newInspector(t)
		begun := time.Now()
		_, _, ended := ask(t, i, "events") // nobody reads
		<-ended
		if took := time.Since(begun); took != 10*time.Second {
			t.Errorf("it was let go after %v, want 10 s", took)
		}
		select {
		case d.coming <- view.Row{ID: 4}:
			t.Error("the traffic is followed still")
		default:
		}
	})
}

// A reader that is slower than the traffic is overtaken: whoever publishes never waits for it, and
// rows and gaps together are all events.
func TestASlowReaderIsOvertaken(t *testing.T) {
	t.Parallel()
	const events, held = 5000, 100
	synctest.Test(t, func(t *testing.T) {
		h := hub.New(hub.Options{Events: held})
		rows := traffic.New(traffic.Options{Hub: h, Keep: held})
		i, err := inspect.New(inspect.Options{
			Traffic: rows, Events: h, Cleaner: redact.New(redact.Options{}),
			Status: func() view.Status { return view.Status{} }, Token: token,
		})
		if err != nil {
			t.Fatal(err)
		}
		from, conn, ended := ask(t, i, "events?after=0")
		begun := time.Now()
		go func() {
			for n := range events {
				h.Publish(proxy.Event{Kind: proxy.Served, Code: 200})
				if n%50 == 49 {
					time.Sleep(time.Millisecond) // of the bubble
				}
			}
			if took := time.Since(begun); took != events/50*time.Millisecond {
				t.Errorf("publishing took %v: it has waited", took)
			}
			h.Close()
			rows.Close()
		}()
		got, lost := 0, 0
		for {
			text, err := from.ReadString('\n')
			if err != nil {
				break
			}
			name, data, _ := strings.Cut(strings.TrimSpace(text), ": ")
			switch {
			case name == "event" && data == "row":
				got++
				time.Sleep(time.Millisecond)
			case name == "data" && strings.HasPrefix(data, `{"lost":`):
				var gap struct{ Lost int }
				if err := json.Unmarshal([]byte(data), &gap); err != nil {
					t.Fatal(err)
				}
				lost += gap.Lost
			}
		}
		<-ended
		_ = conn.Close()
		if got+lost != events || lost == 0 || got < held {
			t.Errorf("%d rows and %d lost of %d events", got, lost, events)
		}
	})
}
