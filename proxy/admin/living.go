package admin

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// living asks a deck, whenever it is asked itself, for what comes and goes. What the deck has
// not is left out.
type living struct{ deck *atomic.Pointer[Deck] }

var (
	entitiesDesc = prometheus.NewDesc(namespace+"_live_entities",
		"Live entities that a replay keeps: orders, cards, bindings and the like.", nil, nil)
	sessionsDesc = prometheus.NewDesc(namespace+"_live_sessions",
		"Sessions that clients have named.", nil, nil)
	learnedDesc = prometheus.NewDesc(namespace+"_taint_values",
		"Values that are known to be secret and searched for in all traffic.", nil, nil)
)

// Describe tells of all that may be collected.
func (l *living) Describe(to chan<- *prometheus.Desc) {
	to <- entitiesDesc
	to <- sessionsDesc
	to <- learnedDesc
}

// Collect asks the deck.
func (l *living) Collect(to chan<- prometheus.Metric) {
	d := l.deck.Load()
	if d == nil {
		return
	}
	tell := func(desc *prometheus.Desc, n int) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(n))
	}
	if d.Live != nil {
		sessions, entities := d.Live()
		tell(sessionsDesc, sessions)
		tell(entitiesDesc, entities)
	}
	if d.Learned != nil {
		tell(learnedDesc, d.Learned())
	}
}
