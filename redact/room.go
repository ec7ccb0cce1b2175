package redact

import "github.com/paytape/paytape/internal/leaf"

// room is memory for the leaves and the plans of a message. Most messages are small and are cleaned in
// no time, and the next needs as much memory.
type room struct {
	leaf.Unprinted
	leaves []leaf.Leaf
	plans  []plan
}

// mostRoom is for how many leaves room is kept: larger messages are rare.
const mostRoom = 256

// lend lends room for a message.
func (s *state) lend() *room {
	if r, ok := s.rooms.Get().(*room); ok {
		return r
	}
	return &room{}
}

// takeBack takes the room of a message back, which is read no more. Nothing of the message stays in it.
func (s *state) takeBack(m *message) {
	r := m.room
	if r == nil || cap(m.Leaves) > mostRoom || cap(m.plans) > mostRoom {
		return
	}
	clear(m.Leaves)
	clear(m.plans)
	r.leaves, r.plans = m.Leaves[:0], m.plans[:0]
	m.room = nil
	s.rooms.Put(r)
}

// bodyRoom is the room for a message whose body has so many values, 0 if nobody has counted them.
type bodyRoom struct {
	values int
	lent   *room // nil: nobody has lent any
}

// leaves returns room for the leaves of the message, or nil where leaf.Read makes it. Leaves that have
// no room are copied, and lie twice in memory meanwhile.
func (b bodyRoom) leaves() []leaf.Leaf {
	const spare = 64 // for what is not in the body
	switch {
	case b.values > mostRoom:
		return make([]leaf.Leaf, 0, b.values+spare)
	case b.lent != nil:
		return b.lent.leaves
	}
	return nil
}
