package scan

import "testing"

// TestReplaceDigits writes 73 in the place of 41, under the escapes of 41.
func TestReplaceDigits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		depth      int
		want       string
	}{
		{"as it is", "a 41 b", 0, "a 73 b"},
		{"beneath a space", "a+41+b", 1, "a+73+b"},
		{"percent", "a %34%31 b", 1, "a %37%33 b"},
		{"JSON", `a \u0034\x31 b`, 1, `a \u0037\x33 b`},
		{"a needless backslash", `a \4\1 b`, 1, `a \7\3 b`},
		{"entities", "a &#52;&#049; b", 1, "a &#55;&#051; b"},
		{"hex entities", "a &#x34;&#X031; b", 1, "a &#x37;&#X033; b"},
		{"one digit", "a 4%31 b", 1, "a 7%33 b"},
		{"percent twice", "a %2534%25%33%31 b", 2, "a %2537%25%33%33 b"},
		{"entities in percent", "a %26%2352%3b%26#49; b", 2, "a %26%2355%3b%26#51; b"},
		{"percent in entities", "a &#37;&#51;&#x34;&#37;31 b", 2, "a &#37;&#51;&#x37;&#37;33 b"},
		{"three layers", "a %2525%33%34%25%32%35%25%33%33%25%33%31 b", 3,
			"a %2525%33%37%25%32%35%25%33%33%25%33%33 b"},
		{"digits of another script", "a %D9%A4%D9%A1 b", 1, "a 73 b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			depth, layer := 0, ""
			for depth, layer = range Unescaped(tt.text) {
				if depth == tt.depth {
					break
				}
			}
			if Digits(layer) != "41" {
				t.Fatalf("layer %d is %q", depth, layer)
			}
			from, to, by := NewOrigins(tt.text).ReplaceDigits(depth, len("a "), len(layer)-len(" b"), "73")
			if got := tt.text[:from] + by + tt.text[to:]; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
