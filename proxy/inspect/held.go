package inspect

import (
	"github.com/paytape/paytape/cassettes/har"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/explain"
	"github.com/paytape/paytape/proxy/inspect/traffic"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// Held explains what a hub holds. It is an Explainer.
type Held struct {
	Hub     *hub.Hub
	Traffic *traffic.Traffic
	Explain explain.Options
	// Creator is the program, as archives name it.
	Creator har.Creator
}

// Exchange returns an exchange in full. Of one that is held no longer the row is left.
func (h *Held) Exchange(id uint64) (view.Exchange, bool) {
	row, ok := h.Traffic.Row(id)
	if !ok {
		return view.Exchange{}, false
	}
	x, held := h.Hub.Exchange(id)
	v := explain.Exchange(h.Explain, row, x, h.Hub.Trace(id))
	v.Gone = v.Gone || !held
	return v, true
}

// Why explains an answer or a miss.
func (h *Held) Why(id uint64) (view.Why, bool) {
	row, ok := h.Traffic.Row(id)
	if !ok {
		return view.Why{}, false
	}
	x, held := h.Hub.Exchange(id)
	w := explain.Why(h.Explain, row, x, h.Hub.Trace(id))
	w.Gone = w.Gone || !held
	return w, true
}

// Value follows a value through the flow of an exchange.
func (h *Held) Value(id uint64, side, path string) (view.Value, bool) {
	row, ok := h.Traffic.Row(id)
	if !ok {
		return view.Value{}, false
	}
	rows := []view.Row{row}
	if f, ok := h.Traffic.Flow(row.Group); ok {
		rows = f.Rows
	}
	return explain.Value(h.Explain, rows, func(id uint64) (redact.Clean, bool) {
		return h.Hub.Exchange(id)
	}, id, side, path)
}

// HAR returns an archive of an exchange.
func (h *Held) HAR(id uint64) ([]byte, bool) {
	x, ok := h.Hub.Exchange(id)
	if !ok || x.Exchange() == nil {
		return nil, false
	}
	data, err := har.Write(h.Creator, x.Exchange())
	return data, err == nil
}
