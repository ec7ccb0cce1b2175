package admin

import "github.com/prometheus/client_golang/prometheus"

// namespace is what the names of all metrics of ours begin with.
const namespace = "paytape"

// factory makes metrics and registers them. Names and labels are constants, so a mistake in
// them is one of ours, and panics.
type factory struct{ prometheus.Registerer }

func (f factory) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
	f.MustRegister(c)
	return c
}

func (f factory) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
	f.MustRegister(g)
	return g
}

func (f factory) counters(name, help string, labels ...string) *prometheus.CounterVec {
	o := prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}
	c := prometheus.NewCounterVec(o, labels)
	f.MustRegister(c)
	return c
}

func (f factory) histograms(name, help string, labels ...string) *prometheus.HistogramVec {
	o := prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: durations}
	h := prometheus.NewHistogramVec(o, labels)
	f.MustRegister(h)
	return h
}
