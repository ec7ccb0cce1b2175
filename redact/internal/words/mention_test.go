package words

import "testing"

// FuzzMentions has what stands beside keywords lie in the text, in order and apart.
func FuzzMentions(f *testing.F) {
	for _, seed := range []string{
		"PIN is 7728, CVC-код: 784 cvv=783", `{"field":"cvc","rejectedValue":"784"`,
		"password: S3cretPw1. sid='s3ss10n-9", "Пароль - код подтверждения: 4839",
		"https://u:p@h/ <pin a='b'>1234</pin>", "card[cvc][0]=1 token:\n- abc", "код код код 123",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, m := range Mentions(s) {
			if m.From < last || m.To <= m.From || m.To > len(s) {
				t.Fatalf("[%d, %d) behind %d in a text of %d bytes", m.From, m.To, last, len(s))
			}
			if m.Kind == 0 {
				t.Fatalf("nothing says why [%d, %d) is a secret", m.From, m.To)
			}
			last = m.To
		}
	})
}

// The padding of a text in base64 is no sign, whatever its last letters spell; a keyword in quotes is one.
func TestPaddingIsNoSign(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`<input value="dGhpcyBpcyBhIHN0YXR9Pins="><input type="hidden">`:    0,
		`var s='dGhpcyBpcyBhIHN0YXR9a/csc=', t='x'`:                         0,
		`{"a":"dGhpcyBpcyBhIHN0YXR9aTpk=="}`:                                0,
		`<input value="eJxVUtFu8eXdOP&#43;Gy5Pins="><input type="hidden">`:  0,
		`<input value="eJxVUtFuwjAM8eXdOPx Gy5Pins="><input type="hidden">`: 0,
		`say "Your secret PIN of 2 cards Is pin="1234"`:                     1,
		`the pin="1234" of it`:                                              1,
		`customerPin="1234"`:                                                1,
		`"cvc="123"`:                                                        1,
		`<a href='x?customersPin='4711'>`:                                   1,
	} {
		if got := len(Mentions(text)); got != want {
			t.Errorf("%s: %d mentions, want %d", text, got, want)
		}
	}
}

// The digits of an entity are a character, and no code; digits written as entities are read in the text
// without them.
func TestEntityIsNoCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"<p>PIN &#1074;&#1072;&#1096;</p>": 0,
		"/generateCVC2?&#123;&#34;a":       0,
		"CVC (&#123;)":                     0,
		"CVC &#x123;":                      0,
		"CVC # 123;":                       1,
		"CVC #123; PIN &quot;1074":         1,
	} {
		if got := len(Mentions(text)); got != want {
			t.Errorf("%s: %d mentions, want %d", text, got, want)
		}
	}
}
