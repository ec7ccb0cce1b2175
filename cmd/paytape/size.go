package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
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
