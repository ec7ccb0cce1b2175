package request

import (
	"strings"
	"testing"
)

// All ways of writing an id have one digest, and other ids have others.
func TestFolded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 5)
	digests := map[uint64]int{}
	for group, ways := range [][]string{
		{"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b", "06CF55993F177C86BDBCBD7D00A8B38B"},
		{"0017", "17", "00-17"},
		{"017a", "017A"},
		{"17a"},
		{"-", "", "0", "000"},
		{long, strings.ToUpper(long), long[:40] + "-" + long[40:]},
		{strings.Repeat("0", 70) + "18", "18"},
		{"заказ-Ж1", "ЗАКАЗЖ1", "заказж1"},
		{"a\x00b"},
		{"ab"},
	} {
		for _, way := range ways {
			if other, known := digests[Folded(way)]; known && other != group {
				t.Errorf("%q has the digest of group %d", way, other)
			}
			digests[Folded(way)] = group
			if Folded(way) != Folded(ways[0]) {
				t.Errorf("%q and %q have two digests", way, ways[0])
			}
			if len(way) <= 64 && Folded(way) != foldedLong(way) {
				t.Errorf("%q has another digest as a long text", way)
			}
		}
	}
}
