package admin

import (
	"net/http"
	"runtime"
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// metrics are what a deck counts. Names follow the conventions of Prometheus: a prefix, the
// thing, its unit, and _total for what only grows.
type metrics struct {
	registry *prometheus.Registry
	words    vocabulary

	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	misses   *prometheus.CounterVec
	upstream *prometheus.CounterVec
	refusals *prometheus.CounterVec
	marked   *prometheus.CounterVec
	withheld prometheus.Counter
	bodies   *prometheus.CounterVec
	journal  prometheus.Counter
	warnings prometheus.Counter
	called   *prometheus.CounterVec
	resets   prometheus.Counter
	inFlight prometheus.Gauge
}

// durations are the bounds of the histogram, in seconds: an answer from tape takes some
// hundredths of a millisecond, one of an issuer up to minutes.
var durations = []float64{.0001, .00025, .001, .005, .025, .1, .25, 1, 2.5, 10, 60}

func newMetrics(o Options, deck *atomic.Pointer[Deck]) *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), words: newVocabulary(o.Profiles)}
	f := factory{prometheus.WrapRegistererWith(prometheus.Labels{"mode": o.Mode}, m.registry)}
	m.requests = f.counters("requests_total", "Requests by what became of them and class of status.",
		"profile", "operation", "outcome", "code")
	m.took = f.histograms("request_duration_seconds", "Time from request to end of answer.",
		"profile", "operation")
	m.misses = f.counters("misses_total", "Requests that found nothing on tape.", "reason")
	m.upstream = f.counters("upstream_errors_total",
		"Exchanges that an upstream did not answer, or not to the end.", "kind")
	m.refusals = f.counters("refusals_total",
		"Clients that were refused before a request of theirs was looked at.", "reason")
	m.marked = f.counters("marked_total",
		"Answers that stand on more than the tape, by what they say of it.", "mark")
	m.withheld = f.counter("withheld_total", "Values that the last search kept off the tape.")
	m.bodies = f.counters("withheld_bodies_total",
		"Exchanges that are on tape without a body, and are not replayed.", "reason")
	m.journal = f.counter("journal_errors_total",
		"Exchanges that are not on tape, and failures of the disk to confirm.")
	m.warnings = f.counter("warnings_total", "Warnings, which are of no request.")
	m.called = f.counters("callbacks_total",
		"Callbacks, and their attempts, by what became of them and class of status.",
		"profile", "outcome", "code")
	m.resets = f.counter("resets_total", "Resets of what is live.")
	m.inFlight = f.gauge("requests_in_flight", "Requests under way.")
	m.begin()
	f.MustRegister(&living{deck: deck})
	m.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		build(o.Version))
	return m
}

// begin sets to 0 what is known beforehand, so that the first of each is seen as one more.
func (m *metrics) begin() {
	for _, reason := range match.Reasons() {
		m.misses.WithLabelValues(string(reason))
	}
	for _, mark := range marks {
		m.marked.WithLabelValues(mark)
	}
	for _, cause := range causes {
		m.upstream.WithLabelValues(cause)
	}
	for _, reason := range refusals {
		m.refusals.WithLabelValues(reason)
	}
	for _, reason := range withholdings {
		m.bodies.WithLabelValues(reason)
	}
}

// handler answers GET /metrics.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// observe counts an event.
func (m *metrics) observe(e proxy.Event) {
	switch e.Kind {
	case proxy.Warning:
		m.warnings.Inc()
		return
	case proxy.Callback:
		profile, _ := m.words.names(e.Profile, "")
		m.called.WithLabelValues(profile, among(outcomes, e.Outcome), class(e.Code)).Inc()
		return
	case proxy.Refused:
		m.refusals.WithLabelValues(among(refusals, e.Problem)).Inc()
		return
	}
	if e.Kind == proxy.Lost || e.Note == proxy.NoteTapeFailed || e.Note == proxy.NoteUnsynced {
		m.journal.Inc()
	}
	if e.Note == proxy.NoteUnsynced {
		return // it tells of no request
	}
	profile, operation := m.words.names(e.Profile, e.Operation)
	m.requests.WithLabelValues(profile, operation, m.words.kind(e.Kind), class(e.Code)).Inc()
	if e.Took > 0 { // a defect does not say how long it took
		m.took.WithLabelValues(profile, operation).Observe(e.Took.Seconds())
	}
	if e.Kind == proxy.Missed {
		m.misses.WithLabelValues(m.words.reason(e.Reason)).Inc()
	}
	if e.Mark != "" {
		m.marked.WithLabelValues(among(marks, e.Mark)).Inc()
	}
	if e.Withheld != "" {
		m.bodies.WithLabelValues(among(withholdings, e.Withheld)).Inc()
	}
	if e.Cause != "" {
		m.upstream.WithLabelValues(among(causes, e.Cause)).Inc()
	}
}

// class returns "2xx" for 204, and "none" where nothing was sent.
func class(code int) string {
	if code < 100 || code > 599 {
		return "none"
	}
	return strconv.Itoa(code/100) + "xx"
}

// build tells which program this is.
func build(version string) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "Always 1: which build this is.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	g.Set(1)
	return g
}
