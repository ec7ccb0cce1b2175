package mock_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/mock"
)

// play has a client play all checkouts at a fresh server.
func play(t *testing.T, a mock.API, seed uint64, change func(*mock.Client)) mock.Transcript {
	t.Helper()
	shop := mock.NewShop()
	defer shop.Close()
	api := a.New(mock.Options{Seed: seed, Webhook: func() string { return shop.URL }})
	defer api.Close()
	srv := httptest.NewServer(api)
	defer srv.Close()
	c := &mock.Client{API: a, Base: srv.URL, HTTP: srv.Client(), Run: "run", Shop: shop}
	if change != nil {
		change(c)
	}
	return c.Play(a.Checkouts...)
}

// What a client sees is the same at every server and in every run, apart from ids and dates.
func TestTranscriptsAgree(t *testing.T) {
	t.Parallel()
	for _, a := range mock.APIs {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			first := play(t, a, 1, nil)
			again := play(t, a, 2, func(c *mock.Client) { c.Run = "w7q2" })
			if diff := cmp.Diff(first, again); diff != "" {
				t.Errorf("the two runs differ (-first +again):\n%s", diff)
			}
			if d := mock.Compare(first, again); len(d) > 0 {
				t.Errorf("Compare says otherwise: %v", d)
			}
		})
	}
}

// Each API answers otherwise to what is done otherwise, and says so in its transcript: what a client
// sees of one checkout is seen of no other.
func TestCheckoutsDiffer(t *testing.T) {
	t.Parallel()
	for _, a := range mock.APIs {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			seen := map[string]string{}
			text := map[string]string{}
			for _, s := range play(t, a, 1, nil) {
				name := s.Checkout
				s.Checkout = ""
				text[name] += s.String() + "\n"
			}
			for name, all := range text {
				if other := seen[all]; other != "" {
					t.Errorf("%q and %q look alike", name, other)
				}
				seen[all] = name
			}
			if len(text) != len(a.Checkouts) {
				t.Errorf("%d checkouts were seen of %d", len(text), len(a.Checkouts))
			}
		})
	}
}

// Compare notices a value that is not what it was, one that has another look, and a client that is
// given no answer.
func TestCompare(t *testing.T) {
	t.Parallel()
	want := play(t, mock.APIs[0], 1, nil)
	for _, test := range []struct {
		name          string
		change        func(mock.Transcript) mock.Transcript
		missed, wrong int
	}{
		{"nothing", func(got mock.Transcript) mock.Transcript { return got }, 0, 0},
		{"a status", func(got mock.Transcript) mock.Transcript {
			got[1].Status = 500
			return got
		}, 0, 1},
		{"an id of another thing", func(got mock.Transcript) mock.Transcript {
			got[2].Body = strings.Replace(got[2].Body, "<charge 1>", "<charge 2>", 1)
			return got
		}, 0, 1},
		{"a marked answer", func(got mock.Transcript) mock.Transcript {
			got[1].Status, got[1].Mark = 500, "assumed=card"
			return got
		}, 0, 0},
		{"a mark alone", func(got mock.Transcript) mock.Transcript {
			got[1].Mark = "ambiguous"
			return got
		}, 0, 0},
		{"a miss, which ends its checkout", func(got mock.Transcript) mock.Transcript {
			got[1].Miss = "field"
			return append(got[:2:2], got[3:]...)
		}, 1, 0},
		{"an answer less", func(got mock.Transcript) mock.Transcript { return got[:len(got)-1] }, 0, 1},
	} {
		got := test.change(append(mock.Transcript(nil), want...))
		missed, wrong := 0, 0
		for _, d := range mock.Compare(want, got) {
			if d.Missed {
				missed++
			}
			if d.Wrong() {
				wrong++
			}
		}
		if missed != test.missed || wrong != test.wrong {
			t.Errorf("%s: %d missed and %d wrong, want %d and %d", test.name, missed, wrong,
				test.missed, test.wrong)
		}
	}
}

// A shop that does not take what it is told is told again.
func TestWebhooksAreRepeated(t *testing.T) {
	t.Parallel()
	a, _ := mock.Named("webhooks")
	got := play(t, a, 1, func(c *mock.Client) {
		c.Shop.Status = 503
		c.API.Checkouts = nil
		c.Patience = 10 * time.Second
	})
	told := 0
	for _, s := range got {
		if strings.HasPrefix(s.Call, "webhook ") && s.Status == 503 &&
			strings.HasPrefix(s.Body, "signed: ") {
			told++
		}
	}
	if told < 3 {
		t.Errorf("a shop that refuses was told %d times, want 3 or more", told)
	}
}

// A server does not take what its documents refuse.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, a := range mock.APIs {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			refused := 0
			for _, s := range play(t, a, 3, nil) {
				if s.Status >= 400 || strings.Contains(s.Body, `<result code="1`) ||
					strings.Contains(s.Body, `<result code="2`) {
					refused++
				}
			}
			if refused < 2 {
				t.Errorf("%d calls were refused, want some: an unknown id, and a wrong state", refused)
			}
		})
	}
}
