package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"
)

// Digest is a SHA-256.
type Digest [sha256.Size]byte

// DigestOf returns the digest of bytes.
func DigestOf(data []byte) Digest { return sha256.Sum256(data) }

// String returns the digest in lower-case hex, as sha256sum prints it.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// ErrDigest is returned for a text that is no digest.
var ErrDigest = errors.New("expected a SHA-256: 64 digits of lower-case hex")

// ParseDigest reads what String writes, and nothing else.
func ParseDigest(text string) (Digest, error) {
	var d Digest
	if len(text) != hex.EncodedLen(len(d)) {
		return Digest{}, ErrDigest
	}
	_, err := hex.Decode(d[:], []byte(text))
	if err != nil || d.String() != text {
		return Digest{}, ErrDigest
	}
	return d, nil
}

// Kind says what a blob is.
type Kind int

// The kinds of blobs.
const (
	Piece Kind = iota // of a tape
	Index             // of the pieces of a tape
)

// Blob names a blob.
type Blob struct {
	Kind Kind
	// Digest is that of the bytes of a piece, and for an index that of the file of its tape.
	Digest Digest
	// Size is how many bytes the blob has. 0 is not known: of an index, to those who have not read it.
	Size int64
	// Pieces are what an index lists, each once; only Put of an index has them. A registry keeps
	// what is listed and removes what is not.
	Pieces []Blob
}

// String names the blob for people.
func (b Blob) String() string {
	if b.Kind == Index {
		return "the index of tape " + b.Digest.String()[:12]
	}
	return "piece " + b.Digest.String()[:12]
}

// Path is where the blob is in stores that have paths. The folder between keeps folders small.
func (b Blob) Path() string {
	name, folder := b.Digest.String(), "blobs"
	if b.Kind == Index {
		folder = "tapes"
	}
	return folder + "/" + name[:2] + "/" + name
}

// Check returns an error if data is not the bytes of the blob, as far as its name tells: an index is
// named by what it leads to, and whoever follows it finds out.
func (b Blob) Check(data []byte) error {
	switch {
	case b.Size > 0 && int64(len(data)) < b.Size:
		return fmt.Errorf("%w: %d bytes of %d came", ErrWrong, len(data), b.Size)
	case b.Size > 0 && int64(len(data)) > b.Size:
		return fmt.Errorf("%w: more than %d bytes came", ErrWrong, b.Size)
	case b.Kind == Piece && DigestOf(data) != b.Digest:
		return fmt.Errorf("%w: their SHA-256 is another", ErrWrong)
	}
	return nil
}

// Store keeps blobs. All methods are safe for concurrent use. Their errors wrap the errors of this
// package where one of them says what is wrong, and hold no credentials.
type Store interface {
	// Has reports whether a blob is there. A blob that has another size than is known is not there.
	Has(ctx context.Context, b Blob) (bool, error)
	// Get returns the bytes of a blob, which the caller closes. Nobody has compared the bytes with the
	// name of the blob. The error is ErrNotFound if the blob is not there.
	Get(ctx context.Context, b Blob) (io.ReadCloser, error)
	// Put puts a blob, which may be there. It is there as a whole, or not at all.
	Put(ctx context.Context, b Blob, data []byte) error
}

// What is wrong with a store.
var (
	ErrNotFound = errors.New("it is not there")
	ErrWrong    = errors.New("the store gave other bytes than were put")
	ErrReadOnly = errors.New("the store can only be read")
	ErrDenied   = errors.New("the store refuses these credentials, or wants some")
	ErrSlow     = errors.New("the store is too slow")
)

// BusyError is what a store says that wants to be asked again later.
type BusyError struct {
	Status int           // of HTTP
	After  time.Duration // from now; more than 0
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("status %d: it wants to be asked again in %s", e.Status, e.After)
}

// fatal are errors that asking again does not mend.
var fatal = []error{ErrNotFound, ErrReadOnly, ErrDenied, ErrPermanent, context.Canceled}

// IsDown reports whether an error is what a store that is of no use for any blob says: it refuses, or it
// was asked often enough in vain. It may say so of one blob, too: whoever asks for many gives it up after
// several. A store that gives wrong bytes may have others that are right.
func IsDown(err error) bool {
	for _, down := range []error{ErrReadOnly, ErrDenied, ErrPermanent} {
		if errors.Is(err, down) {
			return true
		}
	}
	return errors.Is(err, errGivenUp) && !errors.Is(err, ErrWrong)
}

// errGivenUp is wrapped by the error of a store that was asked often enough.
var errGivenUp = errors.New("given up")

// ErrPermanent is wrapped by an error of a store that asking again does not mend, for a reason that is
// none of the others.
var ErrPermanent = errors.New("the store refuses")
