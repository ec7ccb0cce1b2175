package match_test

import (
	"strings"
	"testing"
)

// TestClockOfASandbox sets a clock on by which subscriptions are reckoned: that ends the period of each of them, and
// nothing else does.
func TestClockOfASandbox(t *testing.T) {
	t.Parallel()
	const clocks, subscribes = `POST /api/clocks {"now":"2026-03-31"}`, `POST /api/subscriptions {"plan":"gold","clock":"CLOCK"}`
	const clock, sub = "clk_8hs72hgs82kq01", "sub_8hs72hgs82kq01"
	of := func(period string) string {
		return ` => {"id":"` + sub + `","clock":"` + clock + `","period":` + period + `}`
	}
	advances := `POST /api/clocks/` + clock + `/advance {"days":30}`
	s := replay(t, told(
		clocks+` => {"id":"`+clock+`"}`, strings.Replace(subscribes, "CLOCK", clock, 1)+of("1"),
		`GET /api/subscriptions/`+sub+of("1"), advances+` => {"id":"`+clock+`","advanced":true}`,
		`GET /api/subscriptions/`+sub+of("2"),
	))
	for _, test := range []struct{ plays, want string }{
		{"get advance get", "1 2"}, {"advance get", "2"}, {"get get get", "1 1 1"},
	} {
		s.keep("clock", s.hit(clocks), `"id":"`)
		s.keep("sub", s.hit(strings.Replace(subscribes, "CLOCK", "$clock$", 1)), `"id":"`)
		var got []string
		for play := range strings.FieldsSeq(test.plays) {
			line := `GET /api/subscriptions/$sub$`
			if play == "advance" {
				line = `POST /api/clocks/$clock$/advance {"days":30}`
			}
			a, miss := s.serve(line)
			if miss != nil || a.Mark != "" {
				t.Fatalf("%s: %+v %+v", play, a, miss)
			}
			a.Delivered(true)
			if _, period, _ := strings.Cut(a.Body, `"period":`); play == "get" {
				got = append(got, strings.TrimSuffix(period, "}"))
			}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s gives %s, want %s", test.plays, got, test.want)
		}
	}
}

// TestClockThatMovesSome has two subscriptions of one clock. Where one of them has a longer period, nobody knows which of
// those in replay has, and what is asked of them is marked.
func TestClockThatMovesSome(t *testing.T) {
	t.Parallel()
	const clocks, subscribes = `POST /api/clocks {"now":"2026-03-31"}`, `POST /api/subscriptions {"clock":"CLOCK"}`
	const clock = "clk_8hs72hgs82kq01"
	advances := `POST /api/clocks/` + clock + `/advance {"days":30} => {"id":"` + clock + `"}`
	of := func(sub, period string) string {
		return `GET /api/subscriptions/` + sub + ` => {"id":"` + sub + `","clock":"` + clock + `","period":` + period + `}`
	}
	create := func(sub string) string {
		return strings.Replace(subscribes, "CLOCK", clock, 1) + ` => {"id":"` + sub + `","clock":"` + clock + `"}`
	}
	const one, two = "sub_8hs72hgs82kq01", "sub_8hs72hgs82kq02"
	for _, test := range []struct {
		name, period string // of the second subscription behind the advance
		marked       bool
	}{{"all", "2", false}, {"some", "1", true}} {
		s := replay(t, told(clocks+` => {"id":"`+clock+`"}`, create(one), create(two),
			of(one, "1"), of(two, "1"), advances, of(one, "2"), of(two, test.period)))
		s.keep("clock", s.hit(clocks), `"id":"`)
		line := strings.Replace(subscribes, "CLOCK", "$clock$", 1)
		s.keep("one", s.hit(line), `"id":"`)
		s.keep("two", s.hit(line), `"id":"`)
		s.hit(`POST /api/clocks/$clock$/advance {"days":30}`)
		for _, name := range []string{"one", "two"} {
			a, miss := s.serve(`GET /api/subscriptions/$` + name + `$`)
			if miss != nil || (a.Mark != "") != test.marked || !test.marked && !strings.Contains(a.Body, `"period":2`) {
				t.Errorf("%s: %s: %+v %+v", test.name, name, a, miss)
			}
		}
	}
}
