package match_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
)

// notes is an API whose ids grow.
const notes = `# paytape profile 1
profile: notes
paths: [/notes/]
entities:
  note: {names: [note]}
operations:
  POST /notes:
    methods: [POST]
    path: /notes/new
    carrier: json
    writes: true
    request: {text: "client shared text"}
    response: {note: minted note}
`

// counted returns a replay of orders, and of notes with ids that grow.
func counted(t *testing.T) *many {
	t.Helper()
	p, err := profile.Parse("notes.yaml", []byte(notes))
	if err != nil {
		t.Fatal(err)
	}
	set := ownProfiles(t)
	if err := set.Add(p); err != nil {
		t.Fatal(err)
	}
	xs := append(checkout(), tape(
		`POST /notes/new {"text":"a"} => {"note":"410000001"}`,
		`POST /notes/new {"text":"a"} => {"note":"410000004"}`,
	)...)
	return sessions(t, xs, func(o *match.Options) { o.Profiles = set })
}

// opens makes as many orders and notes, and returns their ids.
func (m *many) opens(name string, n int) []string {
	m.t.Helper()
	var ids []string
	for i := range n {
		m.keep("id", m.must(name, registers(fmt.Sprint("B-", i))), `"orderId":"`)
		ids = append(ids, m.ids["id"])
		m.keep("id", m.must(name, `POST /notes/new {"text":"a"}`), `"note":"`)
		ids = append(ids, m.ids["id"])
	}
	return ids
}

// TestIDsAreNewAfterResets counts ids that come once more. With a seed a session would make the same
// values again after each reset.
func TestIDsAreNewAfterResets(t *testing.T) {
	m := counted(t)
	seen := map[string]bool{}
	for reset := range 5 {
		for _, name := range []string{"", "one", "two"} {
			for _, id := range m.opens(name, 100) {
				if seen[id] {
					t.Errorf("after %d resets session %q gives %s once more", reset, name, id)
				}
				seen[id] = true
			}
		}
		m.sessions.Reset()
	}
}

// TestValuesAfterAReset has two replays do different things before a reset: with the same seed they
// make the same ids after it, which no client sees twice.
func TestValuesAfterAReset(t *testing.T) {
	busy, quiet := sessions(t, checkout()), sessions(t, checkout())
	for i := range 10 {
		busy.must("", registers(fmt.Sprint("B-", i)))
		busy.must("one", registers(fmt.Sprint("B-", i)))
	}
	for _, m := range []*many{busy, quiet} {
		m.sessions.Reset()
	}
	for _, name := range []string{"", "one"} {
		if got, want := busy.must(name, registers("B-1")), quiet.must(name, registers("B-1")); got != want {
			t.Errorf("session %q: %s, want %s", name, got, want)
		}
	}
}

// TestSessionsGoOnFromRemains has sessions of another process, as it were, go on where sessions were
// reset: they answer alike, also where a number grows.
func TestSessionsGoOnFromRemains(t *testing.T) {
	for _, name := range []string{"", "one"} {
		m := counted(t)
		before := m.opens(name, 50)
		m.sessions.Reset()
		other := counted(t)
		other.sessions.Reset()
		if err := other.sessions.Recall(m.sessions.Remains()); err != nil {
			t.Fatal(err)
		}
		want, got := m.opens(name, 50), other.opens(name, 50)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("session %q: other ids:\n%.300v\n%.300v", name, got, want)
		}
		for _, id := range got {
			if slices.Contains(before, id) {
				t.Errorf("session %q: %s is from before the reset", name, id)
			}
		}
	}
	m := sessions(t, checkout())
	for _, broken := range []string{"", "{", `{"Old":"AAAA"}`} {
		if m.sessions.Recall([]byte(broken)) == nil {
			t.Errorf("%q was recalled", broken)
		}
	}
}
