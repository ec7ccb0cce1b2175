// Package cassettes keeps tapes on disk: cassette files, the journal that a recording is
// written to while it runs, and the folder that holds them.
//
// A tape is a file NAME.yaml in the format of go-vcr v2, version 1, that go-vcr itself reads.
// Every interaction on it is one stretch of text, an entry. The journal beside it holds
// entries too, so folding a journal into a tape copies text and parses nothing:
//
//	NAME.yaml      the tape: sealed by a checksum in its last line, replaced as a whole
//	NAME.journal   while recording: one framed entry for every finished exchange
//	NAME.lock      while recording: held by the kernel for the one process that records
//
// What is promised:
//
//   - An exchange whose Append has returned is found on the tape later, even after kill -9:
//     it was handed to the kernel by write(2), and the kernel outlives the process. What the
//     loss of power may cost is a matter of Options.Sync.
//   - A disk that is full or fails costs what could not be written to it, and nothing else: the
//     journal has no half entry, earlier tapes stay whole, and recording goes on when the disk
//     does. A sync that failed is never tried again on the same file; its journal is written
//     anew.
//   - Whoever removes or replaces a journal that is being written costs nothing: it is written
//     anew, at the latest a second of traffic later. That the folder is gone is told.
//   - Folding is atomic. The tape is written beside the old one, synced and renamed; until
//     then the journal stays, and an entry that is already on the tape is not doubled.
//   - Only a redact.Clean is written. What is read is clean if the seal agrees; every other
//     file, whether edited, merged, cut off or foreign, is cleaned again and says so.
//   - A file that an earlier version wrote still loads.
//
// Recording and folding hold one exchange at a time, and a few words for each entry. Loading
// holds all exchanges, because replay needs them.
//
// Limits: a file that is not sealed is held in memory as a whole, when it is cleaned again. The
// seal tells what paytape wrote from what it did not; it is no signature, and does not stop
// someone who sets out to forge one. Tapes are text: a body that is not UTF-8 has to be
// represented by its cleaner.
package cassettes
