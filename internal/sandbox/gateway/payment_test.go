package gateway

import "testing"

func TestRedirect(t *testing.T) {
	t.Parallel()
	for shop, want := range map[string]string{
		"https://a.example":         "https://a.example?orderId=ID&lang=ru",
		"https://a.example/b?c=%2f": "https://a.example/b?c=%2f&orderId=ID&lang=ru",
		"https://a.example/#part":   "https://a.example/?orderId=ID&lang=ru#part",
		"https://a.example/?c#d?e":  "https://a.example/?c&orderId=ID&lang=ru#d?e",
		"app://done":                "app://done?orderId=ID&lang=ru",
	} {
		if got := redirect(shop, "ID", ""); got != want {
			t.Errorf("redirect of %s is %s, want %s", shop, got, want)
		}
	}
}
