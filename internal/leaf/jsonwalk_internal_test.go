package leaf

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// The walk lists a text where split finds nothing but documents, and takes back what it has listed of any
// other text.
func TestTheWalkListsWhatIsWellFormed(t *testing.T) {
	t.Parallel()
	const document = `{"a":[1,-2.5e3,{"b":"c\u00e9\n"}],"d":{},"e":[],"f":{"name":"g","value":"h"},` +
		`"i":"{\"j\":[true,null]}","k":"eyJsIjoibSJ9","n":false}`
	pieces := []string{"", "{", "}", "[", "]", ",", ":", `"`, `\`, "1", "0", "-", "e", " ", "\n", "\x01", "{}",
		`"name":"v",`, "\x1e", document, strings.Repeat("[", MaxDepth)}
	r := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 50_000 {
		at := r.IntN(len(document))
		to := min(len(document), at+r.IntN(3))
		s := document[:at] + pieces[r.IntN(len(pieces))] + document[to:]
		read := &reader{}
		listed := read.documents(&text{place: JSON, s: s, at: unshifted}, span{0, len(s)})
		if want := len(split(nil, s, 0)) > 0; listed != want {
			t.Fatalf("%q: listed %v, want %v", s, listed, want)
		}
		if listed {
			found++
		} else if len(read.leaves) > 0 || read.size != (Size{}) || read.inflated != 0 {
			t.Fatalf("%q: %d leaves of what is no document", s, len(read.leaves))
		}
	}
	if found < 5_000 || found > 45_000 {
		t.Errorf("%d texts are documents, which tells little", found)
	}
}
