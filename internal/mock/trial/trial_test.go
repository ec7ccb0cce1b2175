package trial_test

import (
	"os"
	"path/filepath"
	"testing"

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

// With a profile by hand a replay shows what a fresh API shows.
func TestWrittenProfiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"webhooks", "numbers"} {
		a, _ := mock.Named(name)
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			o := trial.Options{Profiles: []string{written(t, a)}}
			out := trial.Record(t, a, o).Replay(o)
			for _, d := range out.Differences {
				t.Errorf("%s", d)
			}
			if len(out.Saw) == 0 || out.Summary.Hits == 0 {
				t.Error("nothing was played")
			}
		})
	}
}
