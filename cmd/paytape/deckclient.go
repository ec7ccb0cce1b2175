package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// deckClient asks a running deck on behalf of a command: its admin address, or its inspector.
type deckClient struct {
	command string // for hints: "paytape callbacks"
	ready   string // file
	admin   string // URL of the admin address, with its token
	inspect string // URL of the inspector, with its token
}

// flags declares the flags that say which deck is meant. inspector adds that of a command that asks the
// inspector.
func (c *deckClient) flags(fs *pflag.FlagSet, inspector bool) {
	fs.StringVar(&c.ready, "ready-file", "", "`FILE` that the deck wrote when it was ready")
	fs.StringVar(&c.admin, "admin-url", "", "`URL` of the deck's admin address, as the deck has printed it")
	markSecret(fs.Lookup("admin-url"))
	if inspector {
		fs.StringVar(&c.inspect, "inspect-url", "", "`URL` of the deck's inspector, as the deck has "+
			"printed it")
		markSecret(fs.Lookup("inspect-url"))
	}
}

// adminAddress returns the admin address of the deck, with a slash behind it.
func (c *deckClient) adminAddress() (string, error) {
	at := c.admin
	if at == "" {
		r, err := c.readyFile("--ready-file or --admin-url")
		if err != nil {
			return "", err
		}
		at = r.Admin
	}
	if at == "" {
		return "", withHint(errors.New("the deck has no address to be looked after"),
			"start it with --admin 127.0.0.1:0")
	}
	return withSlash(at), nil
}

// inspectAddress returns where the inspector of the deck is, with a slash behind it: at an address of
// its own, or below the admin address.
func (c *deckClient) inspectAddress() (string, error) {
	at, admin := c.inspect, c.admin
	if at == "" && admin == "" {
		r, err := c.readyFile("--ready-file, --inspect-url or --admin-url")
		if err != nil {
			return "", err
		}
		at, admin = r.Inspect, r.Admin
	}
	switch {
	case at != "":
		return withSlash(at), nil
	case admin != "":
		return withSlash(admin) + "inspect/", nil
	}
	return "", withHint(errors.New("the deck has no inspector"),
		"start it with --inspect 127.0.0.1:0")
}

func withSlash(url string) string { return strings.TrimSuffix(url, "/") + "/" }

// readyFile reads what the deck wrote when it was ready. flags are those that a user may give.
func (c *deckClient) readyFile(flags string) (ready, error) {
	var r ready
	if c.ready == "" {
		return r, withHint(misused(errors.New("expected "+flags)), "%s --ready-file ready.json", c.command)
	}
	data, err := os.ReadFile(c.ready)
	if err != nil {
		return r, withHint(misused(fmt.Errorf("--ready-file: %w", err)), "does the deck run?")
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, misused(fmt.Errorf("--ready-file: %s is no ready file", shellWord(c.ready)))
	}
	return r, nil
}

// Bounds of what a deck says.
const (
	maxTold  = 16 << 20 // bytes of an answer
	maxLine  = 4 << 20  // bytes of a line of a stream
	askLimit = time.Minute
)

// ask asks the deck, and returns the body of its answer.
func (c *deckClient) ask(ctx context.Context, method, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	body, err := c.open(ctx, method, url)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return readTold(body)
}

func readTold(body io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, maxTold))
	if err != nil {
		return nil, fmt.Errorf("reading what the deck says: %w", err)
	}
	return data, nil
}

// follow asks the deck for a stream, and hands its lines to a function until the stream ends, ctx ends
// or the function fails. A stream that the deck ends is no error.
func (c *deckClient) follow(ctx context.Context, url string, line func(string) error) error {
	body, err := c.open(ctx, http.MethodGet, url)
	if err != nil {
		return err
	}
	defer body.Close()
	in := bufio.NewScanner(body)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		if err := line(in.Text()); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("the deck has ended the stream: %w", err)
	}
	return nil
}

// open sends a request and returns the body of an answer that is not a refusal.
func (c *deckClient) open(ctx context.Context, method, url string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return nil, misused(errors.New("expected a URL as the deck has printed it"))
	}
	// A deck is asked directly, whatever proxy the environment names.
	client := &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true},
		// The address has the token in it, and a deck redirects nobody.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, withHint(fmt.Errorf("asking the deck: %w", errors.Unwrap(err)),
			"does it still run?")
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, nil
	}
	defer res.Body.Close()
	body, err := readTold(res.Body)
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("the deck says: %s", refusalIn(body, res.Status))
}

// refusalIn returns why a deck has refused something: the inspector says that as JSON.
func refusalIn(body []byte, status string) string {
	var told struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(body, &told) // the admin address says it as it is
	return strings.TrimSpace(printable(cmp.Or(told.Error, string(body), status)))
}
