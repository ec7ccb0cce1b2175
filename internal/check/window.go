package check

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
)

// A file is looked into window by window, so that memory is bounded and a large file is work for
// several. A window is read with what stands before and after it, because a number or a stretch
// of base64 may lie over its end.
const (
	windowSize = 1 << 20  // bytes
	overlap    = 64 << 10 // on either side
)

// window is a stretch of a file with its surroundings.
type window struct {
	text     string
	from, to int // the window in text
	line     int // at from
	base     int // the offset in the file at which text begins
}

// windows looks into all windows of a file, in parallel while there are slots.
func (d *document) windows(r io.Reader) ([]Finding, error) {
	var (
		mu    sync.Mutex // guards found
		found []Finding
		wait  sync.WaitGroup
	)
	look := func(w window) {
		got := d.look(w)
		mu.Lock()
		defer mu.Unlock()
		found = append(found, got...)
	}
	err := eachWindow(r, func(w window) {
		select {
		case d.slots <- struct{}{}:
			wait.Go(func() {
				defer func() { <-d.slots }()
				look(w)
			})
		default:
			look(w)
		}
	})
	wait.Wait()
	return sorted(found), err
}

// look looks into a window. What begins outside of it is for its neighbour to say.
func (d *document) look(w window) []Finding {
	var found []Finding
	line, at := w.line, w.from
	for _, f := range d.search.Find(w.text) { // by offset
		if f.Offset < w.from || f.Offset >= w.to {
			continue
		}
		line += strings.Count(w.text[at:f.Offset], "\n")
		at = f.Offset
		found = append(found, Finding{Line: line, Kind: f.Kind, at: w.base + f.Offset})
	}
	return found
}

// eachWindow cuts what r reads into windows, at the end of a line where there is one.
func eachWindow(r io.Reader, visit func(window)) error {
	var data []byte // from the surroundings of the next window on
	from, line, base := 0, 1, 0
	for {
		more, err := readTo(r, data, from+windowSize+overlap)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		data = more
		last := errors.Is(err, io.EOF)
		to := len(data)
		if !last {
			to = from + windowSize
			if n := bytes.LastIndexByte(data[from+windowSize-overlap:to], '\n'); n >= 0 {
				to = from + windowSize - overlap + n + 1
			}
		}
		visit(window{string(data), from, to, line, base})
		if last {
			return nil
		}
		line += bytes.Count(data[from:to], []byte("\n"))
		cut := max(0, to-overlap)
		data = append([]byte(nil), data[cut:]...)
		base += cut
		from = to - cut
	}
}

// readTo reads on until data has a length. The error is io.EOF where there is no more.
func readTo(r io.Reader, data []byte, length int) ([]byte, error) {
	have := len(data)
	data = append(data, make([]byte, length-have)...)
	n, err := io.ReadFull(r, data[have:])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return data[:have+n], err
}
