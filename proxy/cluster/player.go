package cluster

import (
	"context"
	"maps"
	"net/http"
	"time"

	"github.com/paytape/paytape/proxy/internal/http1"
)

// play gives a client an answer. It reports whether the client has got all that there is; a
// connection that is to be broken ends by a panic, as net/http wants it.
func (a *Answer) play(w http.ResponseWriter, req *http.Request) (whole bool) {
	begun := time.Now()
	if !sleep(req.Context(), a.Wait) {
		panic(http.ErrAbortHandler)
	}
	switch {
	case a.End == EndHang:
		<-req.Context().Done()
		panic(http.ErrAbortHandler)
	case a.End == EndReset, a.End == EndRaw:
		a.breakOff(w)
		return false
	case a.Code == 0:
		panic(http.ErrAbortHandler)
	}
	h := w.Header()
	maps.Copy(h, a.Header)
	http1.SetStatus(req, &http.Response{StatusCode: a.Code, Status: a.Status, Header: a.Header})
	w.WriteHeader(a.Code)
	flusher := http.NewResponseController(w)
	for i, p := range a.Pieces {
		if i > 0 || p.After > a.Wait {
			_ = flusher.Flush() // a client that has gone needs none
		}
		if !sleep(req.Context(), p.After-time.Since(begun)) {
			panic(http.ErrAbortHandler)
		}
		if _, err := w.Write(p.Data); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	if a.End == EndCut {
		_ = flusher.Flush()
		panic(http.ErrAbortHandler)
	}
	maps.Copy(h, a.Trailer)
	return req.Context().Err() == nil
}

// breakOff breaks the connection of a client. One of HTTP/2 carries other requests, and stays.
func (a *Answer) breakOff(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if a.End == EndReset {
		_ = http1.Reset(conn).Close()
	} else {
		_, _ = conn.Write(a.Raw) // a client that has gone needs none
	}
	_ = conn.Close()
}

// sleep waits. It returns false if ctx has ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
