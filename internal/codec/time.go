package codec

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// zones are the time zones of what is read: those of one name are one.
type zones struct{ byName map[string]*time.Location }

// The words for zones. A fixed zone is its offset in seconds, a space and its name.
const (
	noZone    = ""
	zoneUTC   = "UTC"
	zoneLocal = "local"
)

// Time codes a time to the nanosecond, with its zone: UTC, the zone of this machine, or a fixed offset.
// Another zone is an error while writing. Whether this machine is in the same zone as when the file was
// written, the key must tell (see LocalZone).
func (c *Coder) Time(t *time.Time) {
	zone := t.Location()
	c.Zone(&zone)
	if !c.reads {
		seconds, nanoseconds := t.Unix(), int64(t.Nanosecond())
		Int(c, &seconds)
		Int(c, &nanoseconds)
		return
	}
	var seconds, nanoseconds int64
	Int(c, &seconds)
	Int(c, &nanoseconds)
	if c.err != nil || zone == nil || nanoseconds < 0 || nanoseconds >= int64(time.Second) {
		c.Fail(ErrDamaged)
		return
	}
	*t = time.Unix(seconds, nanoseconds).In(zone)
}

// Zone codes a time zone, of the kinds that Time takes, or nil.
func (c *Coder) Zone(zone **time.Location) {
	name := noZone
	if !c.reads {
		name = c.zoneName(*zone)
	}
	Text(c, &name)
	if c.reads {
		*zone = c.zoneOf(name)
	}
}

func (c *Coder) zoneName(zone *time.Location) string {
	switch zone {
	case nil:
		return noZone
	case time.UTC:
		return zoneUTC
	case time.Local:
		return zoneLocal
	}
	name, offset := time.Unix(0, 0).In(zone).Zone()
	if name != zone.String() { // it has a name of its own, and perhaps a summer
		c.Fail(fmt.Errorf("the zone %q has no fixed offset", zone))
	}
	return strconv.Itoa(offset) + " " + name
}

func (c *Coder) zoneOf(word string) *time.Location {
	switch word {
	case noZone:
		return nil
	case zoneUTC:
		return time.UTC
	case zoneLocal:
		return time.Local
	}
	if zone := c.zones.byName[word]; zone != nil {
		return zone
	}
	number, name, found := strings.Cut(word, " ")
	offset, err := strconv.Atoi(number)
	if !found || err != nil {
		c.Fail(ErrDamaged)
		return nil
	}
	if c.zones.byName == nil {
		c.zones.byName = map[string]*time.Location{}
	}
	zone := time.FixedZone(name, offset)
	c.zones.byName[word] = zone
	return zone
}

// LocalZone describes the zone of this machine in all that a file may depend on: its offset on each day
// from 1990 to 2060. Two machines with one description tell the same time.
func LocalZone() string {
	var b strings.Builder
	day := time.Date(1990, time.January, 1, 0, 0, 0, 0, time.UTC)
	last := -1
	for ; day.Year() < 2060; day = day.AddDate(0, 0, 1) {
		if _, offset := day.In(time.Local).Zone(); offset != last {
			fmt.Fprintf(&b, "%s%+d ", day.Format(time.DateOnly), offset)
			last = offset
		}
	}
	return b.String()
}
