package deck

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/codec"
	"github.com/paytape/paytape/match"
)

// A large tape takes seconds to compile. What comes of it is kept in a file of the folder
// Options.Index, and is read from there the next time. The name of a file has two parts, digests both:
//
//	5c0de1f2a3b4c5d6-91a2...e8.tape
//	which cassettes  a key of all on which the tape depends
//
// The key holds the seals of the cassettes, the options of compiling, what is known of the APIs, the
// time zone of this machine and the ID of this program. So a file is never out of date: with
// another key it is another file. A few files of the same cassettes are kept. A file that is damaged is
// like one that is not there.
//
// Only sealed cassettes are kept so, without anything left in a journal: their content is known by
// their seal, and clean.

// leastDerived is from how many bytes on cassettes are worth a file. Smaller ones are compiled in half
// a second or less; 179 MB take 4 s.
const leastDerived = 4 << 20

// How the names of files end, and of those that are not written to the end.
const derivedSuffix, unfinishedSuffix = ".tape", ".part"

// derivation is a file to be, of a tape that was compiled from its text.
type derivation struct {
	once sync.Once
	dir  string
	name string // of the cassettes: with which the name of the file begins
	key  codec.Key
}

// derivation says where the tape of some cassettes is kept; nil if it is not.
func (o *Options) derivation(rs readers) *derivation {
	if o.Index == "" || o.Play.RecordedClock {
		return nil
	}
	var seals []string
	var size int64
	for _, r := range rs {
		seals = append(seals, r.Seal())
		size += r.Size()
	}
	if size < leastDerived || slices.Contains(seals, "") {
		return nil
	}
	key, err := o.key(seals)
	if err != nil {
		return nil
	}
	return &derivation{dir: o.Index, name: o.tapeName(), key: key}
}

// loadDerived returns the tape that was kept of the cassettes; nil if there is none. The clock of the
// tape is told by all exchanges, so a deck that runs by it reads the cassettes.
func (o *Options) loadDerived(library *cassettes.Library) (read *Tape) {
	if o.Index == "" || o.Play.RecordedClock || !private(o.Index) {
		return nil
	}
	if len(derivedFiles(o.Index, o.tapeName())) == 0 {
		return nil // and nothing is summed up
	}
	seals, err := o.seals(library.ClaimedSeal)
	if err != nil || slices.Contains(seals, "") {
		return nil // reading the cassettes tells what is wrong
	}
	key, err := o.key(seals)
	if err != nil {
		return nil
	}
	d := derivation{dir: o.Index, name: o.tapeName(), key: key}
	size := d.size()
	if size == 0 {
		return nil // those that are there are of other options, or of another build
	}
	sealed := make(chan []string, 1)
	go func() { // meanwhile
		checked, _ := o.seals(library.Seal)
		sealed <- checked
	}()
	loaded := o.tuneGC(noCollector, size*derivedRoom)
	defer func() { loaded(read) }()
	now := o.clock(nil)
	compiled, err := d.read(o.compiling(now))
	if checked := <-sealed; err != nil || !slices.Equal(checked, seals) {
		return nil
	}
	all := map[string]bool{}
	for _, name := range o.Cassettes {
		all[name] = true
	}
	return o.ready(&Tape{compiled: compiled, sealed: all, now: now})
}

// seals returns the seals of the cassettes; "" for a cassette that has none.
func (o *Options) seals(of func(name string) (string, error)) (seals []string, err error) {
	for _, name := range o.Cassettes {
		seal, err := of(name)
		if err != nil {
			return nil, err
		}
		seals = append(seals, seal)
	}
	return seals, nil
}

// tapeName is the same for the same cassettes, whatever is in them.
func (o *Options) tapeName() string {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		dir = o.Dir
	}
	sum := sha256.New()
	enter(sum, append([]string{dir}, o.Cassettes...)...)
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// key digests all on which a tape depends that is compiled from cassettes with some seals.
func (o *Options) key(seals []string) (key codec.Key, err error) {
	program, err := programID()
	if err != nil {
		return key, err
	}
	sum := sha256.New()
	enter(sum, o.Cassettes...)
	enter(sum, seals...)
	enter(sum, fmt.Sprint(o.Play.Failures, o.Play.KeepDates))
	enter(sum, o.Knowledge.base.profiles...)
	for _, file := range slices.Sorted(maps.Keys(o.Knowledge.base.texts)) {
		enter(sum, file, string(o.Knowledge.base.texts[file]))
	}
	enter(sum, o.Knowledge.rewrite, codec.LocalZone(), program)
	return codec.Key(sum.Sum(nil)), nil
}

// enter adds a list of texts to a digest. Other lists one after the other are another digest.
func enter(sum hash.Hash, texts ...string) {
	fmt.Fprintf(sum, "%d:", len(texts)) // a hash takes everything
	for _, s := range texts {
		fmt.Fprintf(sum, "%d:%s", len(s), s)
	}
}

// private reports whether a folder is there that nobody else may write in: whoever writes a file decides
// what a deck answers.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o022 == 0)
}

// file returns the name of the file.
func (d *derivation) file() string {
	return filepath.Join(d.dir, d.name+"-"+hex.EncodeToString(d.key[:16])+derivedSuffix)
}

