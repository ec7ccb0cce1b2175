package profile

import "slices"

// Override is a row that a run puts on top of those of all profiles.
type Override struct {
	// Operation is one of a profile of the set.
	Operation *Operation
	Dir       Direction
	Header    bool   // the row is of a header, and not of a field
	Key       string // as in a profile: a key, or a path without indexes
	Field     Field
	// File and Line say where the row is written.
	File string
	Line int
}

// Keep is the row of a value that stays as it is on tape.
const Keep = "keep"

// ParseRow reads a row in the words of a profile, or Keep.
func ParseRow(row string) (Field, error) {
	if row == Keep {
		return Field{}, nil
	}
	f, pattern, err := parseRow(row)
	if err == nil && !pattern.IsZero() {
		return Field{}, expected("a pattern in a profile alone, where it is that of the noun", row)
	}
	return f, err
}

// Override puts rows on top of those of the profiles; of several for one field the last counts. It
// must come before the set is used by many. What a profile calls a secret stays one.
func (s *Set) Override(rows []Override) {
	s.forget()
	var changed []*Profile
	for _, o := range rows {
		key := string(fold(nil, o.Key))
		half := o.Operation.half(o.Dir)
		into, at := &half.rows, &half.rowsAt
		if o.Header {
			into, at = &half.headers, &half.headersAt
		}
		old, known := (*into)[key]
		if !known {
			old, _ = s.Field(Call{Profile: o.Operation.Profile, Operation: o.Operation}, o.Dir,
				At{Key: o.Key, Shape: o.Key})
		}
		f := o.Field
		f.Rule = o.rule()
		if f.strengthen(old); f.Secret == NotSecret {
			f.Secret, f.Rule = old.Secret, old.Rule
		}
		if *into == nil {
			*into = map[string]Field{}
		}
		if *at == nil {
			*at = map[string]Origin{}
		}
		(*into)[key], (*at)[key] = f, Origin{o.File, o.Line, 0, o.Key}
		if p := o.Operation.Profile; !slices.Contains(changed, p) {
			changed = append(changed, p)
		}
	}
	for _, p := range changed {
		p.addresses, p.compares = p.findAddresses(), p.findCompared()
		p.carryOver()
	}
}

// rule returns the name of a row that can take something out, as nameRules makes it.
func (o *Override) rule() string {
	if o.Field.Secret == NotSecret && o.Field.Form != Mask && o.Field.Form != Last {
		return ""
	}
	half := "request"
	if o.Dir == Response {
		half = "response"
	}
	if o.Header {
		half += "Headers"
	}
	return o.Operation.Profile.Name + "/" + o.Operation.Name + "/" + half + "/" + o.Key
}
