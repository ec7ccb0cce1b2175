package admin

import (
	"context"
	"sync/atomic"
	"time"

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

// ownedDesc is told by every deck of those that share sessions: which deck has how many.
var ownedDesc = prometheus.NewDesc(namespace+"_owned_sessions",
	"Sessions that a deck has, of the decks that share them.", []string{"deck"}, nil)

// ownersTime is how long a scrape waits for whoever knows the owners.
const ownersTime = 2 * time.Second

// Describe tells of all that may be collected.
func (l *living) Describe(to chan<- *prometheus.Desc) {
	to <- entitiesDesc
	to <- sessionsDesc
	to <- learnedDesc
	to <- ownedDesc
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
	if d.Owners == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), ownersTime)
	defer cancel()
	_, counts := d.Owners(ctx)
	for at, n := range counts {
		to <- prometheus.MustNewConstMetric(ownedDesc, prometheus.GaugeValue, float64(n), at)
	}
}
