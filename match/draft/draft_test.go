package draft_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/mock"
	"github.com/paytape/paytape/internal/mock/trial"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/draft"
	"github.com/paytape/paytape/match/fit"
	"github.com/paytape/paytape/match/tape"
)

var update = flag.Bool("update", false, "write the golden files anew")

// textOf returns the draft of a tape.
func textOf(t *testing.T, from *trial.Tape) []byte {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	text, err := draft.Write(set, tape.Cassette{Name: from.Name, Exchanges: from.Exchanges()})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// drafted writes the draft of a tape into a file, and returns its name.
func drafted(t *testing.T, from *trial.Tape) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), from.Name+".yaml")
	if err := os.WriteFile(file, textOf(t, from), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The drafts of the five APIs stand in testdata. Two recordings of one suite have one draft.
func TestDrafts(t *testing.T) {
	t.Parallel()
	for _, a := range mock.APIs {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			got := textOf(t, trial.Record(t, a, trial.Options{}))
			again := textOf(t, trial.Record(t, a, trial.Options{Change: func(c *mock.Client) { c.Run = "other" }}))
			if diff := cmp.Diff(string(got), string(again)); diff != "" {
				t.Errorf("a second recording has another draft (-first +second):\n%s", diff)
			}
			fits(t, a.Name, got)
			golden := filepath.Join("testdata", a.Name+".yaml")
			if *update {
				if err := os.WriteFile(golden, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("the draft is another (-want +got):\n%s", diff)
			}
		})
	}
}

// fits wants a draft that has no mistake.
func fits(t *testing.T, name string, text []byte) {
	t.Helper()
	p, err := profile.Parse(name+".yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Add(p); err != nil {
		t.Fatal(err)
	}
	if found := fit.File(set, p); len(found) > 0 {
		t.Errorf("the draft has mistakes: %v", found)
	}
}

// A tape of calls that profiles know has no draft, and an empty tape has none.
func TestNothingToDraft(t *testing.T) {
	t.Parallel()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	known := &leaf.Exchange{}
	known.Method, known.URL, known.Code = "POST", "https://sandbox.example/payment/rest/register.do", 200
	for _, all := range [][]*leaf.Exchange{nil, {known}} {
		text, err := draft.Write(set, tape.Cassette{Name: "tape", Exchanges: all})
		if !errors.Is(err, draft.ErrKnown) || text != nil {
			t.Errorf("got a draft of %d bytes and %v", len(text), err)
		}
	}
}

// A client is told with the draft what it is told without a profile, in whatever order it plays and
// whatever it does that is on no tape; and with a tape that was recorded with the draft.
func TestDraftsReplayAsWell(t *testing.T) {
	t.Parallel()
	for _, a := range mock.APIs {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			from := trial.Record(t, a, trial.Options{})
			file := drafted(t, from)
			again := trial.Record(t, a, trial.Options{Profiles: []string{file}})
			for name, checkouts := range map[string][]mock.Checkout{
				"the suite": a.Checkouts, "other things": a.Others,
			} {
				shapeless := func(c *mock.Client) { c.Shapeless = true }
				none := from.Replay(trial.Options{Checkouts: checkouts, Change: shapeless})
				for how, tape := range map[string]*trial.Tape{"its tape": from, "a tape of its own": again} {
					with := tape.Replay(trial.Options{
						Checkouts: checkouts, Change: shapeless, Profiles: []string{file},
					})
					for _, d := range mock.Compare(none.Saw, with.Saw) {
						better := d.Want.Miss != "" || d.Want.Mark != "" && d.Got.Mark == "" && d.Got.Miss == ""
						if !better && d.Want.Call != "" { // than a miss, or than what is marked
							t.Errorf("%s, with %s: %s", name, how, d)
						}
					}
					if wrong := with.Wrong(); len(wrong) > 0 {
						t.Errorf("%s, with %s: %v", name, how, wrong)
					}
					wasMissed, wasMarked := none.Saw.Count()
					missed, marked := with.Saw.Count()
					if missed > wasMissed || marked > wasMarked {
						t.Errorf("%s, with %s: %d misses and %d marks, without a profile %d and %d",
							name, how, missed, marked, wasMissed, wasMarked)
					}
				}
			}
		})
	}
}
