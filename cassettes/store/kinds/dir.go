package kinds

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/paytape/paytape/cassettes/store/blob"
)

// dir is a folder. Its files have the modes that the user's umask leaves, because others are to read
// them. A network drive may hang, and what it is asked then cannot be interrupted: whoever asks goes on
// when the context ends, and a goroutine stays behind until the drive answers.
//
//	tapes/9f/9f86...             an index
//	blobs/3c/3c1d...             a piece
//	tmp/3c1d....tmp-k7wq2m4x     a piece that somebody is putting, or was when the process was killed
type dir struct {
	path  string
	sweep sync.Once // of what killed processes have left
}

// await waits for what a drive is asked, or for the end of the context. What comes too late is dropped.
func await[T any](ctx context.Context, ask func() (T, error), drop func(T)) (T, error) {
	if err := ctx.Err(); err != nil {
		var none T
		return none, err // nothing is begun that nobody waits for
	}
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := ask()
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		go func() {
			if a := <-answers; a.err == nil {
				drop(a.value)
			}
		}()
		var none T
		return none, ctx.Err()
	}
}

func openDir(path string) (blob.Store, error) {
	if strings.Contains(path, "://") {
		return nil, wrongURL("expected dir:PATH, or a URL without dir: before it")
	}
	if path == "" || strings.HasPrefix(path, "//") && !filepath.IsAbs(path) {
		return nil, wrongURL("expected dir:PATH")
	}
	return &dir{path: filepath.Clean(path)}, nil
}

func (d *dir) file(b blob.Blob) string { return filepath.Join(d.path, filepath.FromSlash(b.Path())) }

func (d *dir) Has(ctx context.Context, b blob.Blob) (bool, error) {
	return await(ctx, func() (bool, error) { return d.has(b) }, func(bool) {})
}

func (d *dir) has(b blob.Blob) (bool, error) {
	info, err := os.Stat(d.file(b))
	if errors.Is(err, fs.ErrNotExist) {
		return false, d.missing()
	}
	if err != nil {
		return false, d.explain(err)
	}
	return info.Mode().IsRegular() && info.Size() > 0 && (b.Size == 0 || info.Size() == b.Size), nil
}

// missing returns an error if there is no folder at all: a drive that is not mounted is not empty.
func (d *dir) missing() error {
	info, err := os.Stat(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: there is no folder %q", blob.ErrPermanent, d.path)
	case err != nil:
		return d.explain(err)
	case !info.IsDir():
		return fmt.Errorf("%w: %q is no folder", blob.ErrPermanent, d.path)
	}
	return nil
}

// Get opens a file. What is read of it goes through a pipe, which ends with the context.
func (d *dir) Get(ctx context.Context, b blob.Blob) (io.ReadCloser, error) {
	f, err := await(ctx, func() (*os.File, error) { return d.open(b) }, func(f *os.File) { _ = f.Close() })
	if err != nil {
		return nil, err
	}
	out, in := io.Pipe()
	stop := context.AfterFunc(ctx, func() { _ = in.CloseWithError(ctx.Err()) })
	go func() {
		defer stop()
		_, err := io.Copy(in, f)
		_ = in.CloseWithError(errors.Join(err, f.Close())) // nil is the end of the file
	}()
	return out, nil
}

// open opens a file if it is one: to open a pipe would be to wait for whoever writes into it.
func (d *dir) open(b blob.Blob) (*os.File, error) {
	info, err := os.Stat(d.file(b))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(d.missing(), blob.ErrNotFound)
	}
	if err != nil {
		return nil, d.explain(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: what has its name is not a regular file", blob.ErrPermanent)
	}
	f, err := os.Open(d.file(b))
	if err != nil {
		return nil, d.explain(err)
	}
	return f, nil
}

// Put writes a file elsewhere and renames it.
func (d *dir) Put(ctx context.Context, b blob.Blob, data []byte) error {
	_, err := await(ctx, func() (struct{}, error) { return struct{}{}, d.put(ctx, b, data) }, func(struct{}) {})
	return err
}

func (d *dir) put(ctx context.Context, b blob.Blob, data []byte) error {
	if err := d.missing(); err != nil {
		return err
	}
	file := d.file(b)
	for _, folder := range []string{filepath.Dir(file), d.temps()} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return d.explain(err)
		}
	}
	temp := filepath.Join(d.temps(), filepath.Base(file)+tempMark+strings.ToLower(rand.Text()[:8]))
	err := d.write(temp, data)
	if err == nil {
		err = ctx.Err() // whoever waits no longer has been told that nothing was put
	}
	if err == nil {
		err = os.Rename(temp, file)
	}
	if err != nil {
		_ = os.Remove(temp) // it means nothing if it stays
		return d.explain(err)
	}
	return nil
}

// write writes a file that is not there yet, and holds it meanwhile.
func (d *dir) write(temp string, data []byte) error {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer hold(temp)()
	d.sweep.Do(func() { d.removeLeft(f) })
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// explain tells an error of the file system, and whether asking again may mend it.
func (d *dir) explain(err error) error {
	if errors.Is(err, fs.ErrPermission) || isFull(err) {
		return fmt.Errorf("%w: %w", blob.ErrPermanent, err)
	}
	return err
}
