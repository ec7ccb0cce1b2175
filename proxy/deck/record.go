package deck

import (
	"context"
	"errors"
	"net/http"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy"
)

// startRecord makes a mode that records.
func (d *Deck) startRecord(ctx context.Context) (http.RoundTripper, error) {
	if err := d.prepareRecord(ctx); err != nil {
		return nil, err
	}
	return d.record, nil
}

// prepareRecord listens, and begins to record on the cassette.
func (d *Deck) prepareRecord(ctx context.Context) error {
	o := &d.options
	if err := d.listen(); err != nil {
		return err
	}
	if err := d.reach(ctx); err != nil {
		return err
	}
	d.cleaner = o.redactor(o.Withheld)
	tuneGCFor(o, d.cleaner)
	sync, err := cassettes.ParseSync(o.Sync)
	if err != nil {
		return wrong("Sync", err)
	}
	if d.library, err = cassettes.Open(o.Dir); err != nil {
		return err
	}
	o.warnOf(d.library)
	kept := cassettes.Options{
		Sync: sync, Trouble: d.trouble, Stable: o.Stable, Stabilise: o.Knowledge.Stabilise,
	}
	if d.recorder, err = d.library.RecordWith(kept, o.Cassettes[0], d.cleaner); err != nil {
		return err
	}
	if found := d.recorder.Recovered(); found != "" {
		o.warn(found)
	}
	d.record, err = proxy.NewRecord(proxy.RecordOptions{
		Route: d.sandboxes.route, Tape: d.recorder, Cleaner: d.cleaner, Limit: o.MaxBody,
		Watch: d.callbackDoor.watch(), Editions: profile.NewEditions(o.Knowledge.profiles, d.recorder.Profiles()),
	})
	if err != nil {
		return err
	}
	return d.relayCallbacks(ctx, d.record)
}

// trouble tells an observer what goes wrong with a tape in the background.
func (d *Deck) trouble(err error) {
	e := proxy.Event{Kind: proxy.Warning, Note: proxy.NoteSynced}
	switch {
	case errors.Is(err, cassettes.ErrJournalReplaced):
		e.Note = proxy.NoteAstray
	case err != nil:
		e = proxy.Event{
			Kind: proxy.Failed, Note: proxy.NoteUnsynced, Text: d.cleaner.Text(err.Error()),
		}
	}
	d.options.Observe(e)
}

// startPass makes a mode that passes requests on.
func (d *Deck) startPass(ctx context.Context) (http.RoundTripper, error) {
	if err := d.listen(); err != nil {
		return nil, err
	}
	if err := d.reach(ctx); err != nil {
		return nil, err
	}
	d.cleaner = d.options.redactor(nil)
	mode, err := proxy.NewPass(proxy.PassOptions{Route: d.sandboxes.route, Cleaner: d.cleaner})
	if err != nil {
		return nil, err
	}
	return mode, d.relayCallbacks(ctx, mode)
}
