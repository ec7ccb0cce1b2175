package match_test

import (
	"strings"
	"testing"
)

// TestTermsOfUnknownAPIs has dates far from their exchange, which takes place at 10:30:01. A date at this
// time of day was reckoned from the exchange, or from a date beside it, and moves with that: days stay days,
// and months months. All other dates stay as they are.
func TestTermsOfUnknownAPIs(t *testing.T) {
	tests := []struct{ name, recorded, live string }{
		{"two days", `"2026-04-02T10:30:01Z"`, `"2027-03-03T15:45:00Z"`},
		{"a month, clamped", `"2026-04-30T10:30:01Z"`, `"2027-04-01T15:45:00Z"`},
		{"two months", `"2026-05-31T10:30:01Z"`, `"2027-05-01T15:45:00Z"`},
		{"two days before", `"2026-03-29T10:30:01Z"`, `"2027-02-27T15:45:00Z"`},
		{"a year, in seconds since 1970", `1806489001`, `1835538300`},
		{"ten days, in milliseconds", `1775817001000`, `1804779900000`},
		{"another zone", `"2026-04-02T13:30:01+03:00"`, `"2027-03-03T18:45:00+03:00"`},
		{"a second later", `"2026-04-02T10:30:02Z"`, `"2027-03-03T15:45:01Z"`},
		{"ten days, compact", `"20260410103001"`, `"20270311154500"`},

		{"another time of day", `"2026-04-02T10:40:01Z"`, ""},
		{"midnight", `"2026-04-30T00:00:00Z"`, ""},
		{"no time of day", `"2026-04-30"`, ""},
		{"a birthday", `"1990-03-31"`, ""},
		{"twenty years before", `"2006-03-31T10:30:01Z"`, ""},
		{"the expiry of a card", `"203012"`, ""},
		{"inside a text", `"until 2026-04-02T10:30:01Z"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.live == "" {
				tt.live = tt.recorded
			}
			s := replay(t, told(
				`POST /subs {"plan":"x"} => {"until":`+tt.recorded+`,"id":"sub_8f3a99c01b"}`,
				"wait 500h",
				`GET /subs/sub_8f3a99c01b => {"until":`+tt.recorded+`}`,
			))
			got := s.hit(`POST /subs {"plan":"x"}`)
			s.keep("id", got, `"id":"`)
			if want := `{"until":` + tt.live + `,"id":"` + s.ids["id"] + `"}`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if got, want := s.hit("GET /subs/$id$"), `{"until":`+tt.live+`}`; got != want {
				t.Errorf("asked for, got %s, want %s", got, want)
			}
		})
	}
}

// TestTermsBesideADate has a thing asked for long after it was made: its period was reckoned from the date
// beside it, wherever that stands, and not from the answer.
func TestTermsBesideADate(t *testing.T) {
	tests := []struct{ name, shown, live string }{
		{"in one object", `{"created":"2026-03-31T10:30:01Z","until":"2026-04-10T10:30:01Z"}`,
			`{"created":"2027-03-01T15:45:00Z","until":"2027-03-11T15:45:00Z"}`},
		{"both at midnight", `{"created":"2026-03-31T00:00:00Z","until":"2026-12-31T00:00:00Z"}`,
			`{"created":"2027-03-01T05:14:59Z","until":"2026-12-31T00:00:00Z"}`},
		{"before it", `{"until":"2026-04-10T10:30:01Z","created":"2026-03-31T10:30:01Z"}`,
			`{"until":"2027-03-11T15:45:00Z","created":"2027-03-01T15:45:00Z"}`},
		{"in an object of it", `{"created":"2026-03-31T10:30:01Z","items":[{"until":"2026-04-10T10:30:01Z"}]}`,
			`{"created":"2027-03-01T15:45:00Z","items":[{"until":"2027-03-11T15:45:00Z"}]}`},
		{"in another form", `{"created":1774953001,"until":"2026-04-10T10:30:01Z"}`,
			`{"created":1803915900,"until":"2027-03-11T15:45:00Z"}`},
		{"at no time of it", `{"created":"2026-03-31T10:30:01Z","until":"2026-04-10T10:30:07Z"}`,
			`{"created":"2027-03-01T15:45:00Z","until":"2026-04-10T10:30:07Z"}`},
		{"in another object", `{"a":[{"created":"2026-03-31T10:30:01Z"}],"b":[{"until":"2026-04-10T10:30:01Z"}]}`,
			`{"a":[{"created":"2027-03-01T15:45:00Z"}],"b":[{"until":"2026-04-10T10:30:01Z"}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := replay(t, told(
				`POST /subs {"plan":"x"} => {"id":"sub_8f3a99c01b"}`, "wait 25h",
				"GET /subs/sub_8f3a99c01b => "+tt.shown,
			))
			s.keep("id", s.hit(`POST /subs {"plan":"x"}`), `"id":"`)
			if got := s.hit("GET /subs/$id$"); got != tt.live {
				t.Errorf("got %s, want %s", got, tt.live)
			}
		})
	}
}

// TestATermThatTheClientSent is the client's: a client that sends it has the same in its code.
func TestATermThatTheClientSent(t *testing.T) {
	const until = `"2026-04-10T10:30:01Z"`
	s := replay(t, told(
		`POST /subs {"until":`+until+`} => {"id":"sub_8f3a99c01b","until":`+until+`}`,
		`GET /subs/sub_8f3a99c01b => {"until":`+until+`}`,
	))
	got := s.hit(`POST /subs {"until":` + until + `}`)
	s.keep("id", got, `"id":"`)
	if shown := s.hit("GET /subs/$id$"); !strings.HasSuffix(got, `"until":`+until+`}`) || shown != `{"until":`+until+`}` {
		t.Errorf("got %s and %s", got, shown)
	}
}
