package cardv1

import "github.com/paytape/paytape/internal/sandbox/wire"

// zonedForm is how document 1 writes a time, as package time has it.
const zonedForm = "2006-01-02T15:04:05-07:00"

// isMoment tells whether s is empty, a day or a time: what document 1 calls a DateTime. A
// time may lack its zone.
func isMoment(s string) bool {
	return s == "" || wire.IsTime(wire.DayForm, s) || wire.IsTime(wire.LocalForm, s) ||
		wire.IsTime(zonedForm, s)
}

// dayOf is the day of a moment that is not empty, in the zone it was written in.
func dayOf(moment string) string {
	return moment[:len(wire.DayForm)]
}
