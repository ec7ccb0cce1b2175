package kinds

import "testing"

func TestNetrc(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       login
	}{
		{"nothing", "", login{}},
		{"one line", "machine host login me password x", login{"me", "x"}},
		{"several lines", "machine host\n\tlogin me\n\taccount a\n\tpassword x\n", login{"me", "x"}},
		{"the first counts", "machine host login me password x machine host login you password y",
			login{"me", "x"}},
		{"another host", "machine other login me password x", login{}},
		{"another host before", "machine other login me password x\nmachine HOST login you password y",
			login{"you", "y"}},
		{"default", "machine other login me password x\ndefault login you password y", login{"you", "y"}},
		{"a host is not default", "machine host login me\ndefault login you password y", login{"me", ""}},
		{"quotes", `machine host login "me and you" password "a\"b #c"`, login{"me and you", `a"b #c`}},
		{"a comment", "# machine host login you\nmachine host login me # password y\npassword x", login{"me", "x"}},
		{"a macro", "macdef init\nmachine host login you\n\nmachine host login me password x", login{"me", "x"}},
		{"words that are values", "machine login login machine password password machine host login me",
			login{"me", ""}},
		{"cut off", "machine host login", login{}},
		{"an open quote", `machine host login "me`, login{"me", ""}},
	} {
		if got := parseNetrc(test.text, "host"); got != test.want {
			t.Errorf("%s: another login was found", test.name)
		}
	}
}

// FuzzNetrc reads what anybody may have at home.
func FuzzNetrc(f *testing.F) {
	f.Add("machine host login me password \"x\\\"\ndefault\nmacdef a\n\n#", "host")
	f.Fuzz(func(t *testing.T, text, host string) {
		l := parseNetrc(text, host)
		if len(l.user) > len(text) || len(l.password) > len(text) {
			t.Error("more was found than there is")
		}
	})
}
