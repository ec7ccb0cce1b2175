package profile

// A profile says something of some operations and of some of their fields. The rest is unsaid, and
// is inferred as if there were no profile: who writes rows for an order and leaves its captures to
// inference must not lose what inference knows of captures. Our own profiles tell of every field
// that their documents have, so what they leave unsaid is exact ("unsaid: exact").

// Open reports whether what the API's profile leaves unsaid is inferred. An API without a profile
// is inferred as a whole.
func (c Call) Open() bool { return c.Profile == nil || !c.Profile.closed }

// Infers reports whether what is unsaid of the call is inferred. Of a path that belongs to a
// profile which does not describe it, everything is unsaid.
func (c Call) Infers() bool { return c.Operation == nil || c.Open() }

// InfersNoun reports whether it is inferred which thing the values of a noun name; "" is the noun
// of a value without a row. A profile that tells of entities tells of all that its rows name.
func (c Call) InfersNoun(noun string) bool {
	return c.Operation == nil || c.Open() && (noun == "" || c.Profile.Entities == nil)
}

// Asks reports whether it is inferred if the call writes.
func (c Call) Asks() bool { return c.Operation == nil || c.Operation.Asks }

// DeniedUnsaid reports whether it is inferred how a refusal of credentials looks.
func (c Call) DeniedUnsaid() bool { return c.Open() && (c.Profile == nil || c.Profile.Denied == nil) }

// FailureUnsaid reports whether it is inferred how the answer of a failed call looks.
func (c Call) FailureUnsaid() bool {
	return c.Open() && (c.Profile == nil || c.Profile.Failed == nil) &&
		(c.Operation == nil || c.Operation.Failed == nil)
}

// InfersLogin reports whether it is inferred that the header Authorization of a request has a login
// (RFC 9110, section 11.6.2).
func (s *Set) InfersLogin(c Call) bool {
	return c.Open() && !s.SaidHeader(c, Request, "Authorization")
}

// Said reports whether the profile of the call has a row for a leaf: the rows for all APIs do not
// count.
func (s *Set) Said(c Call, dir Direction, at At) bool {
	if c.Profile == nil {
		return false
	}
	l := s.layers(c, dir)
	l.http = nil
	_, said := l.meaning(c.Profile, dir, at)
	return said
}

// SaidHeader is Said for a header.
func (s *Set) SaidHeader(c Call, dir Direction, name string) bool {
	l := s.layers(c, dir)
	l.http = nil
	var buf [64]byte
	return l.headers(fold(buf[:0], name)) != nil
}
