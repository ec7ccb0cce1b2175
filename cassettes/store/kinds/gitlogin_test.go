package kinds_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/cassettes/store/blob"
)

// helper is a credential helper of git, which notes what git asks it.
type helper struct {
	t     *testing.T
	noted string
}

// newHelper has a user whose helper tells something: "username=me" and so on.
func newHelper(t *testing.T, tells string) *helper {
	t.Helper()
	for _, program := range []string{"git", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	home := t.TempDir()
	h := &helper{t, filepath.Join(home, "noted")}
	h.write(filepath.Join(home, "helper"), fmt.Sprintf("{ echo $1; cat; } >>'%s'\n[ $1 = get ] && printf '%s'\n:\n",
		h.noted, tells))
	h.write(filepath.Join(home, ".gitconfig"), "[credential]\n\thelper = \"!sh '"+filepath.ToSlash(home)+"/helper'\"\n"+
		"[core]\n\taskPass = \"touch '"+filepath.ToSlash(home)+"/prompted' ; echo\"\n")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("NETRC", filepath.Join(home, "netrc"))
	t.Setenv("SSH_ASKPASS", "touch '"+filepath.ToSlash(home)+"/prompted'")
	t.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(home, "prompted")); err == nil {
			t.Error("somebody was prompted")
		}
	})
	return h
}

func (h *helper) write(file, text string) {
	h.t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// actions are what git has asked for: "get store".
func (h *helper) actions() string {
	h.t.Helper()
	data, err := os.ReadFile(h.noted)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		h.t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "get" || line == "store" || line == "erase" {
			all = append(all, line)
		}
	}
	return strings.Join(all, " ")
}

const gitPassword = "not a secret"

// private serves one piece to me alone.
func private(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, word, _ := r.BasicAuth(); name != "me" || word != gitPassword {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte("one"))
	}))
	t.Cleanup(server.Close)
	return server
}

// Git is asked for what .netrc does not have, once, and told what came of it.
func TestGitCredentials(t *testing.T) {
	for _, test := range []struct {
		name, tells, netrc string
		want               string // what git asked the helper
		denied             bool
	}{
		{"they are right", "username=me\npassword=" + gitPassword + "\n", "", "get store", false},
		{"they are wrong", "username=me\npassword=hunter2\n", "", "get erase", true},
		{"there are none", "", "", "get", true},
		{"there is half", "username=me\n", "", "get", true},
		{".netrc has them", "username=me\npassword=hunter2\n",
			"machine 127.0.0.1 login me password \"" + gitPassword + "\"\n", "", false},
		{".netrc has old ones", "username=me\npassword=" + gitPassword + "\n",
			"machine 127.0.0.1 login me password old\n", "get store", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHelper(t, strings.ReplaceAll(test.tells, "\n", "\\n"))
			h.write(os.Getenv("NETRC"), test.netrc)
			s := open(t, private(t).URL+"/shop")
			var all sync.WaitGroup
			for range 8 { // at once, as a pull does
				all.Go(func() {
					_, err := s.Get(t.Context(), piece("one"))
					if errors.Is(err, blob.ErrDenied) != test.denied || err != nil && !test.denied {
						t.Errorf("got %v", err)
					}
					if err != nil && strings.Contains(err.Error(), "hunter2") {
						t.Error("the error repeats a password")
					}
				})
			}
			all.Wait()
			if got := h.actions(); got != test.want {
				t.Errorf("the helper was asked %q, want %q", got, test.want)
			}
		})
	}
}

// Credentials are asked for where the store is, not where it leads to, and git is told of that server alone.
func TestGitCredentialsOfWhichServer(t *testing.T) {
	h := newHelper(t, "username=me\\npassword="+gitPassword+"\\n")
	other := private(t)
	leads := httptest.NewServer(http.RedirectHandler(other.URL+"/blob", http.StatusFound))
	defer leads.Close()
	if _, err := open(t, leads.URL).Get(t.Context(), piece("one")); !errors.Is(err, blob.ErrDenied) {
		t.Errorf("got %v", err)
	}
	if got := h.actions(); got != "" {
		t.Errorf("the helper was asked %q", got)
	}
	if _, err := open(t, other.URL+"/a%0Ahost=bank.example").Get(t.Context(), piece("one")); !errors.Is(err, blob.ErrDenied) {
		t.Errorf("got %v", err)
	}
	if got := h.actions(); got != "" {
		t.Errorf("the helper was asked %q", got)
	}
	gives(t, open(t, other.URL+"/shop"), piece("one"), "one")
	noted, err := os.ReadFile(h.noted)
	host := "host=" + strings.TrimPrefix(other.URL, "http://")
	if err != nil || !strings.HasPrefix(string(noted), "get\nprotocol=http\n"+host+"\n") {
		t.Errorf("%v: git has told of another server than %s", err, host)
	}
}
