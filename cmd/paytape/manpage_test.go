package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// plain makes text of roff, as far as our pages use it: names of fonts and marks go.
func plain(roff []byte) string {
	return strings.NewReplacer(`\\`, `\`, `\fB`, "", `\fI`, "", `\fP`, "", `\fR`, "", `\&`, "", `\-`, "-",
		`\(ti`, "~", `\(rs`, `\`, `\(ha`, "^").Replace(string(roff))
}

// TestManualPages wants of every page what help tells of its command: each flag with its name in
// the environment, and each example as it is typed.
func TestManualPages(t *testing.T) {
	t.Parallel()
	pages := map[string]manualPage{}
	all, err := manualPages(testRoot())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.section == 1 {
			pages[p.name] = p
		} else if !strings.Contains(string(p.roff), "\n.SH NAME\n"+p.name) {
			t.Errorf("page %s has no name", p.name)
		}
	}
	for _, cmd := range everyCommand(testRoot()) {
		p, ok := pages[manualName(cmd)]
		if !ok {
			t.Errorf("%s has no page", cmd.CommandPath())
			continue
		}
		text := plain(p.roff)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return // it is there to say why it cannot be given
			}
			if !strings.Contains(text, "--"+f.Name) || isSetting(f) && !strings.Contains(text, variable(f.Name)) {
				t.Errorf("page %s does not tell of --%s", p.name, f.Name)
			}
		})
		for line := range strings.Lines(cmd.Example) {
			if !strings.Contains(text, strings.TrimSpace(line)) {
				t.Errorf("page %s has not the example %q", p.name, line)
			}
		}
	}
}

// TestManualPagesAreEqual makes all pages twice.
func TestManualPagesAreEqual(t *testing.T) {
	t.Parallel()
	one, err := manualPages(testRoot())
	if err != nil {
		t.Fatal(err)
	}
	two, err := manualPages(testRoot())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(one, two, cmp.AllowUnexported(manualPage{})); diff != "" {
		t.Errorf("(-one +two):\n%s", diff)
	}
}

// TestManualPage compares a page with a golden file. Its title line tells the version, and is left out.
func TestManualPage(t *testing.T) {
	t.Parallel()
	cmd, _, err := testRoot().Find([]string{"check"})
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(commandManual(cmd)), ".TH ")
	_, text, _ = strings.Cut(text, "\n")
	golden(t, filepath.Join("testdata", "man", "paytape-check.1"), text)
}

// FuzzLiteral has Markdown made of any text mean the text.
func FuzzLiteral(f *testing.F) {
	f.Add(`--data '$PAN=*' <a_b_c> [x](y) ~ "q" http://127.0.0.1:8080/~NAME/`)
	f.Add("1. one\n- two\n# three\n: four | five")
	f.Add("PAYTAPE_<FLAG> & `WORD` \\ ^")
	f.Add("TAPE & `WORD` \\&")
	f.Fuzz(func(t *testing.T, text string) {
		if !regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`).MatchString(text) {
			t.Skip() // help is printable ASCII, a line at a time
		}
		got := plain(md2man.Render([]byte("# NAME\nx" + literal(text) + "x\n")))
		want := regexp.MustCompile(` +`).ReplaceAllString("x"+text+"x", " ")
		if !strings.Contains(regexp.MustCompile(` +`).ReplaceAllString(got, " "), want) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
