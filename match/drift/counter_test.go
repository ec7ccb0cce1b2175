package drift_test

import (
	"fmt"
	"testing"
)

// TestCounters has an API that no profile knows and that counts its invoices. The count begins anywhere.
func TestCounters(t *testing.T) {
	t.Parallel()
	const ids = "0190a1b2-0000-7000-8000-%012d"
	suite := func(seed, first int, more ...func(id string, n int) []call) []call {
		var all []call
		for i := range 2 {
			id, n := fmt.Sprintf(ids, seed*1000+i), first+i
			all = append(all, call{method: "POST", path: "/invoices", form: "amount=5",
				body: fmt.Sprintf(`{"id":%q,"invoiceNumber":%d}`, id, n)})
			for _, m := range more {
				all = append(all, m(id, n)...)
			}
		}
		return all
	}
	get := func(id string, n int) []call {
		return []call{{method: "GET", path: "/invoices/" + id,
			body: fmt.Sprintf(`{"id":%q,"state":"open","invoiceNumber":%d}`, id, n)}}
	}
	str := func(id string, n int) []call {
		return []call{{method: "GET", path: "/invoices/" + id,
			body: fmt.Sprintf(`{"id":%q,"state":"open","invoice":{"number":"%d"}}`, id, n)}}
	}
	param := func(id string, n int) []call {
		return []call{{method: "POST", path: "/pay", form: fmt.Sprintf("invoice=%d", n),
			body: fmt.Sprintf(`{"state":"open","invoiceNumber":%d}`, n)}}
	}
	for name, more := range map[string][]func(string, int) []call{
		"nothing more": nil, "asked": {get}, "asked twice": {get, get}, "string": {str},
		"string twice": {str, str}, "param": {param}, "all": {get, str, param, get},
	} {
		for _, n := range [][2]int{{10023, 48811}, {10023, 10031}, {9999, 20001}, {10023, 10024}, {123, 884}, {7, 12}} {
			if (name == "param" || name == "all") && n[0] < 1000 { // too short to be known where it is sent back
				continue
			}
			if got := compare(t, suite(1, n[0], more...), suite(2, n[1], more...)); len(got) > 0 {
				t.Errorf("%s, %v: %q", name, n, got)
			}
		}
	}
}

// TestConstantsAreNoCounters has the same API with a number that is the same in all flows, and one that is
// not greater by one in each.
func TestConstantsAreNoCounters(t *testing.T) {
	t.Parallel()
	suite := func(seed int, numbers ...string) []call {
		var all []call
		for i, n := range numbers {
			all = append(all, call{method: "POST", path: "/invoices", form: "amount=5",
				body: fmt.Sprintf(`{"id":"0190a1b2-0000-7000-8000-%012d","branch":%s}`, seed*1000+i, n)})
		}
		return all
	}
	for _, tt := range []struct {
		was, is []string
		want    int
	}{
		{[]string{"10023", "10023"}, []string{"48811", "48811"}, 2},
		{[]string{"10023", "10024"}, []string{"48811", "48811"}, 2},
		{[]string{"10023"}, []string{"48811"}, 1},
		{[]string{"10", "30"}, []string{"12", "33"}, 2},
		{[]string{`"A7"`, `"A8"`}, []string{`"B7"`, `"B8"`}, 2},
		{[]string{`"A7"`, `"A8"`}, []string{`"A17"`, `"A18"`}, 0},
	} {
		if got := compare(t, suite(1, tt.was...), suite(2, tt.is...)); len(got) != tt.want {
			t.Errorf("%v, then %v: %q", tt.was, tt.is, got)
		}
	}
}
