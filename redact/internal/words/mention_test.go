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
			if m.Kind == "" {
				t.Fatalf("nothing says why [%d, %d) is a secret", m.From, m.To)
			}
			last = m.To
		}
	})
}
