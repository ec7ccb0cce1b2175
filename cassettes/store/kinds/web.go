package kinds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/paytape/paytape/cassettes/store/blob"
)

// web is a web server.
type web struct {
	*client
	base  *url.URL
	netrc login // empty for none
	git   *gitLogin
}

func openWeb(u *url.URL, c *client) (blob.Store, error) {
	if u.Scheme == "http" && !isLocal(u.Host) {
		return nil, wrongURL("expected https: without TLS only this machine is spoken to")
	}
	l, err := c.netrc(u.Hostname())
	if err != nil {
		return nil, err
	}
	return &web{c, u, l, newGitLogin(u)}, nil
}

// do sends a request for a blob. An answer is one that has it. Git is asked for credentials only when the
// server itself has refused those of .netrc, or wants some.
func (w *web) do(ctx context.Context, method string, b blob.Blob) (*http.Response, error) {
	l := w.git.known()
	if l == (login{}) {
		l = w.netrc
	}
	res, err := w.send(ctx, method, b, l)
	if err == nil && w.refused(res) {
		if told := w.git.ask(ctx); told != (login{}) && told != l {
			l = told
			if err = res.Body.Close(); err == nil {
				res, err = w.send(ctx, method, b, l)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusUnauthorized || w.refused(res) {
		w.git.judge(ctx, l, res.StatusCode)
	}
	if err = byStatus(res.StatusCode); err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%w (status %d)", blob.ErrPermanent, res.StatusCode)
	}
	if err != nil {
		return nil, errors.Join(err, res.Body.Close())
	}
	return res, nil
}

// send sends a request for a blob once.
func (w *web) send(ctx context.Context, method string, b blob.Blob, l login) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.base.JoinPath(b.Path()).String(), nil)
	if err != nil {
		return nil, err
	}
	if l != (login{}) {
		req.SetBasicAuth(l.user, l.password)
	}
	res, err := w.http.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	return res, nil
}

// refused reports whether the server of the store wants other credentials, and no server that it led to.
func (w *web) refused(res *http.Response) bool {
	from := res.Request.URL
	return res.StatusCode == http.StatusUnauthorized && from.Scheme == w.base.Scheme && from.Host == w.base.Host
}

// withoutURL takes the URL off an error: a server may have led to one that holds a signature.
func withoutURL(err error) error {
	if of, ok := errors.AsType[*url.Error](err); ok {
		return of.Err
	}
	return err
}

func (w *web) Has(ctx context.Context, b blob.Blob) (bool, error) {
	res, err := w.do(ctx, http.MethodHead, b)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	length := res.ContentLength
	return b.Size == 0 || length < 0 || length == b.Size, res.Body.Close()
}

func (w *web) Get(ctx context.Context, b blob.Blob) (io.ReadCloser, error) {
	res, err := w.do(ctx, http.MethodGet, b)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

func (w *web) Put(context.Context, blob.Blob, []byte) error { return blob.ErrReadOnly }
