package cluster

import "testing"

// TestOtherFolder looks at locks that are free or not, while the owner renews its lease or does not.
func TestOtherFolder(t *testing.T) {
	t.Parallel()
	type look struct {
		claim, renewed uint64
		locked         bool
	}
	for _, test := range []struct {
		name  string
		looks []look
		same  bool
		other bool
	}{
		{"taken", []look{{1, 1, true}}, true, false},
		{"free, and nothing was renewed", []look{{1, 1, false}, {1, 1, false}, {1, 1, false}, {1, 1, false}}, false, false},
		{"free while the owner is alive", []look{{1, 1, false}, {1, 2, false}, {1, 3, false}}, false, true},
		{"free for a moment, before the owner locks", []look{{1, 1, false}, {1, 2, false}, {1, 3, true}}, true, false},
		{"another owner each time", []look{{1, 1, false}, {2, 2, false}, {3, 3, false}, {4, 4, false}}, false, false},
	} {
		var f folderCheck
		for _, l := range test.looks {
			c := claimedBy{revision: l.claim, renewed: l.renewed}
			f.look(c, func() (bool, error) { return l.locked, nil })
		}
		if f.same != test.same || (f.err == ErrOtherFolder) != test.other {
			t.Errorf("%s: same %v, %v", test.name, f.same, f.err)
		}
	}
}
