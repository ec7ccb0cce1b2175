package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAudit(t *testing.T) {
	t.Parallel()
	const card = "card number"
	tape := "version: 1\ninteractions:\n" +
		"- request:\n    body: pan=" + paidCard + "\n  paytape:\n    number: 7\n" +
		"- request:\n    body: |\n      a\n      b " + paidCard + "\n"
	for _, test := range []struct {
		name, data string
		want       []finding
	}{
		{"nothing", "an order of 12500", nil},
		{"an empty file", "", nil},
		{"two in one line", paidCard + " " + paidCard, []finding{{"f", 1, 0, card}}},
		{"lines count from 1", "\n\n" + paidCard + "\n", []finding{{"f", 3, 0, card}}},
		{"lines of a DOS file", "a\r\n" + paidCard + "\r\n", []finding{{"f", 2, 0, card}}},
		{"exchanges by number, or else by place", tape,
			[]finding{{"f", 4, 7, card}, {"f", 10, 2, card}}},
		{"a tape that is no YAML is text", strings.Replace(tape, "body: |", "body: \"", 1),
			[]finding{{"f", 4, 0, card}, {"f", 10, 0, card}}},
		{"a value that YAML escapes", "interactions:\n- body: \"\\u0034" + paidCard[1:] + "\"\n",
			[]finding{{"f", 2, 1, card}}},
		{"a value in base64", "interactions:\n- body: !!binary NDExMTExMTExMTExMTExMQ==\n",
			[]finding{{"f", 2, 1, card}}},
		{"before the first exchange", "title: " + paidCard + "\ninteractions:\n- request: {}\n",
			[]finding{{"f", 1, 0, card}}},
		{"the word alone makes no tape", "interactions: " + paidCard, []finding{{"f", 1, 0, card}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, audit("f", []byte(test.data))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBinary(t *testing.T) {
	t.Parallel()
	far := strings.Repeat("a", 8000) + "\x00"
	for name, test := range map[string]struct {
		data string
		want bool
	}{
		"empty": {"", false}, "text": {"order", false}, "a NUL": {"P\x00", true},
		"a NUL far on": {far, false}, "a NUL just near": {far[1:], true},
	} {
		if got := binary([]byte(test.data)); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func FuzzAudit(f *testing.F) {
	f.Add("interactions:\n- request:\n    body: " + paidCard + "\n")
	f.Add("interactions: &a\n- *a\n- paytape: {number: x}\n")
	f.Add(paidCard + "\n" + paidCard)
	f.Fuzz(func(t *testing.T, data string) {
		plain := scanLines(data)
		found := audit("f", []byte(data))
		for i, got := range found {
			if got.Line < 1 || got.File != "f" || got.Kind == "" {
				t.Errorf("finding %+v", got)
			}
			if i > 0 && got.Line < found[i-1].Line {
				t.Error("findings are out of order")
			}
		}
		if len(plain) > 0 && len(found) == 0 {
			t.Error("a reading as YAML hides what stands in the text")
		}
	})
}
