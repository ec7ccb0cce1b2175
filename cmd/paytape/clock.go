package main

import (
	"fmt"
	"time"
)

// parseClock reads where a clock starts. A date alone is its midnight here; a time with a
// zone keeps the zone, in which the stand-ins then print theirs.
func parseClock(text string) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	at, err := time.ParseInLocation(time.DateOnly, text, time.Local)
	if err != nil {
		return time.Time{}, fmt.Errorf("--clock: expected 2031-05-17 or 2031-05-17T09:30:00Z, "+
			"found %q", text)
	}
	return at, nil
}
