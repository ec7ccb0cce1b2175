package match_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

func TestHints(t *testing.T) {
	order := func(number, id string) string { return registers(number) + registered(id) }
	state := func(id, code string) string {
		return status + id + ` => {"errorCode":"0","orderStatus":` + code + `}`
	}
	refused := strings.Replace(registers("A-0"), "token-1", "token-2", 1) +
		` => {"errorCode":"5","errorMessage":"Access denied"}`
	pays := func(id, card, says string) string {
		return strings.Replace(pay, "4000000000050002", card, 1) + id + ` => {"errorCode":0,"info":"` +
			says + `"}`
	}
	const card = "4000000000050002"
	tests := []struct {
		name      string
		cassettes [][]*leaf.Exchange
		known     match.Credentials
		want      []string // how the hints begin, with what they name
	}{
		{"nothing to tell", [][]*leaf.Exchange{checkout()}, nil, nil},
		{"the same on two cassettes", [][]*leaf.Exchange{checkout(), checkout()}, nil, nil},
		{"a refused login", [][]*leaf.Exchange{tape(refused, order("A-1", oldID))}, nil,
			[]string{"credentials are refused on tape", "register.do (#1)", "--credentials FILE"}},
		{"a refused login, and credentials", [][]*leaf.Exchange{tape(refused, order("A-1", oldID))},
			match.Credentials{{Name: "password", Value: "x"}}, nil},
		{"credentials of which two have no name on tape", [][]*leaf.Exchange{tape(order("A-1", oldID))},
			match.Credentials{{Name: "PASSWORD", Value: "x"}, {Name: "passwrod", Value: "y"},
				{Name: "hunter2", Value: "z"}},
			[]string{"! no request on tape has a field that --credentials names",
				`"passwrod" (did you mean password?)`, "the name of credential 3"}},
		{"credentials for this tape and another", [][]*leaf.Exchange{tape(order("A-1", oldID))},
			match.Credentials{{Name: "password", Value: "x"}, {Name: "X-Vendor-Id", Value: "z"}},
			[]string{"no request on tape has a field", "the name of credential 2"}},
		{"credentials for a tape of nothing", [][]*leaf.Exchange{nil},
			match.Credentials{{Name: "passwrod", Value: "y"}}, nil},
		{"two answers to one call", [][]*leaf.Exchange{tape(
			order("A-1", oldID), pays(oldID, card, "a"), order("A-2", oldID2), pays(oldID2, card, "b"))},
			nil, []string{"! recordings of one request in one state differ", "paymentorder.do (#2, #4)"}},
		{"two cassettes that contradict each other", [][]*leaf.Exchange{
			tape(order("A-1", oldID), pays(oldID, card, "a")),
			tape(order("A-1", oldID), pays(oldID, card, "b"))},
			nil, []string{"! cassettes contradict each other", "paymentorder.do (a#2, b#2)"}},
		{"changes that differ", [][]*leaf.Exchange{tape(
			order("A-1", oldID), state(oldID, "0"), state(oldID, "2"),
			order("A-2", oldID2), state(oldID2, "0"), state(oldID2, "6"))},
			nil, []string{"! changes that no write explains differ", "getOrderStatusExtended.do (#2, #3)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var cs []match.Cassette
			for i, xs := range tt.cassettes {
				cs = append(cs, match.Cassette{Name: string(rune('a' + i)), Exchanges: xs})
			}
			tp := match.Compile(match.Options{Profiles: profiles(t), Credentials: tt.known}, cs...)
			var got []string
			for _, h := range match.Hints(tp) {
				text := h.Text
				if h.Warning {
					text = "! " + text
				}
				got = append(got, text)
			}
			if len(tt.want) == 0 {
				if len(got) > 0 {
					t.Errorf("got %q", got)
				}
				return
			}
			if len(got) != 1 || !strings.HasPrefix(got[0], tt.want[0]) {
				t.Fatalf("got %q, want one that begins with %q", got, tt.want[0])
			}
			for _, part := range tt.want[1:] {
				if !strings.Contains(got[0], part) {
					t.Errorf("it does not say %q: %s", part, got[0])
				}
			}
		})
	}
}

// What many flows change, and was there before the tape, is told with its name.
func TestHintsTellOfFixtures(t *testing.T) {
	const holder = "15ed2858-164d-4bef-9c5f-4c1e6ae75e3f"
	var lines []string
	for _, id := range []string{"1111", "2222", "3333"} {
		lines = append(lines, `POST /v2/cards {"productName":"VISA","cardholder":"`+holder+
			`"} => {"id":"9d46c973-0024-47de-9bfb-d4ed4b48`+id+`","cardholder":"`+holder+`"}`)
	}
	hints := match.Hints(compiled(t, match.Cassette{Name: "t", Exchanges: tape(lines...)}))
	if len(hints) != 1 || hints[0].Warning ||
		!strings.HasPrefix(hints[0].Text, "several flows change what was there before the tape") ||
		!strings.Contains(hints[0].Text, "cardholder "+holder+" (3 flows)") {
		t.Errorf("got %+v", hints)
	}
}

// The marks that the code of this package writes are those that Marks lists: labels of metrics are
// bound to them.
func TestMarksAreAllThereAre(t *testing.T) {
	marks := match.Marks()
	if len(slices.Compact(slices.Sorted(slices.Values(marks)))) != len(marks) {
		t.Errorf("a mark is there twice: %v", marks)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	written := regexp.MustCompile(`"(assumed=[a-z]+|ambiguous|composed)"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, found := range written.FindAllSubmatch(text, -1) {
			if mark := string(found[1]); !slices.Contains(marks, mark) {
				t.Errorf("%s writes the mark %q, which Marks does not list", file, mark)
			}
		}
	}
}
