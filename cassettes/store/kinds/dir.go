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

	"github.com/paytape/paytape/cassettes/store/blob"
)

// dir is a folder. Its files have the modes that the user's umask leaves, because others are to read
// them.
type dir struct{ path string }

func openDir(path string) (blob.Store, error) {
	if path == "" || strings.HasPrefix(path, "//") && !filepath.IsAbs(path) {
		return nil, wrongURL("expected dir:PATH")
	}
	return &dir{filepath.Clean(path)}, nil
}

func (d *dir) file(b blob.Blob) string { return filepath.Join(d.path, filepath.FromSlash(b.Path())) }

func (d *dir) Has(_ context.Context, b blob.Blob) (bool, error) {
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

func (d *dir) Get(_ context.Context, b blob.Blob) (io.ReadCloser, error) {
	f, err := os.Open(d.file(b))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(d.missing(), blob.ErrNotFound)
	}
	if err != nil {
		return nil, d.explain(err)
	}
	return f, nil
}

// Put writes a file beside and renames it.
func (d *dir) Put(ctx context.Context, b blob.Blob, data []byte) error {
	if err := d.missing(); err != nil {
		return err
	}
	file := d.file(b)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return d.explain(err)
	}
	temp := file + ".tmp-" + strings.ToLower(rand.Text()[:8])
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return d.explain(err)
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
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

// explain tells an error of the file system, and whether asking again may mend it.
func (d *dir) explain(err error) error {
	if errors.Is(err, fs.ErrPermission) || isFull(err) {
		return fmt.Errorf("%w: %w", blob.ErrPermanent, err)
	}
	return err
}
