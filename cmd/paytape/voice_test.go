package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	failed := errors.New("it failed")
	for _, test := range []struct {
		name string
		err  error
		code int
		said string
	}{
		{"no error", nil, exitDone, ""},
		{"a failure", failed, exitFailed, "paytape: error: it failed\n"},
		{"a failure with a hint", withHint(failed, "paytape show %s", "tape"), exitFailed,
			"paytape: error: it failed\npaytape: hint: paytape show tape\n"},
		{"wrong usage", misused(failed), exitUsage, "paytape: error: it failed\n"},
		{"wrong usage with a hint, wrapped", fmt.Errorf("reading: %w",
			withHint(misused(failed), "paytape --help")), exitUsage,
			"paytape: error: reading: it failed\npaytape: hint: paytape --help\n"},
		{"no wrong usage", misused(nil), exitDone, ""},
		{"two failures", errors.Join(failed, errors.New("and that")), exitFailed,
			"paytape: error: it failed\npaytape: error: and that\n"},
		{"a terminal's commands", errors.New("a\x1b[2Jb"), exitFailed,
			`paytape: error: a\u001b[2Jb` + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var said bytes.Buffer
			if code := (voice{w: &said}).verdict(test.err); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if diff := cmp.Diff(test.said, said.String()); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("an order of 12500\n\tpaid")
	f.Add("\x1b]0;title\x07 and \u202e back \u009b2J")
	f.Add("not UTF-8: \xff\x00")
	f.Fuzz(func(t *testing.T, s string) {
		got := printable(s)
		if i := strings.IndexFunc(got, isControl); i >= 0 {
			t.Errorf("a terminal obeys byte %d of %q", i, got)
		}
		if again := printable(got); again != got {
			t.Errorf("printing twice changes %q to %q", got, again)
		}
	})
}

// The log tells of an event what there is to tell, and nothing that is empty.
func TestStrictCallbacks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		counts callback.Counts
		want   string
	}{
		{callback.Counts{Events: 9, Sent: 9, Accepted: 7, Refused: 1, Dropped: 1}, "<nil>"},
		{callback.Counts{Undelivered: 2}, "no shop was told of 2 callbacks"},
		{callback.Counts{Undelivered: 1, Differing: 1},
			"no shop was told of 1 callback\nthe shop answered 1 callback otherwise than on tape"},
	} {
		if got := fmt.Sprint(strictCallbacks(test.counts)); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		event proxy.Event
		want  string
	}{
		{"recorded", proxy.Event{Kind: proxy.Recorded, Number: 3, Profile: "gateway",
			Operation: "register.do", Code: 200, Took: time.Second},
			"level=INFO msg=recorded number=3 profile=gateway operation=register.do " +
				"code=200 took=1s\n"},
		{"served", proxy.Event{Kind: proxy.Served, Cassette: "shop", Number: 1, Flow: 2,
			State: "register.do", Mark: "assumed=card"},
			"level=INFO msg=served cassette=shop number=1 flow=2 state=register.do " +
				"mark=\"assumed=card\"\n"},
		{"missed", proxy.Event{Kind: proxy.Missed, Reason: match.BadField, Code: 501},
			"level=WARN msg=missed code=501 reason=field\n"},
		{"failed", proxy.Event{Kind: proxy.Failed, Where: "a.go:1", Note: proxy.NoteDefect},
			"level=ERROR msg=failed where=a.go:1 note=\"" + string(proxy.NoteDefect) + "\"\n"},
		{"failed by the sandbox", proxy.Event{Kind: proxy.Failed, Code: 502,
			Problem: proxy.ProblemUpstream}, "level=ERROR msg=failed code=502 problem=upstream\n"},
		{"failed by its client", proxy.Event{Kind: proxy.Failed, Code: 400, Problem: "request"},
			"level=WARN msg=failed code=400 problem=request\n"},
		{"recorded though it failed", proxy.Event{Kind: proxy.Recorded, Number: 1,
			Problem: proxy.ProblemCut}, "level=WARN msg=recorded number=1 problem=cut\n"},
		{"left by the client", proxy.Event{Kind: proxy.Failed}, "level=INFO msg=failed\n"},
		{"warning", proxy.Event{Kind: proxy.Warning}, "level=WARN msg=warning\n"},
		{"a callback", proxy.Event{Kind: proxy.Callback, Profile: "gateway", Operation: "deposited",
			Attempt: 1, Outcome: proxy.OutcomeAccepted, Code: 200},
			"level=INFO msg=callback profile=gateway operation=deposited attempt=1 outcome=accepted " +
				"code=200\n"},
		{"a callback that is refused", proxy.Event{Kind: proxy.Callback, Attempt: 2,
			Outcome: proxy.OutcomeRefused, Code: 500},
			"level=WARN msg=callback attempt=2 outcome=refused code=500\n"},
		{"the first that goes nowhere", proxy.Event{Kind: proxy.Callback, Outcome: proxy.OutcomeDropped,
			Problem: proxy.ProblemForbidden, Note: proxy.NoteCallbackForbidden},
			"level=WARN msg=callback outcome=dropped problem=forbidden note=\"" +
				string(proxy.NoteCallbackForbidden) + "\"\n"},
		{"the second that goes nowhere", proxy.Event{Kind: proxy.Callback,
			Outcome: proxy.OutcomeDropped, Problem: proxy.ProblemForbidden},
			"level=INFO msg=callback outcome=dropped problem=forbidden\n"},
		{"passed", proxy.Event{Kind: proxy.Passed}, "level=INFO msg=passed\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			noTime := func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}
			observer(slog.New(slog.NewTextHandler(&got, &slog.HandlerOptions{
				ReplaceAttr: noTime,
			})))(test.event)
			if diff := cmp.Diff(test.want, got.String()); diff != "" {
				t.Errorf("logged (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLogLevels(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"debug", "info", "warn", "error"} {
		log, err := newLog(level, "json", &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		var from slog.Level
		if err := from.UnmarshalText([]byte(level)); err != nil {
			t.Fatal(err)
		}
		if !log.Enabled(context.Background(), from) || log.Enabled(context.Background(), from-1) {
			t.Errorf("--log-level %s does not log from there on", level)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	setting := func(key, value string) debug.BuildSetting {
		return debug.BuildSetting{Key: key, Value: value}
	}
	for _, test := range []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"a release", debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.0"}},
			"paytape v1.2.0 go1.26"},
		{"a working tree", debug.BuildInfo{GoVersion: "go1.26", Settings: []debug.BuildSetting{
			setting("vcs.revision", "67ea79d"), setting("vcs.modified", "true"),
		}}, "paytape (devel) revision 67ea79d modified go1.26"},
		{"a clean tree", debug.BuildInfo{GoVersion: "go1.26", Settings: []debug.BuildSetting{
			setting("vcs.revision", "67ea79d"), setting("vcs.modified", "false"),
		}}, "paytape (devel) revision 67ea79d go1.26"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := describe(&test.info); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestWord(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		"cassettes/a-1.yaml": "cassettes/a-1.yaml",
		"my tapes":           "'my tapes'",
		"it's":               `'it'\''s'`,
		"":                   "''",
		"$HOME":              "'$HOME'",
	} {
		if got := shellWord(give); got != want {
			t.Errorf("shellWord(%q) is %s, want %s", give, got, want)
		}
	}
}
