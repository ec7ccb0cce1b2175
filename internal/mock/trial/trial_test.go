package trial_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/mock"
	"github.com/paytape/paytape/internal/mock/trial"
)

// written returns the name of a file with the profile that a person has written of an API.
func written(t *testing.T, a mock.API) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), a.Name+".yaml")
	if err := os.WriteFile(file, []byte(a.Profile), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// eachAPI runs a test for each of the five.
func eachAPI(t *testing.T, test func(*testing.T, mock.API)) {
	t.Helper()
	t.Parallel()
	for _, a := range mock.APIs {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			test(t, a)
		})
	}
}

// shapeless is for replays without a profile, which cannot know how a token looks that is withheld.
func shapeless(c *mock.Client) { c.Shapeless = true }

// With a profile by hand a replay shows what a fresh API shows, whether the tape was recorded with the
// profile or not.
func TestWrittenProfiles(t *testing.T) {
	eachAPI(t, func(t *testing.T, a mock.API) {
		o := trial.Options{Profiles: []string{written(t, a)}}
		for name, tape := range map[string]*trial.Tape{
			"recorded with it":    trial.Record(t, a, o),
			"recorded without it": trial.Record(t, a, trial.Options{}),
		} {
			out := tape.Replay(o)
			for _, d := range out.Differences {
				t.Errorf("%s: %s", name, d)
			}
			if len(out.Saw) == 0 || out.Summary.Hits == 0 {
				t.Errorf("%s: nothing was played", name)
			}
		}
	})
}

// Without a profile, what is answered is right.
func TestNoProfile(t *testing.T) {
	eachAPI(t, func(t *testing.T, a mock.API) {
		out := trial.Record(t, a, trial.Options{}).Replay(trial.Options{Change: shapeless})
		for _, d := range out.Wrong() {
			t.Errorf("%s", d)
		}
		if n, _ := out.Saw.Count(); n != 0 {
			t.Errorf("%d misses", n)
		}
	})
}

// Whatever a client does that is not on tape, it is told what a fresh API tells, or that the tape does
// not know, or that the answer is not certain.
func TestVariations(t *testing.T) {
	backwards := func(all []mock.Checkout) []mock.Checkout {
		all = slices.Clone(all)
		slices.Reverse(all)
		return all
	}
	twice := func(all []mock.Checkout) []mock.Checkout { return slices.Concat(all, all) }
	polls := func(c *mock.Client) { c.Polls = 3 }
	short := func(c *mock.Client) { c.Short = true }
	eachAPI(t, func(t *testing.T, a mock.API) {
		profile := written(t, a)
		bare := trial.Record(t, a, trial.Options{})
		known := trial.Record(t, a, trial.Options{Profiles: []string{profile}})
		for _, test := range []struct {
			name      string
			checkouts []mock.Checkout
			change    func(*mock.Client)
		}{
			{"backwards", backwards(a.Checkouts), nil},
			{"twice", twice(a.Checkouts), nil},
			{"polling", nil, polls},
			{"short references", nil, short},
			{"other things", a.Others, nil},
		} {
			for name, tape := range map[string]*trial.Tape{"none": bare, "written": known} {
				o := trial.Options{Checkouts: test.checkouts, Change: func(c *mock.Client) {
					if c.Shapeless = tape == bare; test.change != nil {
						test.change(c)
					}
				}}
				if tape == known {
					o.Profiles = []string{profile}
				}
				for _, d := range tape.Replay(o).Wrong() {
					t.Errorf("%s, profile %s: %s", test.name, name, d)
				}
			}
		}
	})
}

// A token that the API issues is another for each client, and never what stands on tape.
func TestTokensAreFresh(t *testing.T) {
	t.Parallel()
	a, _ := mock.Named("tokens")
	for _, o := range []trial.Options{{}, {Profiles: []string{written(t, a)}}} {
		tape := trial.Record(t, a, o)
		seen := map[string]bool{}
		o.Change = func(c *mock.Client) {
			c.Shapeless = len(o.Profiles) == 0
			c.Heard = func(body string) {
				for _, key := range []string{"card_token", "token"} {
					token := gjson.Get(body, key).String()
					if token == "" || gjson.Get(body, "used").Exists() { // it is not issued here
						continue
					}
					if seen[token] || strings.Contains(token, "REDACTED") {
						t.Errorf("a token is served twice, or as it stands on tape")
					}
					seen[token] = true
				}
			}
		}
		o.Checkouts = slices.Concat(a.Checkouts, a.Others)
		told := strings.Join(tape.Replay(o).Told, "\n")
		for token := range seen {
			if strings.Contains(told, token) {
				t.Error("a live token is told in an event")
			}
		}
		if !strings.Contains(told, "REDACTED-token") {
			t.Error("no event tells of a token")
		}
		if len(seen) < 8 { // the fresh API counts too
			t.Errorf("only %d tokens were seen", len(seen))
		}
		for token := range seen {
			b, err := os.ReadFile(tape.File())
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(b), token) {
				t.Error("a live token stands on tape")
			}
		}
	}
}
