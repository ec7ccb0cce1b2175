package check

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// archiveOf is a zip archive of entries, each a name and a text; how they are packed is a method of zip.
func archiveOf(tb testing.TB, method uint16, entries ...string) string {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		to, err := w.CreateHeader(&zip.FileHeader{Name: entries[i], Method: method})
		if err == nil {
			_, err = to.Write([]byte(entries[i+1]))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

func TestZip(t *testing.T) {
	t.Parallel()
	card := "paid\n" + strings.Repeat("with ", 50) + paidCard + "\n"
	pack := func(method uint16, entries ...string) string { return archiveOf(t, method, entries...) }
	encrypted := []byte(pack(zip.Deflate, "a.txt", card))
	for _, mark := range []string{"PK\x03\x04", "PK\x01\x02"} {
		flags := bytes.Index(encrypted, []byte(mark)) + 6
		if mark == "PK\x01\x02" {
			flags += 2
		}
		encrypted[flags] |= 1
	}
	for _, test := range []struct {
		name, data string
		want       []string // findings
		err        string   // what the error ends with
	}{
		{"packed", pack(zip.Deflate, "a.txt", "fine", "b.txt", card), []string{"f:2: entry 2: card number"}, ""},
		{"stored is found once", pack(zip.Store, "a.txt", paidCard), []string{"f:1: card number"}, ""},
		{"a cassette", pack(zip.Deflate, "a.yaml", "interactions:\n- request:\n    body: pan="+paidCard+
			strings.Repeat(" ", 99)+"\n"), []string{"f:3: exchange 1: entry 1 request form pan: card number"}, ""},
		{"a zip in a zip", pack(zip.Deflate, "in.zip", pack(zip.Deflate, "b.txt", card)),
			[]string{"f:2: entry 1 entry 1: card number"}, ""},
		{"gzip that is stored", pack(zip.Store, "in.gz", zipped(card)), []string{"f:2: entry 1: card number"}, ""},
		{"too deep", pack(zip.Store, "1.zip", pack(zip.Deflate, "2.zip", pack(zip.Deflate, "3.zip",
			pack(zip.Deflate, "b.txt", card)))), nil,
			"entry 1: entry 1: entry 1: it has archives in archives that are not looked into"},
		{"encrypted", string(encrypted), nil, "entry 1: it is encrypted"},
		{"cut off", pack(zip.Deflate, "a.txt", card)[:60], nil, "it begins like zip and is none"},
	} {
		file := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(file, []byte(test.data), 0o600); err != nil {
			t.Fatal(err)
		}
		found, errs := newChecker(t).Files(context.Background(), []string{file})
		var got []string
		for _, f := range found[0] {
			f.File = filepath.Base(f.File)
			got = append(got, f.String())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		switch err := errs[0]; {
		case test.err == "" && err != nil, test.err != "" && (err == nil || !strings.HasSuffix(err.Error(), test.err)):
			t.Errorf("%s: error %v, want %q", test.name, err, test.err)
		}
		held, err := newChecker(t).Reader(context.Background(), "f", strings.NewReader(test.data),
			int64(len(test.data)))
		if len(held) != len(found[0]) || (err == nil) != (errs[0] == nil) {
			t.Errorf("%s: bytes that are held come to %v, %v", test.name, held, err)
		}
	}
}

// TestZipIsBounded has an archive of two entries, each of which is within the bound.
func TestZipIsBounded(t *testing.T) {
	t.Parallel()
	half := strings.Repeat("a", 1<<15)
	data := archiveOf(t, zip.Deflate, "a", half, "b", half, "c", half)
	u := unpacker{Checker: newChecker(t), left: 1<<16 + 1}
	if _, err := u.content("f", strings.NewReader(data), 0); err == nil {
		t.Error("an archive that unpacks to more than the bound was taken as read")
	}
}
