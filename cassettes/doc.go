// Package cassettes keeps tapes on disk: cassette files, the journal that a recording is
// written to while it runs, and the folder that holds them.
//
// A tape is a file NAME.yaml in the format of go-vcr v2, version 1, that go-vcr itself reads.
// Every interaction on a tape is one stretch of text, an entry; emit draws one. The journal
// beside the tape holds entries too, so folding a journal into a tape copies text and parses
// nothing:
//
//	NAME.yaml      the tape: sealed by a checksum in its last line, replaced as a whole
//	NAME.journal   while recording: one framed entry for every finished exchange
//	NAME.lock      while recording: held by the kernel for the one process that records
//
// # An example
//
// A shop registers an order, pays it and asks for its status, and a recorder records that on the
// cassette checkout:
//
//	library.Record("checkout", redactor)   checkout.lock is taken, checkout.journal is begun
//	n := recorder.Next()                   1, when the request of register.do begins
//	recorder.Append(redactor.Clean(x))     entry 1 is in the journal; the client gets its last byte
//	    ... paymentorder.do                entry 2
//	    ... getOrderStatus.do              entry 3
//	recorder.Close()                       checkout.yaml with entries 1 to 3 is written beside,
//	                                       synced and renamed; journal and lock go
//
// If the process is killed after the payment, the journal stays with entries 1 and 2. The next
// Record of checkout folds the journal first, so the tape has both, and numbers go on at 3; Load
// before that reads both files. If the disk is full when entry 2 is appended, Append says so and
// the journal has no half entry: the tape has entries 1 and 3. If the status answer shows that a
// text of entry 1 is a secret, entry 1 is cleaned again before entry 3 is appended. If somebody
// edits checkout.yaml, its seal does not agree any more: Load cleans the file again and warns. If the edit
// was "respons:" for "response:", Load warns of the line, and whatever would write the file anew, so that
// the answer would be gone for good, refuses to (Flaw).
//
// Import does the same for what another program has recorded: a cassette of go-vcr, or an HTTP
// archive, which package har reads. Edit replaces what is on a cassette as a whole, by one rename;
// package merge makes one tape of two.
//
// # What is promised
//
//   - An exchange whose Append has returned is found on the tape later, even after kill -9:
//     it was handed to the kernel by write(2), and the kernel outlives the process. What the
//     loss of power may cost is a matter of Options.Sync.
//   - A disk that is full or fails costs what could not be written to it, and nothing else: the
//     journal has no half entry, earlier tapes stay whole, and recording goes on when the disk
//     does. A sync that failed is never tried again on the same file; its journal is written
//     anew.
//   - Whoever removes or replaces a journal that is being written costs nothing: the journal is
//     written anew, at the latest a second of traffic later. That the folder is gone is told.
//   - Folding is atomic. The tape is written beside the old tape, synced and renamed; until
//     then the journal stays, and an entry that is already on the tape is not doubled.
//   - Only a redact.Clean is written. What is read is clean if the seal agrees; every other
//     file, whether edited, merged, cut off or foreign, is cleaned again and says so.
//   - A file that an earlier version wrote still loads.
//
// Recording and folding hold one exchange at a time, and a few words for each entry. Recording holds
// some hundred bytes more for each: what is needed to say whether a secret stands in the journal that
// is learned later. Loading holds all exchanges, because replay needs them, and so does folding what
// is to be a stable tape (Options.Stable).
//
// # Limits
//
// A file that is not sealed is held in memory as a whole, when it is cleaned again. The seal tells
// what paytape wrote from what paytape did not write; it is no signature, and does not stop
// someone who sets out to forge one. Tapes are text: a body that is not UTF-8 has to be
// represented by its cleaner.
package cassettes
