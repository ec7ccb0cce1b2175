package workload

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/internal/sandbox"
)

// Server answers the flows of all kinds: the built-in sandbox, a bank that has issued every card
// that it is asked for, and the API that no profile knows.
type Server struct {
	sandbox *sandbox.Sandbox
	foreign *foreignAPI
	count   atomic.Int64
}

// NewServer returns a server. Equal seeds and requests in the same order give equal answers, but
// for the times, which now tells; nil means time.Now.
func NewServer(seed uint64, now func() time.Time) *Server {
	return &Server{
		sandbox: sandbox.New(sandbox.Options{Seed: seed, Now: now}),
		foreign: newForeignAPI(seed),
	}
}

// ServeHTTP answers one call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, foreign := strings.CutPrefix(r.URL.Path, "/api/v3/")
	anyCard := strings.HasSuffix(r.URL.Path, "/cardStatusInquiry")
	if !foreign && !anyCard {
		s.sandbox.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	case foreign:
		s.foreign.answer(w, r.Method, path, string(body))
	default:
		inquiryAnswer(w, string(body), s.count.Add(1))
	}
}
