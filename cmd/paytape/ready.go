package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/paytape/paytape/internal/similar"
	"github.com/spf13/cobra"
)

const readyLong = `ready tells whether a deck or a sandbox serves that was started with --ready-file FILE.
It prints one address of the ready file, that of the deck or of the sandbox if no KEY says
otherwise, and ends with 1 if nothing serves there. With --wait it gives a deck that is
starting that much time. Every program that starts a deck can wait for it so, and a
container or a service can be watched so: nothing else is needed for that, no curl and no
shell.

A deck with an address to be looked after (--admin) says by itself whether it is ready. Of
any other one a connection is made and closed again, which counts as no request.`

// readiness is the command "ready" with its flags.
type readiness struct {
	*app
	file string
	wait time.Duration
}

func readyCommand(a *app) *cobra.Command {
	r := &readiness{app: a}
	cmd := &cobra.Command{
		Use: "ready [KEY]", Short: "wait for a deck, and print its address",
		Long: readyLong,
		Example: `  paytape ready --ready-file deck.json --wait 30s
  paytape ready --ready-file deck.json admin`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&r.file, "ready-file", "", "`FILE` that the deck writes when it is ready")
	fs.DurationVar(&r.wait, "wait", 0, "wait up to `TIME` for it")
	return cmd
}

// readyPause is how long a look at a deck that is not ready is apart from the next.
const readyPause = 50 * time.Millisecond

// probeTime is how long a deck has to answer one look.
const probeTime = 5 * time.Second

func (r *readiness) run(ctx context.Context, keys []string) error {
	if r.file == "" {
		return withHint(misused(errors.New("expected --ready-file")), "paytape ready --ready-file deck.json")
	}
	if r.wait < 0 {
		return misused(errors.New("--wait: expected a time"))
	}
	key := ""
	if len(keys) > 0 {
		key = keys[0]
		if err := knownReadyKey(key); err != nil {
			return err
		}
	}
	until := time.Now().Add(r.wait)
	for {
		address, err := r.look(ctx, key)
		if err == nil {
			r.print("%s\n", address)
			return nil
		}
		if ctx.Err() != nil {
			return errInterrupted
		}
		if _, later := errors.AsType[*notReady](err); !later || !time.Now().Before(until) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(readyPause):
		}
	}
}

// notReady is why a deck is not ready, which may change.
type notReady struct{ error }

func (n *notReady) Unwrap() error { return n.error }

// knownReadyKey refuses a key that no ready file has.
func knownReadyKey(key string) error {
	known := map[string]bool{}
	for _, name := range readyKeys() {
		known[name] = true
	}
	if known[key] {
		return nil
	}
	err := misused(fmt.Errorf("unknown key %q of a ready file", key))
	if near := similar.Most(key, known); near != "" {
		return withHint(err, "paytape ready %s", near)
	}
	return withHint(err, "paytape help ready-file")
}

// look looks once, and returns the value of a key of a deck that serves.
func (r *readiness) look(ctx context.Context, key string) (string, error) {
	data, err := os.ReadFile(r.file)
	if err != nil {
		return "", &notReady{fmt.Errorf("nothing is ready: %w", err)}
	}
	var told ready
	values := map[string]any{}
	if json.Unmarshal(data, &told) != nil || json.Unmarshal(data, &values) != nil {
		return "", misused(fmt.Errorf("--ready-file: %s is no ready file", shellWord(r.file)))
	}
	if key == "" {
		key = "proxy"
		if told.Proxy == "" {
			key = "sandbox"
		}
	}
	value, there := values[key]
	if !there {
		return "", withHint(fmt.Errorf("what serves has no address %q", key), "paytape help ready-file")
	}
	if err := told.probe(ctx); err != nil {
		return "", &notReady{err}
	}
	if pid, ok := value.(float64); ok {
		return fmt.Sprintf("%.0f", pid), nil
	}
	return printable(fmt.Sprint(value)), nil
}

// probe asks whether a deck serves.
func (r ready) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if r.Admin == "" {
		return r.connect(ctx)
	}
	at, err := url.JoinPath(r.Admin, "readyz")
	if err != nil {
		return errors.New("the ready file holds no address of a deck")
	}
	body, err := (&deckClient{}).open(ctx, http.MethodGet, at)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(body, maxTold))
	return errors.Join(err, body.Close())
}

// connect connects to a deck, and lets go of it again.
func (r ready) connect(ctx context.Context) error {
	at, err := url.Parse(r.Proxy)
	if r.Proxy == "" {
		at, err = url.Parse(r.Sandbox)
	}
	if err != nil || at.Host == "" {
		return errors.New("the ready file holds no address of a deck")
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", at.Host)
	if err != nil {
		return withHint(fmt.Errorf("connecting to the deck: %w", err), "does it still run?")
	}
	return conn.Close()
}
