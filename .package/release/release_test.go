package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

var made = time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)

var files = []entry{{"paytape", 0o755, []byte("program")}, {"man/man1/paytape.1", 0o644, []byte("page")}}

// TestArchivesAreEqual writes files in two orders.
func TestArchivesAreEqual(t *testing.T) {
	turned := slices.Clone(files)
	slices.Reverse(turned)
	for name, write := range map[string]func(io.Writer, string, time.Time, []entry) error{
		"tar": writeTar, "zip": writeZip,
	} {
		var one, two bytes.Buffer
		if err := write(&one, "p", made, files); err != nil {
			t.Fatal(err)
		}
		if err := write(&two, "p", made, turned); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%s: two archives of equal files differ", name)
		}
	}
}

func TestWriteTar(t *testing.T) {
	var b bytes.Buffer
	if err := writeTar(&b, "paytape_v1", made, files); err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	in := tar.NewReader(plain)
	var got []string
	for {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil || h.Uid != 0 || !h.ModTime.Equal(made) {
			t.Errorf("%s: %v, owner %d, time %s", h.Name, err, h.Uid, h.ModTime)
		}
		got = append(got, h.FileInfo().Mode().String()+" "+h.Name+" "+string(text))
	}
	want := "-rw-r--r-- paytape_v1/man/man1/paytape.1 page, -rwxr-xr-x paytape_v1/paytape program"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %q", got)
	}
}

func TestWriteZip(t *testing.T) {
	var b bytes.Buffer
	if err := writeZip(&b, "paytape_v1", made, files); err != nil {
		t.Fatal(err)
	}
	in, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"paytape_v1/man/man1/paytape.1", "paytape_v1/paytape"} {
		if f := in.File[i]; f.Name != want || !f.Modified.Equal(made) {
			t.Errorf("got %s of %s", f.Name, f.Modified)
		}
	}
}

// TestEnvironment wants a build to see nothing that changes what is built.
func TestEnvironment(t *testing.T) {
	env := environment([]string{"PATH=/bin", "GOFLAGS=-tags=x", "CGO_ENABLED=1", "GOAMD64=v3",
		"GOEXPERIMENT=x", "CC=clang", "GOPROXY=off", "SOURCE_DATE_EPOCH=1"}, "linux", "arm64")
	want := []string{"PATH=/bin", "GOPROXY=off", "GOOS=linux", "GOARCH=arm64", "GOAMD64=v1", "GOARM64=v8.0",
		"CGO_ENABLED=0", "GOENV=off", "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=" + toolchain}
	if !slices.Equal(env, want) {
		t.Errorf("got %q", env)
	}
}

func TestTimeOf(t *testing.T) {
	built := func(pairs ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{}
		for _, pair := range pairs {
			key, value, _ := strings.Cut(pair, "=")
			info.Settings = append(info.Settings, debug.BuildSetting{Key: key, Value: value})
		}
		return info
	}
	const at, changed = "vcs.time=2031-05-17T11:30:00+02:00", "vcs.modified=true"
	for _, test := range []struct {
		name  string
		info  *debug.BuildInfo
		dirty bool
		fails bool
	}{
		{"a revision", built(at, "vcs.modified=false"), false, false},
		{"a revision with changes", built(at, changed), false, true},
		{"one that is allowed", built(at, changed), true, false},
		{"no revision", built(), false, true},
		{"no revision, changes allowed", built(), true, true},
	} {
		got, err := (&release{dirty: test.dirty}).timeOf(test.info)
		if (err != nil) != test.fails || err == nil && !got.Equal(made) {
			t.Errorf("%s: got %s, %v", test.name, got, err)
		}
	}
}

func TestUnknownTarget(t *testing.T) {
	err := (&release{out: t.TempDir(), targets: []string{"plan9/amd64"}}).run(t.Context())
	if err == nil || !strings.Contains(err.Error(), `unknown target "plan9/amd64"`) {
		t.Errorf("got %v", err)
	}
}

func TestWriteBill(t *testing.T) {
	var b bytes.Buffer
	info := &debug.BuildInfo{GoVersion: "go1.26.8",
		Main: debug.Module{Path: "example.org/p", Version: "v1.0.0+dirty"},
		Deps: []*debug.Module{
			{Path: "example.org/a", Version: "v1.2.3"},
			{Path: "example.org/b", Version: "v1.0.0",
				Replace: &debug.Module{Path: "example.org/c", Version: "v2.0.0"}},
		}}
	if err := writeBill(&b, info, "linux/arm64"); err != nil {
		t.Fatal(err)
	}
	var bill map[string]any
	if err := json.Unmarshal(b.Bytes(), &bill); err != nil || bill["bomFormat"] != "CycloneDX" {
		t.Fatalf("no bill: %v", err)
	}
	for _, want := range []string{"pkg:golang/example.org/p@v1.0.0%2Bdirty?goos=linux&goarch=arm64",
		"pkg:golang/std@1.26.8", "pkg:golang/example.org/a@v1.2.3", "pkg:golang/example.org/c@v2.0.0"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, &b)
		}
	}
	if strings.Contains(b.String(), "example.org/b") {
		t.Error("it tells of a module that was replaced")
	}
}
