package match_test

import (
	"fmt"
	"html"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// oracleCase is a recording and a playing of it, whole as data: it can be played again, and with
// less in it.
type oracleCase struct {
	seed  uint64
	tapes [][]oracleTurn // recorded apart, each at a fresh sandbox
	clean bool           // the recording went through the redactor
	live  []oracleTurn
	how   string // what the playing varies, in words
	calls string // the method by which sandboxes call the shop; empty: they do not
	quiet bool   // the recording is made stable; see oraclestable_test.go
	lose  int    // which write of each tape is lost, from 1, counted round and round; 0 for none

	recorded, played  time.Time
	recTick, liveTick time.Duration
	deckZone          *time.Location // of the machine that replays; nil for the sandbox's
}

// oracleVerdict is what was found of one turn of a playing.
type oracleVerdict struct {
	turn oracleTurn
	// outcome is one of right, wrong, miss, dropped and oracleAside; a dropped turn lacks a value
	// because of an earlier miss or refusal.
	outcome string
	mark    string // of an answer of replay
	from    string // the recorded exchange that served
	miss    *match.Miss
	told    []string // of callbacks that were compared: what they tell
	held    bool     // of a miss: the tape holds the answer that the stand-in gives
	diffs   []oracleDiff
	got     *oracleAnswer
	want    *oracleAnswer
}

// oracleAside is the outcome of what is no request to replay: a pause, a visit that does not pass
// the deck.
const oracleAside = "aside"

// bad reports whether an answer is wrong and does not say so.
func (v oracleVerdict) bad() bool { return v.outcome == "wrong" && v.mark == "" }

// oracleRun is a case that was recorded and played.
type oracleRun struct {
	recorded [][]oracleRecorded
	verdicts []oracleVerdict // of the live turns, up to the first bad one
	fault    string          // of the harness itself; "" for none
}

// oracleRecorded is a turn of a tape and what was answered; nil if it was dropped.
type oracleRecorded struct {
	turn   oracleTurn
	number int // on the tape; 0 if it is not there
	answer *oracleAnswer
}

// wrong returns the verdict that is bad, which is the last if there is one.
func (r *oracleRun) wrong() *oracleVerdict {
	if n := len(r.verdicts); n > 0 && r.verdicts[n-1].bad() {
		return &r.verdicts[n-1]
	}
	return nil
}

// record plays the tapes to fresh sandboxes and returns the cassettes.
func (c *oracleCase) record(t testing.TB) ([]match.Cassette, [][]oracleRecorded) {
	t.Helper()
	var cassettes []match.Cassette
	var all [][]oracleRecorded
	stage := &oracleStage{now: c.recorded, day: c.recorded, tick: c.recTick}
	for n, turns := range c.tapes {
		rec := &oracleRecorder{
			standIn: newStandIn(oracleSandbox, c.seed*7+uint64(n), stage.Now, c.calls), now: stage.Now,
		}
		values := oracleValues{}
		var told []oracleRecorded
		for _, turn := range turns {
			if pause, ok := turn.step.waits(); ok {
				rec.pass(pause, stage)
				told = append(told, oracleRecorded{turn: turn})
				continue
			}
			stage.now = stage.now.Add(stage.tick)
			r, ok := stage.request(values, turn)
			if !ok {
				told = append(told, oracleRecorded{turn: turn})
				continue
			}
			if turn.step.broken {
				rec.breakDown(r)
				told = append(told, oracleRecorded{turn, len(rec.xs), &oracleAnswer{code: 503}})
				continue
			}
			var side oracleSide = rec
			if turn.step.off {
				side = rec.standIn
			}
			number := len(rec.xs) + 1
			answer, _ := side.ask(r, turn.by)
			values.keep(turn, turn.step.kept(answer))
			one := oracleRecorded{turn: turn, answer: answer}
			if !turn.step.off {
				one.number = number
			} else if c.calls != "" {
				rec.record(answer.calls)
			}
			told = append(told, one)
		}
		xs := rec.xs
		if c.clean {
			xs = cleanOracle(t, xs)
		}
		if at := c.lost(told, xs); at != nil {
			xs = slices.Delete(slices.Clone(xs), at.number-1, at.number)
			at.number = 0
		}
		if c.quiet {
			xs = c.stabilised(t, xs)
		}
		cassettes = append(cassettes, match.Cassette{Name: string(rune('t' + n)), Exchanges: xs})
		all = append(all, told)
	}
	return cassettes, all
}

// lost returns the write that a tape does not have, or nil. A lost read would be another matter, and so
// would a login: what they alone would have shown, nothing on a tape can tell.
func (c *oracleCase) lost(told []oracleRecorded, xs []*leaf.Exchange) *oracleRecorded {
	var writes []*oracleRecorded
	for i := range told {
		r := &told[i]
		shows := r.turn.step.reads() || r.turn.step.broken || strings.HasSuffix(r.turn.step.call, " login")
		if r.number > 0 && !shows && xs[r.number-1].Method != "GET" {
			writes = append(writes, r)
		}
	}
	if c.lose == 0 || len(writes) == 0 {
		return nil
	}
	return writes[c.lose%len(writes)]
}

// run records the case and plays it to replay, beside a fresh stand-in.
func (c *oracleCase) run(t testing.TB) (run *oracleRun) {
	t.Helper()
	cassettes, recorded := c.record(t)
	run = &oracleRun{recorded: recorded}
	defer func() {
		if why := recover(); why != nil {
			run.fault = fmt.Sprintf("panic: %v\n%s", why, debug.Stack())
		}
	}()
	stage := c.stage()
	deckNow := stage.Now
	if c.deckZone != nil {
		deckNow = func() time.Time { return stage.now.In(c.deckZone) }
	}
	c.lockstep(stage, newOracleReplay(t, deckNow, cassettes...), run)
	return run
}

// runItself plays the case to a fresh stand-in in the place of replay.
func (c *oracleCase) runItself(t testing.TB) *oracleRun {
	t.Helper()
	plain := *c
	plain.clean = false
	_, recorded := plain.record(t)
	run, stage := &oracleRun{recorded: recorded}, c.stage()
	c.lockstep(stage, newStandIns(c.seed+77, stage.Now, c.calls), run)
	return run
}

func (c *oracleCase) stage() *oracleStage {
	return &oracleStage{now: c.played, day: c.played, tick: c.liveTick}
}

// lockstep sends each turn to the judged side first, and then to two fresh stand-ins, with the
// values that each side's own answers brought. It ends after a wrong answer without a mark:
// whatever follows would be judged by it.
//
// A write that replay misses is not sent to the stand-ins: as far as they know it never happened.
// Turns that need its values are dropped on all sides.
func (c *oracleCase) lockstep(stage *oracleStage, judged oracleSide, run *oracleRun) {
	one := newStandIns(c.seed+50_000, stage.Now, c.calls)
	two := newStandIns(c.seed+60_000, stage.Now, c.calls)
	sides := [3]oracleSide{judged, one, two}
	values := [3]oracleValues{{}, {}, {}}
	pairs := map[string]*oracleBijection{} // by session
	var unseen []oracleGap
	called := map[*oracleActor]time.Time{}
	patterns := patternsOn(run.recorded)
	_, everywhere := judged.(*standIns) // also what does not pass the deck gets there
	late := c.calls != "" && slices.ContainsFunc(c.live, func(t oracleTurn) bool { return t.step.off })
	owed := map[string]*oracleTriple{} // by session, what all sides have told, if the order is open
	defer func() { c.settle(stage, sides, pairs, owed, run) }()
	for _, turn := range c.live {
		v := oracleVerdict{turn: turn, outcome: oracleAside}
		if pause, ok := turn.step.waits(); ok || turn.step.broken {
			v.told, v.diffs = c.pass(pause, stage, sides, pairs)
			if len(v.diffs) > 0 && !run.unsure() {
				v.outcome, v.got, v.want = "wrong", &oracleAnswer{}, &oracleAnswer{}
			}
			run.verdicts = append(run.verdicts, v)
			if v.bad() {
				return
			}
			continue
		}
		stage.now = stage.now.Add(stage.tick)
		if !turn.step.off {
			v.outcome = "dropped"
		}
		var requests [3]oracleRequest
		var known [3]bool
		for i := range sides {
			requests[i], known[i] = stage.request(values[i], turn)
		}
		if turn.step.off && !everywhere {
			known[0] = known[1]
		}
		if known[1] != known[2] || known[0] != known[1] {
			run.fault = fmt.Sprintf("%s: the sides know different values: %v", turn.step.call, known)
			return
		}
		if !known[1] {
			run.verdicts = append(run.verdicts, v)
			continue
		}
		if turn.step.off {
			unseen = append(unseen, oracleGap{stage.now, called[turn.by]})
			for i := range sides {
				if i == 0 && !everywhere {
					continue
				}
				answer, _ := sides[i].ask(requests[i], turn.by)
				values[i].keep(turn, turn.step.kept(answer))
				owe(owed, turn.by.session, i, answer)
			}
			run.verdicts = append(run.verdicts, v)
			continue
		}
		called[turn.by] = stage.now
		if v.got, v.miss = sides[0].ask(requests[0], turn.by); v.miss != nil {
			v.outcome = "miss"
			v.want = one.would(requests[1], turn.by)
			v.held = run.holds(turn, v.want, two.would(requests[2], turn.by), stage.now)
			if turn.step.reads() {
				_, _ = one.ask(requests[1], turn.by)
				_, _ = two.ask(requests[2], turn.by)
			}
			run.verdicts = append(run.verdicts, v)
			continue
		}
		v.mark, v.from = v.got.mark, v.got.from
		var other *oracleAnswer
		v.want, _ = sides[1].ask(requests[1], turn.by)
		other, _ = sides[2].ask(requests[2], turn.by)
		if pairs[turn.by.session] == nil {
			pairs[turn.by.session] = newOracleBijection(patterns)
		}
		v.diffs = pairs[turn.by.session].compare(
			oracleTriple{v.got, v.want, other, turn.step.issues(), stage.now, unseen, false})
		for i, a := range []*oracleAnswer{v.got, v.want, other} {
			if late {
				owe(owed, turn.by.session, i, a)
			}
		}
		if c.calls != "" && !late && len(v.diffs) == 0 {
			v.told, v.diffs = pairs[turn.by.session].callbacks(oracleTriple{
				got: v.got, want: v.want, other: other, now: stage.now, unseen: unseen,
			})
		}
		if v.outcome = "right"; len(v.diffs) > 0 {
			v.outcome = "wrong"
		}
		run.verdicts = append(run.verdicts, v)
		if v.bad() {
			return
		}
		run.fault = keepAll(turn, v, values, [3]*oracleAnswer{v.got, v.want, other})
		if run.fault != "" {
			return
		}
	}
}

// unsure reports whether some answer was missed or marked.
func (r *oracleRun) unsure() bool {
	return slices.ContainsFunc(r.verdicts, func(v oracleVerdict) bool {
		return v.miss != nil || v.mark != ""
	})
}

// keepAll notes what a turn keeps on all sides. What is there on some of them alone is kept on
// none, which may be only where the answers differ.
func keepAll(
	turn oracleTurn, v oracleVerdict, values [3]oracleValues, answers [3]*oracleAnswer,
) (fault string) {
	var found [3]map[string]string
	for i, a := range answers {
		found[i] = turn.step.kept(a)
	}
	for pair := range strings.FieldsSeq(turn.step.keep) {
		name, _, _ := strings.Cut(pair, "=")
		there := 0
		for i := range found {
			if found[i][name] != "" {
				there++
			}
		}
		if there != 0 && there != 3 {
			if v.outcome == "right" {
				fault = turn.step.call + ": congruent answers, but not all have " + name
			}
			for i := range found {
				delete(found[i], name)
				delete(values[i], values[i].key(turn.by, name))
			}
		}
	}
	for i := range values {
		values[i].keep(turn, found[i])
	}
	return fault
}

// oracleInput is a field of a form on a page.
var oracleInput = regexp.MustCompile(`<input[^>]* name="([^"]*)" value="([^"]*)"`)

// value finds a value in an answer: by a gjson path, "form.NAME" for a field of the form on a
// page, "location" for the header.
func (a *oracleAnswer) value(path string) string {
	if path == "location" {
		return a.location
	}
	if name, ok := strings.CutPrefix(path, "form."); ok {
		for _, m := range oracleInput.FindAllStringSubmatch(a.body, -1) {
			if m[1] == name {
				return html.UnescapeString(m[2])
			}
		}
		return ""
	}
	if !gjson.Valid(a.body) {
		return ""
	}
	return gjson.Get(a.body, path).String()
}
