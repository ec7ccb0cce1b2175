package deck

import (
	"os"
	"runtime"
	"sync"

	"github.com/paytape/paytape/proxy/internal/socket"
)

// threads guards how many threads there are.
var threads sync.Mutex

// tuneThreads has one thread more run code of Go than there are processors while a deck records. The system takes
// a thread off its processor to run a client or the sandbox, and the scheduler of Go, which knows nothing of that,
// gives its place to no other: with as many threads as processors, a processor may have nothing to do then. Where all
// sides have the same two processors, a deck records a fifteenth more. A deck that replays has as many threads as
// processors: it would answer a twentieth more to clients that do little beside, and three percent less to programs
// of Go. Several decks of one process have one thread more together. Afterwards Go no longer follows a change of how
// many processors the process may use.
func (o *Options) tuneThreads() {
	if !o.Alone || o.Mode != Record || !socket.Unannounced || os.Getenv("GOMAXPROCS") != "" {
		return
	}
	threads.Lock()
	defer threads.Unlock()
	runtime.SetDefaultGOMAXPROCS()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
}
