package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"text/tabwriter"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/deck"
)

// reloadOnSignal has a deck read its rules files again when a signal asks for that, until stop is
// called. The log tells what came of it. A deck without such files ends on that signal, as any program
// does whose terminal is closed.
func reloadOnSignal(d *deck.Deck, o deck.Options) (stop func()) {
	if len(o.RuleFiles) == 0 || len(reloadSignals) == 0 {
		return func() {}
	}
	came, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(came, reloadSignals...)
	go func() {
		defer close(ended)
		for range came {
			_ = d.ReloadRules() // an event tells of it
		}
	}()
	return func() {
		signal.Stop(came)
		close(came)
		<-ended
	}
}

// verdictOfRules tells what the rules of a run have done, and warns of those that did nothing. It
// returns what fails by the flags.
func (c *deckCommand) verdictOfRules(a *app, all []rules.Status) error {
	if len(all) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "FIRED\tMATCHED\tRULE OF THE RUN\n")
	idle := 0
	for _, s := range all {
		fmt.Fprintf(t, "%d\t%d\t%s\n", s.Fired, s.Matched, s.Name)
		if s.Fired == 0 {
			idle++
		}
	}
	_ = t.Flush() // nobody is left to be told if stdout is closed
	if c.logFormat == logJSON {
		c.log.LogAttrs(context.Background(), slog.LevelInfo, "ruled", slog.Any("rules", all))
	}
	for _, text := range doubts(all) {
		a.voice.warn(text)
	}
	if !c.failUnused || idle == 0 {
		return nil
	}
	return withHint(fmt.Errorf("never fired: %d of %s", idle, count.Of(len(all), "rule")),
		"see the warnings above; paytape rules try FILE NAME tells which exchanges on tape a rule "+
			"would hit")
}

// doubts says which rules did not do what they are there for.
func doubts(all []rules.Status) []string {
	var texts []string
	for _, s := range all {
		at := fmt.Sprintf("rule %s (%s:%d)", s.Name, s.File, s.Line)
		switch {
		case s.Fired == 0 && s.Failed != "":
			texts = append(texts, fmt.Sprintf("%s never fired: what failed most often is %q", at,
				s.Failed))
		case s.Fired == 0:
			texts = append(texts, at+" never fired: there was no call of its operations")
		}
		for _, field := range s.Missed {
			texts = append(texts, fmt.Sprintf("%s found no field %q to change", at, field))
		}
	}
	return texts
}
