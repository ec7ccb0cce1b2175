package deck

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// startReplay makes a mode that answers from tape alone.
func (d *Deck) startReplay() (http.RoundTripper, error) {
	o := &d.options
	tape := o.Tape
	if tape == nil {
		var err error
		if tape, err = o.load(); err != nil {
			return nil, err
		}
	}
	if err := d.listen(); err != nil {
		return nil, err
	}
	if err := d.find(tape); err != nil {
		return nil, err
	}
	d.cleaner = o.redactor(nil)
	if err := d.play(tape, d.cleaner); err != nil {
		return nil, err
	}
	return d.replay, nil
}

// find says under which addresses clients find what is on a tape: those on tape, and names. A name
// that stood for an API stands for the APIs of the tape, as if --host NAME=sandbox said so.
func (d *Deck) find(tape *Tape) error {
	d.hosts = proxy.Addresses(tape.compiled.Addresses())
	named, _ := upstreamSpecs(d.options.Hosts, nowhere)
	if err := d.hosts.AddHosts(named); err != nil {
		return wrong("Hosts", err)
	}
	recorded := tape.compiled.Hosts()
	for _, name := range tape.compiled.Aliases() {
		recorded = append(recorded, match.Host{Name: name, Address: nowhere})
	}
	d.hosts.AddRecorded(recorded)
	return nil
}

// play makes the mode that replays a tape. cleaner is for what it tells of requests.
func (d *Deck) play(tape *Tape, cleaner *redact.Redactor) error {
	o := &d.options
	d.tape, d.player, d.now = tape, match.NewSessions(tape.compiled), tape.now
	taken, announced, err := d.startCallbacks()
	if err != nil {
		return err
	}
	d.replay, err = proxy.NewReplay(proxy.ReplayOptions{
		Player: d.player, Profiles: o.Knowledge.profiles, Cleaner: cleaner,
		Tape: tape.compiled.Recorded(), Now: tape.now, Observe: o.Observe,
		Quiet: o.Play.Quiet, AtOnce: o.Play.AtOnce, Latency: o.Play.Latency,
		Limit: o.MaxBody, Hosts: d.hosts, Callbacks: taken,
		Announce: announced, Why: d.inspector.why(), Turns: d.cluster != nil,
	})
	return err
}

// startSpy makes a mode that answers from the tape on which it records.
func (d *Deck) startSpy(ctx context.Context) (http.RoundTripper, error) {
	if err := d.prepareRecord(ctx); err != nil {
		return nil, err
	}
	o := &d.options
	tape := o.loadDerived(d.library) // now that nobody else records
	if tape == nil {
		var rs readers // none if this recording is the first
		err := rs.add(d.library, o.Cassettes[0], o.Knowledge.Redactor(nil))
		if err != nil && !errors.Is(err, cassettes.ErrNotFound) {
			return nil, err
		}
		if tape, err = o.compile(rs); err != nil {
			return nil, err
		}
	}
	names := tape.compiled.Aliases()
	for _, h := range tape.compiled.Hosts() {
		names = append(names, h.Name)
	}
	for _, name := range names {
		if !d.hosts.Has(name) {
			o.warn(fmt.Sprintf("the host %s is on tape and nothing leads there: "+
				"add --host %s=URL", name, name))
		}
	}
	if err := d.play(tape, o.Knowledge.Redactor(nil)); err != nil {
		return nil, err
	}
	return proxy.NewSpy(proxy.SpyOptions{Player: d.player, Replay: d.replay, Record: d.record})
}
