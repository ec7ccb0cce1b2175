package traffic

import (
	"testing"
	"time"
)

// Reading takes a share of the time that follows how many requests are under way.
func TestShare(t *testing.T) {
	for _, test := range []struct {
		name   string
		cores  int
		every  time.Duration // a request ends
		took   time.Duration
		silent time.Duration // since the last
		want   float64
	}{
		{"no traffic", 2, 0, 0, 0, 1. / 2},
		{"2,000 a second that take 0.1 ms each", 2, 500 * time.Microsecond, 100 * time.Microsecond, 0, 0.4},
		{"eight clients as fast as they can", 2, 50 * time.Microsecond, 400 * time.Microsecond, 0, 1. / 16},
		{"a client that waits for a sandbox", 2, 200 * time.Millisecond, 200 * time.Millisecond, 0, 1. / 16},
		{"2,000 a second, eight processors", 8, 500 * time.Microsecond, 100 * time.Microsecond, 0, 1},
		{"eight clients, eight processors", 8, 50 * time.Microsecond, 400 * time.Microsecond, 0, 1. / 4},
		{"no traffic, one processor", 1, 0, 0, 0, 1. / 4},
		{"traffic that has stopped", 2, 50 * time.Microsecond, 400 * time.Microsecond, span, 1. / 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l load
			now := time.Unix(1, 0)
			for end := now.Add(time.Second); test.every > 0 && now.Before(end); now = now.Add(test.every) {
				l.add(now, test.took)
			}
			if test.silent > 0 {
				l.share(now.Add(test.silent), test.cores)
				now = now.Add(2 * test.silent)
			}
			if got := l.share(now, test.cores); got < test.want-0.01 || got > test.want+0.01 {
				t.Errorf("reading takes %.3f of the time, want %.3f", got, test.want)
			}
		})
	}
}
