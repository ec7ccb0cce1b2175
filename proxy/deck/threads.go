package deck

import (
	"os"
	"runtime"

	"github.com/paytape/paytape/proxy/internal/socket"
)

// tuneThreads has one thread more run code of Go than there are processors. The system takes a thread off its
// processor to run a client, and the scheduler of Go, which knows nothing of that, gives its place to no other: with as
// many threads as processors, a processor may have nothing to do then. Where both sides have the same two
// processors, clients to which an answer costs little get a twentieth more answers, and so do those of a recording;
// clients that are programs of Go get two to three percent less in replay. Several decks of one process have one thread
// more together.
func (o *Options) tuneThreads() {
	if o.Alone && socket.Unannounced && os.Getenv("GOMAXPROCS") == "" {
		runtime.SetDefaultGOMAXPROCS()
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}
