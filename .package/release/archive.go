package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string // with slashes
	mode fs.FileMode
	text []byte
}

// sorted returns entries in the order of their names, which is that of an archive.
func sorted(all []entry) []entry {
	return slices.SortedFunc(slices.Values(all), func(a, b entry) int { return strings.Compare(a.name, b.name) })
}

// writeTar writes a compressed tape archive with one folder. Its bytes depend on nothing but what is
// given: owners are 0, times are equal.
func writeTar(to io.Writer, folder string, at time.Time, all []entry) error {
	compressed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(compressed)
	for _, e := range sorted(all) {
		err := out.WriteHeader(&tar.Header{
			Name: folder + "/" + e.name, Mode: int64(e.mode), Size: int64(len(e.text)), ModTime: at,
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		})
		if err != nil {
			return err
		}
		if _, err := out.Write(e.text); err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), compressed.Close())
}

// writeZip is writeTar for Windows.
func writeZip(to io.Writer, folder string, at time.Time, all []entry) error {
	out := zip.NewWriter(to)
	for _, e := range sorted(all) {
		h := &zip.FileHeader{Name: folder + "/" + e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		w, err := out.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := w.Write(e.text); err != nil {
			return err
		}
	}
	return out.Close()
}

// add writes a file of the release, and notes its sum.
func (r *release) add(name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	sum := sha256.New()
	if err := errors.Join(write(io.MultiWriter(f, sum)), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	line := hex.EncodeToString(sum.Sum(nil)) + "  " + name + "\n"
	r.sums = append(r.sums, line)
	_, err = os.Stdout.WriteString(line)
	return err
}

// own are the folders of an image in which its user may write, whoever that is.
var own = []string{"cassettes", "home/paytape", "run/paytape", "tmp"}

// layOut lays out the file system of an image: root has what belongs to root, own what belongs to the
// user. The program brings the certificates of public authorities with it.
func layOut(dir, target string, program []byte) error {
	dir = filepath.Join(dir, filepath.FromSlash(target))
	root := filepath.Join(dir, "root")
	if err := os.MkdirAll(filepath.Join(root, "etc"), 0o755); err != nil {
		return err
	}
	const users = "root:x:0:0::/:/paytape\npaytape:x:65532:65532::/home/paytape:/paytape\n"
	err := errors.Join(os.WriteFile(filepath.Join(root, "paytape"), program, 0o755),
		os.WriteFile(filepath.Join(root, "etc", "passwd"), []byte(users), 0o644))
	for _, name := range own {
		folder := filepath.Join(dir, "own", filepath.FromSlash(name))
		err = errors.Join(err, os.MkdirAll(folder, 0o755), os.Chmod(folder, 0o777|fs.ModeSticky))
	}
	return err
}
