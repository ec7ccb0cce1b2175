package rules

import "maps"

// A session that has one owner among several decks has an engine of its own, which follows the engine
// of the deck: it has the same rules in force and counts for itself. What is in force changes for a
// follower at a point of its own between two requests, so the same requests in the same order, with
// the same changes between them, are treated the same again.

// Version is what was in force in an engine at some time. The zero Version is nothing.
type Version struct {
	set      *set
	disarmed map[string]bool
	armed    map[*progress]arming
}

// Version returns what is in force now.
func (e *Engine) Version() Version {
	e.mu.Lock()
	defer e.mu.Unlock()
	return Version{e.current.Load(), maps.Clone(e.disarmed), maps.Clone(e.armed)}
}

// Follower returns an engine with another seed in which nothing is in force before it adopts a version
// of e, and in which nothing was counted. What its rules do is told by the reports of e too.
func (e *Engine) Follower(seed uint64) *Engine {
	f := New(Options{Profiles: e.profiles, Seed: seed, Now: e.now})
	f.follows = true
	return f
}

// Adopt has a follower put a version in force. What was counted of a rule that stays goes on. A rule
// may still fire as often as it was armed for, unless it was armed anew since the version before.
func (e *Engine) Adopt(v Version) {
	if v.set == nil {
		v.set = &set{idle: true}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.current.Store(v.set)
	e.disarmed = maps.Clone(v.disarmed)
	for rule, by := range v.armed {
		if by.nth > e.armed[rule].nth {
			e.armed[rule] = by
		}
	}
	e.forgetArmingsLocked(v.set)
}

// Revert puts a version in force that was in force before, in the engine of the deck itself.
func (e *Engine) Revert(v Version) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.current.Store(v.set)
	e.disarmed, e.armed = map[string]bool{}, map[*progress]arming{}
	maps.Copy(e.disarmed, v.disarmed)
	maps.Copy(e.armed, v.armed)
}

// Armings returns how often each rule in force may still fire because somebody has armed it, in the
// order of the rules.
func (e *Engine) Armings() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	var left []int
	for _, r := range e.current.Load().rules {
		left = append(left, e.armed[r.progress].times)
	}
	return left
}

// SetArmings has another engine's Armings hold, whose rules in force are the same.
func (e *Engine) SetArmings(left []int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, r := range e.current.Load().rules {
		if by, ok := e.armed[r.progress]; ok && i < len(left) {
			by.times = left[i]
			e.armed[r.progress] = by
		}
	}
}

// forgetArmingsLocked drops the armings of rules that are in force no longer.
func (e *Engine) forgetArmingsLocked(in *set) {
	if len(e.armed) == 0 {
		return
	}
	kept := map[*progress]arming{}
	for _, r := range in.rules {
		if by, ok := e.armed[r.progress]; ok {
			kept[r.progress] = by
		}
	}
	e.armed = kept
}
