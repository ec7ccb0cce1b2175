package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// benchFolder writes a folder of some MB as a repository has one: tapes, a log, a HAR, sources.
func benchFolder(b *testing.B) (dir string, size int64) {
	b.Helper()
	dir = b.TempDir()
	tape, err := os.ReadFile(filepath.Join("..", "..", "testdata", "stories.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	source, err := os.ReadFile("check.go")
	if err != nil {
		b.Fatal(err)
	}
	line := `10:00:07Z INFO order=06cf5599-3f17-7c86-bdbc-bd7d00a8b38b amount=1500 rrn=003456789012 ` +
		`path=/payment/rest/getOrderStatus.do msg="asked%20for"` + "\n"
	for name, data := range map[string][]byte{
		"tapes/%d.yaml":  tape,
		"logs/%d.log":    []byte(strings.Repeat(line, 300)),
		"src/%d.go":      bytes.Repeat(source, 6),
		"archive/%d.har": harOf(strings.Repeat(harPolls, 40)),
	} {
		for i := range 20 {
			file := filepath.Join(dir, filepath.FromSlash(fmt.Sprintf(name, i)))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(file, data, 0o600); err != nil {
				b.Fatal(err)
			}
			size += int64(len(data))
		}
	}
	return dir, size
}

// harOf is an archive of entries, each of which ends with a comma.
func harOf(entries string) []byte {
	return []byte(`{"log":{"version":"1.2","entries":[` + strings.TrimSuffix(entries, ",") + `]}}`)
}

// harPolls is an entry of an archive without secrets.
const harPolls = `{"startedDateTime":"2026-03-01T10:00:00.000Z","time":12,` +
	`"request":{"method":"POST","url":"https://sandbox.example/payment/rest/getOrderStatus.do","headers":[{"name":` +
	`"Content-Type","value":"application/x-www-form-urlencoded"}],"postData":{"mimeType":` +
	`"application/x-www-form-urlencoded","text":"userName=u&orderId=06cf5599-3f17-7c86"}},` +
	`"response":{"status":200,"statusText":"OK","headers":[],"content":{"size":30,` +
	`"mimeType":"application/json","text":"{\"errorCode\":\"0\",\"orderStatus\":2}"}},` +
	`"timings":{"send":1,"wait":10,"receive":1}},`

// BenchmarkCheck checks a folder with nothing in it. The aim is 50 MB in two seconds on two
// processors, which is 25 MB/s.
func BenchmarkCheck(b *testing.B) {
	for _, part := range []string{"tapes", "logs", "src", "archive", ""} {
		b.Run("part "+part, func(b *testing.B) {
			dir, _ := benchFolder(b)
			dir = filepath.Join(dir, part)
			var size int64
			for _, f := range filesBelow(b, dir) {
				size += f
			}
			b.SetBytes(size)
			for b.Loop() {
				c := &checker{app: &app{out: io.Discard}}
				if err := c.run(context.Background(), []string{dir}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// filesBelow returns the sizes of files.
func filesBelow(b *testing.B, dir string) map[string]int64 {
	b.Helper()
	sizes := map[string]int64{}
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sizes[file] = info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return sizes
}