// size returns how large the file is, in bytes, which may be damaged; 0 if there is none.
func (d *derivation) size() int64 {
	info, err := os.Stat(d.file())
	if err != nil {
		return 0
	}
	return info.Size()
}

// place makes the folder, and reports whether the file may be there.
func (d *derivation) place() bool { return os.MkdirAll(d.dir, 0o700) == nil && private(d.dir) }

// read reads the file.
func (d *derivation) read(o match.Options) (*match.Tape, error) {
	f, err := os.Open(d.file())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, codec.ErrDamaged
	}
	tape, err := match.Read(o, f, info.Size(), d.key)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	_ = os.Chtimes(d.file(), now, now) // it was used
	return tape, nil
}

// keep writes the file, once, unless ctx ends before. Then, or if the disk refuses, there is none.
func (d *derivation) keep(ctx context.Context, t *match.Tape) {
	d.once.Do(func() {
		if !d.place() || d.write(ctx, t) != nil {
			return
		}
		tidy(d.dir, d.name, time.Now())
	})
}

// Prepare makes a tape of Options.Cassettes and keeps it in Options.Index, so that the first deck that plays
// them need not. It does nothing where a deck would keep nothing: without a folder or in one that others
// may write in, of small cassettes, of those without a seal, and where the file is there. It tells nothing.
// An error is of the cassettes, as with Load, or that ctx has ended; a disk that refuses the file is none.
func Prepare(ctx context.Context, o Options) error {
	o.Mode, o.Tape, o.Tell = Replay, nil, nil
	o, err := o.checked()
	if err != nil {
		return err
	}
	library, err := cassettes.OpenExisting(o.Dir)
	if err != nil {
		return err
	}
	defer library.Close()
	rs, err := o.open(library)
	if err != nil {
		return err
	}
	d := o.derivation(rs)
	if d == nil || d.size() > 0 || !d.place() || ctx.Err() != nil {
		return errors.Join(ctx.Err(), rs.close())
	}
	tape, err := o.compile(rs)
	if err != nil {
		return err
	}
	d.keep(ctx, tape.compiled)
	return ctx.Err()
}

// keepTime is how long a deck that is closed goes on to keep its tape. 174 MB of cassettes take two
// seconds.
const keepTime = 3 * time.Second

// keepTape begins to keep the tape of a deck, which serves meanwhile.
func (d *Deck) keepTape() {
	if d.tape == nil || d.tape.derive == nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	d.dropIt = stop
	d.keeping.Go(func() {
		d.tape.derive.keep(ctx, d.tape.compiled)
		if d.options.tunesGC() && ctx.Err() == nil {
			debug.FreeOSMemory() // what writing took is of no use to whom serves
		}
	})
}

// endKeeping gives a tape that is being kept some time, and returns a function that waits for its end.
func (d *Deck) endKeeping() (wait func()) {
	if d.dropIt == nil {
		return func() {}
	}
	late := time.AfterFunc(keepTime, d.dropIt)
	return func() {
		d.keeping.Wait()
		late.Stop()
		d.dropIt()
	}
}

// write writes the file beside its place, and puts it there.
func (d *derivation) write(ctx context.Context, t *match.Tape) (err error) {
	f, err := os.CreateTemp(d.dir, d.name+"-*"+unfinishedSuffix) // for its owner alone
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	out := bufio.NewWriterSize(stoppable{ctx, f}, 1<<20)
	if err = t.Write(out, d.key); err == nil {
		err = out.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), d.file())
}

// stoppable is a writer until a context ends.
type stoppable struct {
	ctx context.Context
	out io.Writer
}

func (s stoppable) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.out.Write(p)
}

// derivedFiles returns the files of a folder that a deck has made, whole or not, of cassettes with a
// name; of all cassettes if the name is empty.
func derivedFiles(dir, name string) []fs.FileInfo {
	var files []fs.FileInfo
	entries, _ := os.ReadDir(dir) // a folder that cannot be read has none
	for _, e := range entries {
		ours := strings.HasPrefix(e.Name(), name) && (strings.HasSuffix(e.Name(), derivedSuffix) ||
			strings.HasSuffix(e.Name(), unfinishedSuffix))
		if info, err := e.Info(); ours && err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	return files
}

// Bounds of what is kept in a folder. What was not used for the longest time goes first.
const (
	// mostKept bounds all files together, in bytes. The file of a cassette has a quarter of its size.
	mostKept = 2 << 30
	// mostVersions bounds the files of the same cassettes: a suite may play them with some options, and
	// another suite with others.
	mostVersions = 4
	// abandonedAfter is when nobody writes a file any more that is not whole. That takes seconds.
	abandonedAfter = time.Hour
)

// tidy removes what is too much of the files of a folder. name is that of the cassettes of which a file
// was written. Files that no deck has made it leaves.
func tidy(dir, name string, now time.Time) {
	files := derivedFiles(dir, "")
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	var size int64
	versions := 0
	for _, info := range files {
		unfinished := strings.HasSuffix(info.Name(), unfinishedSuffix)
		if strings.HasPrefix(info.Name(), name) && !unfinished {
			versions++
		}
		if size += info.Size(); size > mostKept || versions > mostVersions && strings.HasPrefix(info.Name(), name) ||
			unfinished && now.Sub(info.ModTime()) > abandonedAfter {
			_ = os.Remove(filepath.Join(dir, info.Name()))
		}
	}
}
