package machine

import "iter"

// Party is an entity that a request names, as a view sees it.
type Party struct {
	Scope bool
	// Kin is the family of the entity; of a scope its members.
	Kin *Kin
}

// SessionState is the state of all that there is.
type SessionState struct {
	Own Own // moved by writes that name nothing
	All *Kin
}

// ViewOf digests what an answer may depend on beside the own states of what the request names: the
// families of these. For a read that names only scopes it is their members, for one that names
// nothing all that there is; for a write that names no more it is the session's own state.
func ViewOf(reads bool, parties iter.Seq[Party], s SessionState) View {
	var families, scopes uint64
	var done [8]*Kin
	n, named := 0, 0
	for p := range parties {
		named++
		if p.Scope {
			scopes = mix(scopes, uint64(p.Kin.View()))
			continue
		}
		known := false
		for i := range min(n, len(done)) {
			known = known || done[i] == p.Kin
		}
		if known {
			continue
		}
		if n < len(done) {
			done[n] = p.Kin
		}
		n++
		families = mix(families, uint64(p.Kin.View()))
	}
	switch {
	case n > 0:
		return View(families)
	case !reads:
		return View(mix(0, uint64(s.Own)))
	case named == 0:
		return View(mix(uint64(s.Own), uint64(s.All.View())))
	}
	return View(scopes)
}
