package deck

import (
	"runtime"
	"testing"

	"github.com/paytape/paytape/proxy/internal/socket"
)

// TestThreads sets the threads twice, as two decks of one process do.
func TestThreads(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	runtime.SetDefaultGOMAXPROCS()
	usual := runtime.GOMAXPROCS(0)
	more := usual
	if socket.Unannounced {
		more++
	}
	for _, test := range []struct {
		name, variable string
		alone          bool
		mode           Mode
		want           int
	}{
		{"a deck alone in its process", "", true, Record, more},
		{"a deck in another program", "", false, Record, usual},
		{"the operator knows better", "1", true, Record, usual},
		{"a deck that replays", "", true, Replay, usual},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("GOMAXPROCS", test.variable)
			runtime.SetDefaultGOMAXPROCS()
			o := &Options{Alone: test.alone, Mode: test.mode}
			o.tuneThreads()
			o.tuneThreads()
			if got := runtime.GOMAXPROCS(0); got != test.want {
				t.Errorf("%d threads, want %d", got, test.want)
			}
		})
	}
}
