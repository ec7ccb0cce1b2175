package deck

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
)

// watched are rules files that a test saves and polls by hand.
type watched struct {
	*ruleFiles
	t    testing.TB
	dir  string
	told []string
	at   time.Time // of the last save: each has another
}

// newWatched returns the rules of two files: a.yaml has the text, and b.yaml one rule "b".
func newWatched(t testing.TB, text string) *watched {
	t.Helper()
	k, err := NewKnowledge(KnowledgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, dir: t.TempDir(), at: time.Unix(1_800_000_000, 0)}
	w.save("a.yaml", text)
	w.save("b.yaml", "rules: [{name: b, then: {status: 500}}]")
	w.ruleFiles = &ruleFiles{
		names:    []string{filepath.Join(w.dir, "a.yaml"), filepath.Join(w.dir, "b.yaml")},
		profiles: k.profiles, engine: rules.New(rules.Options{Profiles: k.profiles, Seed: 1}),
	}
	w.tell = func(note proxy.Note, text string) {
		what := map[proxy.Note]string{
			proxy.NoteRulesRead: "read", proxy.NoteRulesBroken: "broken", proxy.NoteRewriteWaits: "waits",
		}[note]
		text = strings.ReplaceAll(text, w.dir+string(filepath.Separator), "")
		w.told = append(w.told, strings.TrimSpace(what+" "+text))
	}
	if w.read, err = readRules(k.profiles, w.names); err != nil {
		t.Fatal(err)
	}
	w.rewrite = w.read.rewrite
	if err := w.engine.Set(rules.FromFile, w.read.files...); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *watched) save(name, text string) {
	w.t.Helper()
	file := filepath.Join(w.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.at = w.at.Add(time.Second)
	if err := os.Chtimes(file, w.at, w.at); err != nil {
		w.t.Fatal(err)
	}
}

// inForce returns the names of the rules in force.
func (w *watched) inForce() string {
	var all []string
	for _, s := range w.engine.Report() {
		all = append(all, s.Name)
	}
	return strings.Join(all, " ")
}

func oneRule(name string) string {
	return fmt.Sprintf("rules:\n- {name: %s, then: {status: 500}}", name)
}

func TestChangedRulesAreReadAgain(t *testing.T) {
	t.Parallel()
	w := newWatched(t, oneRule("a"))
	for _, step := range []struct {
		name  string
		do    func()
		force string
		told  []string
	}{
		{"nothing has changed", func() {}, "a b", nil},
		{"a rule more", func() { w.save("a.yaml", oneRule("a")+"\n- {name: c, then: {drip: 1s}}") },
			"a c b", []string{"read 3 rules"}},
		{"the same text saved again", func() { w.save("b.yaml", "rules: [{name: b, then: {status: 500}}]") },
			"a c b", nil},
		{"a mistake", func() { w.save("a.yaml", "rules:\n- {name: a, them: {status: 500}}") }, "a c b",
			[]string{`broken a.yaml:2:3: expected the key "then", found none; ` +
				`a.yaml:2:13: unknown key "them": did you mean "then"?`}},
		{"the mistake saved again", func() { w.save("a.yaml", "rules:\n- {name: a, them: {status: 500}}") },
			"a c b", nil},
		{"half of a file", func() { w.save("a.yaml", "rules:\n- {name: a, then: {sta") }, "a c b",
			[]string{"broken a.yaml:2:1: expected YAML: did not find expected ',' or '}'"}},
		{"nothing of a file", func() { w.save("a.yaml", "\n") }, "a c b",
			[]string{`broken a.yaml:1:1: expected rules, found an empty file: write "rules: []" for none`}},
		{"a name of another file", func() { w.save("a.yaml", oneRule("b")) }, "a c b",
			[]string{`broken b.yaml:1:1: expected each name once`}},
		{"no file", func() { _ = os.Remove(filepath.Join(w.dir, "a.yaml")) }, "a c b",
			[]string{"broken reading rules: open a.yaml:"}},
		{"no rules", func() { w.save("a.yaml", "rules: []") }, "b", []string{"read 1 rule"}},
		{"rows for fields", func() {
			w.save("a.yaml", "rewrite: {register.do: {response: {formUrl: keep}}}")
		}, "b", []string{"read 1 rule", "waits"}},
		{"the same rows", func() {
			w.save("a.yaml", oneRule("a")+"\nrewrite: {register.do: {response: {formUrl: keep}}}")
		}, "a b", []string{"read 2 rules"}},
	} {
		w.told = nil
		step.do()
		w.poll()
		if len(w.told) > 0 {
			t.Errorf("%s: read at the first look: somebody may be writing", step.name)
		}
		w.poll()
		w.poll()
		if got := w.inForce(); got != step.force {
			t.Errorf("%s: in force %q, want %q", step.name, got, step.force)
		}
		ok := len(w.told) == len(step.told)
		for i := range w.told {
			ok = ok && strings.HasPrefix(w.told[i], step.told[i])
		}
		if !ok {
			t.Errorf("%s (-want +got):\n%s", step.name, cmp.Diff(step.told, w.told))
		}
	}
}

// The body of an answer is a file too: it lies beside its rules file, and is watched.
func TestBodiesInFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"inner/page.html": "<p>down</p>", "outside.html": "<p>secret</p>",
		"inner/good.yaml": "rules: [{name: a, then: {answer: {status: 503, file: page.html}}}]",
		"inner/bad.yaml":  "rules: [{name: a, then: {answer: {status: 503, file: ../outside.html}}}]",
		"inner/none.yaml": "rules: [{name: a, then: {answer: {status: 503, file: none.html}}}]",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k, err := NewKnowledge(KnowledgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	read, err := readRules(k.profiles, []string{filepath.Join(inner, "good.yaml")})
	if err != nil || len(read.stamps) != 2 || read.stamps[1].name != filepath.Join(inner, "page.html") {
		t.Errorf("%d files are watched, and error %v", len(read.stamps), err)
	}
	for name, want := range map[string]string{"bad.yaml": "escapes", "none.yaml": "no such file"} {
		_, err := readRules(k.profiles, []string{filepath.Join(inner, name)})
		if err == nil || !strings.Contains(err.Error(), name+":1:54: reading the body: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
}

// A file that has changed is read at the second look after that.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t, oneRule("a"))
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.watch(t.Context())
		}()
		w.save("a.yaml", oneRule("c"))
		time.Sleep(pollInterval + time.Millisecond)
		synctest.Wait()
		if got := w.inForce(); got != "a b" {
			t.Errorf("after one look: %s", got)
		}
		time.Sleep(pollInterval)
		synctest.Wait()
		if got := w.inForce(); got != "c b" {
			t.Errorf("after two looks: %s", got)
		}
	})
}

// What one deck does to fields is nothing to another that was given the same Knowledge.
func TestRowsOfRulesAreOfOneDeck(t *testing.T) {
	t.Parallel()
	k, err := NewKnowledge(KnowledgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "run.yaml")
	text := "rewrite: {getOrderStatusExtended.do: {response: {authRefNum: keep, note: 'minted note'}}}"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprint(k.profiles.Rows())
	with, files, err := k.WithRules(file)
	if err != nil || with == k || len(files) != 1 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	if after := fmt.Sprint(k.profiles.Rows()); after != before {
		t.Error("the profiles of others have changed")
	}
	written := 0
	for _, r := range with.profiles.Rows() {
		if r.Origin.File == file {
			written++
		}
	}
	if written != 2 {
		t.Errorf("%d rows of the file are in force", written)
	}
	same, _, err := with.WithRules(file)
	if err != nil || same != with {
		t.Errorf("the same rows make another Knowledge, error %v", err)
	}
}
