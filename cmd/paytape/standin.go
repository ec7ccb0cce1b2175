package main

import (
	"context"

	"github.com/paytape/paytape/internal/sandbox"
)

// standIn is the built-in sandbox on a port of its own, for a deck in front of it.
type standIn struct {
	*service
	box *sandbox.Sandbox
}

// startStandIn starts the sandbox as "paytape sandbox" does without flags: callbacks go to
// shops on this machine.
func startStandIn(ctx context.Context) (*standIn, error) {
	box := sandbox.New(sandbox.Options{})
	served, err := serveLocal(ctx, box)
	if err != nil {
		return nil, err
	}
	return &standIn{served, box}, nil
}

// close stops calls first and then callbacks, which calls bring about. One that was never
// started, nil, has stopped.
func (s *standIn) close() error {
	if s == nil {
		return nil
	}
	err := s.service.close()
	s.box.Close()
	return err
}
