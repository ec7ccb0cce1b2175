package rules

import (
	"hash/maphash"
	"math"
	"time"
)

// generations is a map that forgets: when it is full, what was not looked at since it was full
// before goes. The zero generations keeps nothing: newGenerations makes one.
type generations[K comparable, V any] struct {
	most       int
	young, old map[K]V
}

func newGenerations[K comparable, V any](most int) generations[K, V] {
	return generations[K, V]{most: most / 2, young: map[K]V{}}
}

// get returns the value of a key, and whether there is one.
func (g *generations[K, V]) get(key K) (V, bool) {
	if v, ok := g.young[key]; ok {
		return v, true
	}
	v, ok := g.old[key]
	if ok {
		g.put(key, v)
	}
	return v, ok
}

// put sets the value of a key.
func (g *generations[K, V]) put(key K, v V) {
	if len(g.young) >= g.most {
		g.old, g.young = g.young, map[K]V{}
	}
	g.young[key] = v
}

// group is what is counted together: an entity, a session, everything, or the value of a field.
type group struct {
	of     counted
	number uint64
}

// tally is what was counted of one rule in one group.
type tally struct {
	attempts int
	began    time.Time // the first attempt behind those that are skipped
	broken   uint64    // the digest of the last request, if the rule has broken its answer; else 0
}

// attempt counts one more, and returns how many there are.
func (t *tally) attempt(r *Rule, now time.Time) int {
	t.attempts++
	if t.attempts == r.skipped+1 {
		t.began = now
	}
	return t.attempts
}

// digestOf tells requests apart, and is never 0.
func digestOf(a *Asked) uint64 {
	var h maphash.Hash
	h.SetSeed(nameSeed)
	for _, s := range [...]string{a.Method, a.Target, a.Body} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	return h.Sum64() | 1
}

// countKey finds a tally.
type countKey struct {
	rule  *progress
	group group
}

// draw returns a number from 0 to 1 that only the seed, the rule, the group and the number of the
// attempt decide, and what it is drawn for.
func draw(seed uint64, rule string, g group, attempt int, what uint64) float64 {
	x := seed ^ hashText(rule)
	for _, part := range [...]uint64{uint64(g.of), g.number, uint64(attempt), what} {
		x = mix(x + part)
	}
	return float64(x>>11) / (1 << 53)
}

// What a number is drawn for.
const (
	forChance uint64 = iota
	forDelay
	forMint
)

// mix is the finalizer of splitmix64: each bit of the result hangs on every bit of x.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// hashText is FNV-1a of 64 bits: the same in every process, as draws must be.
func hashText(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// nameSeed is that of the digests of names in this process: names may be secrets, and none is kept.
var nameSeed = maphash.MakeSeed()

// wait returns how long a delay is for a number from 0 to 1. Between p50 and p99 lies a log-normal
// distribution, as of the times of servers.
func (d *delay) wait(luck float64) time.Duration {
	if d.p50 == d.p99 {
		return d.p50
	}
	const z99 = 2.3263478740408408 // of the normal distribution
	sigma := math.Log(float64(d.p99)/float64(d.p50)) / z99
	z := math.Sqrt2 * math.Erfinv(2*min(max(luck, 1e-9), 1-1e-9)-1)
	return min(time.Duration(float64(d.p50)*math.Exp(sigma*z)), longestWait)
}
