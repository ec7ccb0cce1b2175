// Package store moves tapes between a folder of cassettes and a store, where they lie by their hashes.
//
// A folder that is a git repository's has the file paytape.lock (package lockfile), which names its
// tapes with the SHA-256 of each, and need not have the tapes. They lie in a store: a folder, a registry,
// a bucket (package kinds). Push puts tapes there and notes them in the lock; Pull brings what the lock
// names; Require brings what a replay needs and is not here. For example a tape is recorded again:
//
//	paytape record checkout     the file has another hash than the lock: it is this folder's own work
//	paytape push checkout       it is checked, cut (package pieces); what the store lacks is put there;
//	                            one line of the lock changes
//	git commit, git pull        elsewhere the file is that of the lock before
//	paytape replay checkout     the file is played as it is, with a warning
//	paytape pull checkout       the store has that file too, so nothing is lost: it is replaced
//
// What is here is never lost. Require replaces nothing. Pull replaces a file that differs from the lock if
// the store has it, which is so for whatever was pushed or pulled, and only if what comes out of the store
// is that file, piece by piece; pieces that stay here, in the tape that comes, are not asked for. A file
// that the store has not is work that nobody has pushed, and stays until somebody says otherwise
// (Options.Force). Nobody has to note what was pulled when. A pull holds the lock of the cassette from
// its look at the file to the rename, and looks again just before the rename: git and editors hold no lock.
//
// No secret gets to a store. Push looks for secrets as "paytape check" does and refuses to go on if it
// finds any, whoever calls it: Options.Secrets say what a secret is and not whether to look. A file
// without a seal that holds is refused too. What is searched, hashed, counted and cut is
// one copy of the file, which nobody else can change. The store gets tapes by their hashes: no
// names, and nothing of the lock.
//
// No wrong tape gets out of a store. Each piece is compared with its hash before it is written, the whole
// file with that of the lock, and only then its seal is looked at. A pull that breaks off leaves what has
// come beside the tape, and the next goes on behind it; pieces that the file here has are not fetched.
//
// Eight tapes and eight transfers go on at once. What is held for a tape is four pieces, of 4 MB at the
// most and half a megabyte as a rule, however large the tape is.
//
// Limits: a store forgets nothing. What no lock names any more is removed by whoever owns the store, by
// age, say: a tape that is pushed again is put again.
package store
