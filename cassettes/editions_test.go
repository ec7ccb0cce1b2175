package cassettes

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
)

const editionA, editionB = "gateway@1a2b3c4d5e6f", "mine@98fe76dc54ba on gateway@1a2b3c4d5e6f: team/mine.yaml"

// TestHeadTellsEditions writes editions into a head and reads them back; a head of an earlier version
// tells none.
func TestHeadTellsEditions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		write []string
		want  []string
	}{
		{"none", nil, nil},
		{"two, by their names", []string{editionB, editionA}, []string{editionA, editionB}},
		{"the last of one", []string{"gateway@12", editionA}, []string{editionA}},
		{"a file of an odd name", []string{"mine@12: a;b\n.yaml"}, []string{"mine@12"}},
		{"a file that is named like a card", []string{"mine@12: x/41111111" + "11111111.yaml"}, []string{"mine@12"}},
		{"what is none", []string{"password hunter2", ""}, nil},
	} {
		var b bytes.Buffer
		w := newTapeWriter(&b, tt.write)
		if err := w.end(); err != nil {
			t.Fatal(err)
		}
		file := bytes.NewReader(b.Bytes())
		if diff := cmp.Diff(tt.want, editionsOf(file)); diff != "" {
			t.Errorf("%s: %s\n%s", tt.name, diff, b.String())
		}
		if _, err := unseal(file, file.Size()); err != nil {
			t.Errorf("%s: the file is not sealed: %v", tt.name, err)
		}
		if len(tt.want) == 0 && !strings.HasPrefix(b.String(), head) {
			t.Errorf("%s: the head is another: %s", tt.name, b.String())
		}
	}
}

func FuzzEditionsOf(f *testing.F) {
	f.Add("# paytape cassette\n# profiles: " + editionA + "; " + editionB + "\n---\n")
	f.Add("# profiles: x")
	f.Fuzz(func(t *testing.T, text string) {
		all := editionsOf(strings.NewReader(text))
		again := editionsOf(strings.NewReader("#\n" + editionsLine(all)))
		if diff := cmp.Diff(all, again); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	})
}

// TestHoist takes editions out of exchanges.
func TestHoist(t *testing.T) {
	t.Parallel()
	a, b := &leaf.Exchange{}, &leaf.Exchange{}
	a.Meta.Profiles = []string{editionA}
	if got := hoist([]*leaf.Exchange{b, a}); len(got) != 1 || a.Meta.Profiles != nil {
		t.Errorf("%q, and %q is left", got, a.Meta.Profiles)
	}
}
