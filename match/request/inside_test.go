package request_test

import (
	"slices"
	"testing"

	"github.com/paytape/paytape/match/request"
)

func TestInside(t *testing.T) {
	tests := []struct {
		name, text, word string
		want             []int
	}{
		{"at the end", "Order A-1", "A-1", []int{6}},
		{"before a full stop", "A-1.", "A-1", []int{0}},
		{"twice", "A-1, A-1", "A-1", []int{0, 5}},
		{"before a dash", "A-1-b", "A-1", []int{0}},
		{"a longer number is another", "Order A-12", "A-1", nil},
		{"a longer word is another", "Order XA-1", "A-1", nil},
		{"behind a longer word", "A-12 A-1", "A-1", []int{5}},
		{"all of the text is not inside it", "A-1", "A-1", nil},
		{"nothing stands nowhere", "A-1", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := slices.Collect(request.Inside(tt.text, tt.word)); !slices.Equal(got, tt.want) {
				t.Errorf("it stands at %v, want %v", got, tt.want)
			}
		})
	}
}
