package proxy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/proxy"
)

// Of bodies that are under way at once no more is kept than the budget has room for. All are
// passed on whole; what is not kept is marked and told of; and then there is room again.
func TestBodiesUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	const clients, size, budget = 64, 1 << 20, 8 << 20
	var arrived sync.WaitGroup // every body is at the sandbox: all are under way
	arrived.Add(clients)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if n, err := io.Copy(io.Discard, req.Body); n != size || err != nil {
			t.Errorf("%d bytes came, %v", n, err)
		}
		if req.URL.Path != "/after" {
			arrived.Done()
			arrived.Wait()
		}
		_, _ = io.Copy(w, io.LimitReader(zeros{}, size))
	}))
	defer up.Close()
	told, tp := &events{}, &tape{}
	m := recorder(t, proxy.NewTransport(), tp, func(o *proxy.RecordOptions) {
		o.Upstreams, o.Observe = upstreams(t, up.URL), told.add
		o.Limit, o.Budget = size, budget
	})
	addr := serve(t, proxy.NewDoor(m, nil))
	var all sync.WaitGroup
	for range clients {
		all.Go(func() { upload(t, up.Client(), addr+"/x", size) })
	}
	all.Wait()
	kept, lost := 0, 0
	for _, x := range tp.exchanges() {
		switch {
		case x.Replayable():
			kept++
		case x.Meta.Withheld == "the bodies under way were more than are kept at once":
			lost++
		default:
			t.Errorf("withheld because %q", x.Meta.Withheld)
		}
	}
	if kept+lost != clients || kept == 0 || kept > budget/size {
		t.Errorf("%d exchanges are on tape whole and %d marked", kept, lost)
	}
	for _, e := range told.all() {
		if e.Withheld == proxy.WithheldBudget {
			lost--
		}
	}
	if lost != 0 {
		t.Errorf("%d more were marked than told of", lost)
	}
	upload(t, up.Client(), addr+"/after", size)
	if got := tp.exchanges(); !got[len(got)-1].Replayable() {
		t.Error("there is no room when nothing is under way")
	}
}

// upload sends a body and wants as much back.
func upload(t *testing.T, c *http.Client, addr string, size int64) {
	t.Helper()
	res, err := c.Post("http://"+addr, "text/plain", io.LimitReader(zeros{}, size))
	if err != nil {
		t.Error(err)
		return
	}
	defer res.Body.Close()
	if n, err := io.Copy(io.Discard, res.Body); n != size || err != nil {
		t.Errorf("%d bytes came back, %v", n, err)
	}
}

// zeros is an endless text.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return copy(p, manyZeros), nil }

var manyZeros = strings.Repeat("0", 64<<10)
