package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// size is a number of bytes, as a flag: 16M, 500K, 1048576.
type size int64

// units are what a size may end with; they are powers of 1024.
var units = []struct {
	name  string
	bytes int64
}{{"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}}

// Set reads a size, which is at least one byte.
func (s *size) Set(text string) error {
	number, factor := text, int64(1)
	for _, unit := range units {
		if n, found := strings.CutSuffix(text, unit.name); found {
			number, factor = n, unit.bytes
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/2/factor {
		return errors.New("expected a number of bytes, or one that ends in K, M or G")
	}
	*s = size(n * factor)
	return nil
}

// String writes a size as it may be read.
func (s *size) String() string {
	for _, unit := range units {
		if n := int64(*s); n > 0 && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type names the kind of value for the help text.
func (s *size) Type() string { return "SIZE" }

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

// firstError runs steps until one fails.
func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
