package cassettes

import (
	"strings"
	"testing"
)

// endlessFile is a file that begins with a text and goes on with lines for ever.
type endlessFile struct {
	head string
	read int64 // bytes that were asked for
}

func (f *endlessFile) ReadAt(p []byte, at int64) (int, error) {
	const line = "- {request: {url: 'http://a.test/'}}\n"
	for i := range p {
		if n := at + int64(i); n < int64(len(f.head)) {
			p[i] = f.head[n]
		} else {
			p[i] = line[(n-int64(len(f.head)))%int64(len(line))]
		}
	}
	f.read += int64(len(p))
	return len(p), nil
}

// A large file of another program is rejected where it turns out to be no cassette.
func TestALargeFileIsNotReadToItsEnd(t *testing.T) {
	tests := []struct{ name, head string }{
		{"an archive", `{"log": {"entries": [`},
		{"a text", strings.Repeat("secret\n", 9)},
		{"comments alone", "#" + strings.Repeat("x\n#", 1000) + "\n{\"a\": 1}\n"},
		{"bad YAML", "version: 1\ninteractions:\n- {}\n- [secret: }\n"},
		{"bad bytes", "version: 1\ninteractions:\n- \x00\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &endlessFile{head: tt.head}
			_, err := unsealed(f, 1<<30, errNoMark, nil)
			if err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("got error %v", err)
			}
			if f.read > 1<<20 {
				t.Errorf("%d bytes were read", f.read)
			}
		})
	}
}
