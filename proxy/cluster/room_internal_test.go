package cluster

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// zeros are a body without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestBodiesTakeRoom reads bodies until there is no room, which the end of each gives back.
func TestBodiesTakeRoom(t *testing.T) {
	t.Parallel()
	n := &Node{options: Options{Limit: 1 << 20}, room: newRoom(1 << 20)}
	all := n.room.left
	n.room.left = 3 << 20
	read := func(size int64, known bool) (int64, error) {
		req := httptest.NewRequest("POST", "/", io.LimitReader(zeros{}, size))
		if req.ContentLength = -1; known {
			req.ContentLength = size
		}
		r, held, err := n.request(req, "")
		if err == nil && int64(len(r.Body)) != size {
			t.Errorf("%d bytes of %d were read", len(r.Body), size)
		}
		return held, err
	}
	var held []int64
	for i := range 3 {
		took, err := read(1<<20-smallBody, i == 0)
		if err != nil || took != 1<<20-smallBody {
			t.Fatal(took, err)
		}
		held = append(held, took)
	}
	took, err := read(1<<20, true)
	if !errors.Is(err, errBusy) {
		t.Errorf("one that has no room: %v", err)
	}
	held = append(held, took)
	for _, took := range held {
		n.room.give(took)
	}
	if n.room.left != 3<<20 || all != 256<<20 {
		t.Errorf("%d bytes are left of %d", n.room.left, 3<<20)
	}
	if took, err = read(1<<20+1, true); !errors.Is(err, errLarge) {
		t.Errorf("one that is too large: %v", err)
	}
	n.room.give(took)
	if n.room.left != 3<<20 {
		t.Errorf("%d bytes are left", n.room.left)
	}
}

// TestABusyDeckSaysSo asks a deck that has no room, directly and through another.
func TestABusyDeckSaysSo(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	first, _ := newTestNode(t, servers)
	second, _ := newTestNode(t, servers)
	asked(t, first, "a")
	first.room.mu.Lock()
	first.room.left = 1000
	first.room.mu.Unlock()
	for _, n := range []*Node{first, second} {
		w := httptest.NewRecorder()
		n.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", 1001))))
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `"busy"`) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if got := asked(t, second, "b"); got != "2 []" {
		t.Errorf("a small request: %s", got)
	}
}
