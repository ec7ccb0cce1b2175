package machine

// markPassing marks the births of which nobody hears again. Of a tape of card inquiries, each of which
// bears a transaction, nothing that was ever sent names a transaction: what a live inquiry bears need
// not live longer than its answer.
//
// A birth passes if it is that of a question, and if nothing on tape leads to an entity of its kind: no
// request names one, and no answer shows a value of one on a way over others. With a list or a callback
// on tape nobody knows what they would tell of it.
func (m *Machine) markPassing() {
	if m.CallsBack() || len(m.lists) > 0 {
		return
	}
	named := map[string]bool{}
	for _, r := range m.All {
		for _, e := range r.Roles {
			named[e.Kind] = true
		}
	}
	for _, r := range m.All {
		if !r.Recording.Reads || len(r.Namings) > 0 {
			continue
		}
		for i := range r.Births {
			b := &r.Births[i]
			b.Passing = !named[b.Kind] && !b.Scope && !b.Keyed && !b.Hidden &&
				!m.Tape.LeadsTo(b.Kind) && b.Entity != nil && !b.Entity.Followed
		}
		for i := range r.Births {
			for _, up := range r.Births[i].Up {
				if up.Birth && up.Role < len(r.Births) {
					r.Births[up.Role].Passing = false // the other knows it
				}
			}
		}
	}
}
