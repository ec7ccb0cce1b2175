package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/paytape/paytape/proxy/inspect/line"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Bounds of streams.
const (
	maxStreams   = 64
	heartbeat    = 15 * time.Second       // a comment, so that nobody takes a quiet stream for a dead one
	statusEvery  = 500 * time.Millisecond // at most
	writeTime    = 10 * time.Second       // for a reader to take what is written; a dead one is let go
	flushEvery   = 50 * time.Millisecond  // while rows come faster than they can be read one by one
	rowsInFlight = 256
)

// events answers GET events: rows as they come, and the status when it has changed. A reader that is
// slower than the traffic is overtaken: rows that left the ring meanwhile are a gap, and nobody waits
// for the reader. The stream ends when the deck has stopped.
func (i *Inspector) events(w http.ResponseWriter, req *http.Request) {
	p := params{req.URL.Query(), nil}
	filter := p.filter()
	most := p.number("most", 0)
	after := p.id("after")
	if last := req.Header.Get("Last-Event-ID"); last != "" {
		p.Values.Set("after", last)
		after = p.id("after")
	}
	if p.err == nil && !p.Has("after") {
		after = i.Events.LastID()
	}
	if p.err == nil && filter != "" {
		_, p.err = i.Traffic.Window(Query{Filter: filter}) // a filter that cannot be read
	}
	if p.err != nil {
		i.fail(w, req, p.err)
		return
	}
	select {
	case i.streams <- struct{}{}:
		defer func() { <-i.streams }()
	default:
		fail(w, req, http.StatusServiceUnavailable, "too many streams of events are open")
		return
	}
	s := &stream{
		Inspector: i, w: w, control: http.NewResponseController(w), req: req,
		asText: p.Get("format") == "text", most: most,
	}
	s.run(filter, after)
}

// stream is one stream of events.
type stream struct {
	*Inspector
	w       http.ResponseWriter
	control *http.ResponseController
	req     *http.Request
	asText  bool
	most    int // rows in a second, beside misses; 0: all

	second time.Time   // in which rows are counted
	rows   int         // in it
	told   view.Status // as it was told last
}

// coming is a row, and how many before it were lost.
type coming struct {
	row  view.Row
	lost uint64
}

// run writes the stream until its reader has gone or the deck has stopped.
func (s *stream) run(filter string, after uint64) {
	media := "text/event-stream; charset=utf-8"
	if s.asText {
		media = "text/plain; charset=utf-8"
	}
	s.w.Header().Set("Content-Type", media)
	s.w.Header().Set("X-Accel-Buffering", "no") // of a proxy on the way
	ctx, stop := context.WithCancel(s.req.Context())
	rows := make(chan coming, rowsInFlight)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(rows)
		for row, lost := range s.Traffic.Follow(ctx, after, filter) {
			select {
			case rows <- coming{row, lost}:
			case <-ctx.Done():
				return
			}
		}
	}()
	s.copy(rows)
	stop()
	<-ended
	_ = s.control.SetWriteDeadline(time.Time{}) // the connection may serve other requests
}

// copy writes what comes.
func (s *stream) copy(rows <-chan coming) {
	beats, states := time.NewTicker(heartbeat), time.NewTicker(statusEvery)
	defer beats.Stop()
	defer states.Stop()
	err := s.flush(s.status(false))
	for err == nil {
		select {
		case c, more := <-rows:
			if !more {
				_ = s.flush(s.status(s.req.Context().Err() == nil))
				return
			}
			err = s.flush(s.burst(c, rows))
		case <-states.C:
			err = s.flush(s.status(false))
		case <-beats.C:
			if !s.asText {
				err = s.flush(s.write(": still here\n\n"))
			}
		case <-s.req.Context().Done():
			return
		}
	}
}

// burst writes a row, and those that come soon after it.
func (s *stream) burst(c coming, rows <-chan coming) error {
	until := time.Now().Add(flushEvery)
	for {
		if err := s.row(c); err != nil || time.Now().After(until) {
			return err
		}
		select {
		case next, more := <-rows:
			if !more {
				return nil // the caller finds that out again
			}
			c = next
		default:
			return nil
		}
	}
}

// room reports whether a row is to be written, where no more than some are wanted in a second. A page
// that shows forty rows has no use for thousands: the status tells it that there are others, and it
// asks for a window. Misses are always written, because they are announced one by one.
func (s *stream) room(r *view.Row) bool {
	if s.most == 0 || r.Sign == view.SignMiss {
		return true
	}
	if now := time.Now(); now.Sub(s.second) >= time.Second {
		s.second, s.rows = now, 0
	}
	s.rows++
	return s.rows <= s.most
}

// row writes a row, and before it a gap where rows were lost.
func (s *stream) row(c coming) error {
	if !s.room(&c.row) && c.lost == 0 {
		return nil
	}
	switch {
	case c.lost > 0 && s.asText:
		if err := s.write(line.Lost(c.lost, s.terminal(s.req)) + "\n"); err != nil {
			return err
		}
	case c.lost > 0:
		if err := s.event("gap", "", struct {
			Lost uint64 `json:"lost"`
		}{c.lost}); err != nil {
			return err
		}
	}
	return s.event("row", strconv.FormatUint(c.row.ID, 10), c.row)
}

// status writes the status if it has changed, or if the deck has stopped.
func (s *stream) status(stopped bool) error {
	now := s.Status()
	now.Stopped = now.Stopped || stopped
	if s.asText || reflect.DeepEqual(now, s.told) {
		return nil
	}
	s.told = now
	return s.event("status", "", now)
}

// event writes an event. JSON has no line ends, so the data is one line.
func (s *stream) event(name, id string, data any) error {
	if s.asText {
		text, _ := s.text(s.req, data)
		return s.write(text)
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	return s.write(fmt.Sprintf("event: %s\n%sdata: %s\n\n", name, id, text))
}

// write writes a text within the time that a reader has.
func (s *stream) write(text string) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	_, err := s.w.Write([]byte(text))
	return err
}

// flush sends what was written, if writing went well.
func (s *stream) flush(err error) error {
	if err != nil {
		return err
	}
	return s.control.Flush()
}
