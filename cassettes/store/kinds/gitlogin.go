package kinds

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// gitLogin asks git for the credentials of one server, which the helpers of its user have, and tells git
// whether they were right, as "git fetch" does:
//
//	GET /blobs/3c/3c1d...            401
//	git credential fill              protocol, host and path in; user and password out
//	GET /blobs/3c/3c1d...            200, and git credential approve; or 401, and git credential reject
//
// Nobody is prompted. What git says beside credentials is dropped, because a helper may say anything.
type gitLogin struct {
	about string // what git is told of the server; empty: it is not asked

	mu     sync.Mutex // guards the rest, and what git is asked
	asked  bool
	judged bool
	login  login // empty for none
}

// newGitLogin returns the credentials of the server of a store. A path that breaks a line would tell git
// of another server.
func newGitLogin(base *url.URL) *gitLogin {
	about := "protocol=" + base.Scheme + "\nhost=" + base.Host + "\n"
	if path := strings.Trim(base.Path, "/"); path != "" {
		about += "path=" + path + "\n" // for those who have credential.useHttpPath
	}
	if strings.ContainsAny(base.Host+base.Path, "\r\n\x00") {
		about = ""
	}
	return &gitLogin{about: about}
}

// known returns what git has told already; an empty login for nothing.
func (g *gitLogin) known() login {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.login
}

// ask returns what git tells, which is asked once.
func (g *gitLogin) ask(ctx context.Context) login {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.asked || g.about == "" {
		return g.login
	}
	told, err := git(ctx, "fill", g.about)
	if ctx.Err() != nil {
		return login{} // the next one asks again
	}
	g.asked = true
	if err == nil {
		g.login = parseGitLogin(told)
	}
	return g.login
}

// judge tells git what a server has said to its credentials. One answer is enough.
func (g *gitLogin) judge(ctx context.Context, l login, status int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	verdict := ""
	switch {
	case status == http.StatusUnauthorized:
		verdict = "reject"
	case status < 300:
		verdict = "approve"
	}
	if g.judged || l == (login{}) || l != g.login || verdict == "" {
		return
	}
	g.judged = true
	// Whether git keeps them or not, they are what they are.
	_, _ = git(ctx, verdict, g.about+"username="+l.user+"\npassword="+l.password+"\n")
	if verdict == "reject" {
		g.login = login{}
	}
}

// parseGitLogin reads what "git credential fill" prints.
func parseGitLogin(text string) login {
	var l login
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		switch key {
		case "username":
			l.user = value
		case "password":
			l.password = value
		}
	}
	if l.password == "" {
		return login{}
	}
	return l
}

// gitDelay is how long the output of git is waited for when git has ended: a helper may have left a
// daemon behind that holds it.
const gitDelay = time.Second

// git runs "git credential".
func git(ctx context.Context, action, about string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", "-c", "credential.interactive=false", "credential", action)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "GCM_INTERACTIVE=never")
	var told bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.WaitDelay = strings.NewReader(about+"\n"), &told, gitDelay
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return told.String(), err
}
