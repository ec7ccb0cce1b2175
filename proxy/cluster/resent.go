package cluster

import (
	"context"
	"hash/maphash"
	"time"
)

// A write that comes once more is a retry if the answer before has not got to its client, and a new
// request if it has (match.Answer.Delivered). A deck alone knows that at once. Among several the receipt
// comes over NATS from the deck that has the client, and a client that has read the answer may send the
// same write through another connection or deck before the receipt is there. So such a write waits for
// the receipt a moment, and whoever has really lost the answer gets it that much later.

// receiptWait is how long. A receipt takes some milliseconds, more on a machine that is busy.
const receiptWait = 250 * time.Millisecond

// printSeed is that of all fingerprints of the process.
var printSeed = maphash.MakeSeed()

// fingerprint hashes what a client repeats when it sends a request again.
func fingerprint(r *Request) uint64 {
	var h maphash.Hash
	h.SetSeed(printSeed)
	for _, s := range []string{r.Method, r.Target, r.Host} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	h.Write(r.Body)
	return h.Sum64()
}

// awaitReceipt waits for the receipts of the same write before, if it was served a moment ago.
func (c *claim) awaitReceipt(ctx context.Context, r *Request) {
	print := fingerprint(r)
	ctx, cancel := context.WithTimeout(ctx, receiptWait)
	defer cancel()
	for ctx.Err() == nil {
		c.mu.Lock()
		var before *served
		if c.answers.of(r.ID) == nil { // else it asks for an answer that is there
			before = c.answers.unread(print)
		}
		c.mu.Unlock()
		if before == nil {
			return
		}
		select {
		case <-before.got:
		case <-c.gone:
			return
		case <-ctx.Done():
		}
	}
}

// unread returns a write with a fingerprint that was served a moment ago, and whose receipt has not come;
// nil if there is none.
func (a *answers) unread(print uint64) *served {
	for _, s := range a.kept {
		if s.print == print && s.got != nil && !s.told && !s.Reads && time.Since(s.served) < receiptWait {
			return s
		}
	}
	return nil
}
