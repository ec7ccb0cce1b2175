package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed assets
var embedded embed.FS

// policy is the Content-Security-Policy of everything that is served here. The page has no inline
// script and no inline style, is in nobody's frame, and talks to nobody but its own origin.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// mediaTypes are those of the embedded files. The table of the machine is not asked: it may know
// others.
var mediaTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// screens are the addresses of the shell below the base: the name of a screen, and how many parts
// may follow it. The address without a name is the list of the traffic.
var screens = map[string]int{
	"":          0,
	"x":         1,
	"why":       1,
	"flow":      1,
	"compare":   2,
	"tape":      1,
	"rules":     0,
	"callbacks": 0,
}

// file is an embedded file as it is served.
type file struct {
	content   []byte
	mediaType string
	etag      string
}

// Handler serves the shell and its assets under a base path such as "/" or "/inspect/", which begins
// and ends with a slash. Other addresses are not found. A caller that takes a token out of the path
// does so before.
func Handler(base string) http.Handler {
	files := load(base)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		rest, ok := strings.CutPrefix(r.URL.Path, base)
		if !ok {
			http.NotFound(w, r)
			return
		}
		name := rest
		if isScreen(rest) {
			name = "index.html"
		} else if rest == "index.html" {
			name = "" // the shell has one address for each screen, and no other
		}
		f, ok := files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		f.serve(w, r)
	})
}

// load reads the embedded files. Their names begin with "assets/", but for the shell.
func load(base string) map[string]file {
	files := map[string]file{}
	err := fs.WalkDir(embedded, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		if name == "assets/index.html" {
			name = "index.html"
			content, err = shell(content, base)
		}
		sum := sha256.Sum256(content)
		files[name] = file{
			content:   content,
			mediaType: mediaTypes[path.Ext(name)],
			etag:      `"` + hex.EncodeToString(sum[:12]) + `"`,
		}
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("web: embedded files: %v", err)) // they were complete when it was built
	}
	return files
}

// shell writes the base into the page.
func shell(page []byte, base string) ([]byte, error) {
	t, err := template.New("shell").Parse(string(page))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, base)
	return b.Bytes(), err
}

// isScreen reports whether the path below the base is that of a screen.
func isScreen(rest string) bool {
	name, more, _ := strings.Cut(strings.TrimSuffix(rest, "/"), "/")
	parts, ok := screens[name]
	if !ok {
		return false
	}
	return more == "" || strings.Count(more, "/") < parts
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("ETag", f.etag)
	h.Set("Cache-Control", "no-cache")
	if strings.Contains(r.Header.Get("If-None-Match"), f.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.mediaType)
	h.Set("Content-Length", strconv.Itoa(len(f.content)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(f.content) // a reader that has gone needs no answer
	}
}

// setHeaders sets what keeps the page to itself: no frames, no Referer (the first address holds the
// token), no guessing of types, no window that opened it.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
}
