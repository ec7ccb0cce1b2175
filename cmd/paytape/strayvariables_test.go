package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStrays(t *testing.T) {
	t.Parallel()
	got := unknownVariables(testRoot(), []string{
		"PAYTAPE_LISTEN=a", "PAYTAPE_LISTNE=s3cret", "PAYTAPE_URL=http://127.0.0.1:1", "HOME=/",
		"PAYTAPE_=", "PAYTAPE_WHATEVER_ELSE=1", "PAYTAPE_CALLBACK_ALIAS=k", "PAYTAPE_HELP=1",
	})
	want := []string{
		"PAYTAPE_ is the name of no setting",
		"PAYTAPE_HELP is the name of no setting: PAYTAPE_KEEP is",
		"PAYTAPE_LISTNE is the name of no setting: PAYTAPE_LISTEN is",
		"PAYTAPE_WHATEVER_ELSE is the name of no setting",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
