package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/cassettes/store/blob"
)

var (
	data  = []byte("a piece of a tape")
	piece = blob.Blob{Digest: blob.DigestOf(data), Size: int64(len(data))}
)

func TestDigest(t *testing.T) {
	t.Parallel()
	text := piece.Digest.String()
	if back, err := blob.ParseDigest(text); err != nil || back != piece.Digest {
		t.Error(err)
	}
	for _, wrong := range []string{"", text[1:], text + "0", strings.ToUpper(text), "x" + text[1:]} {
		if _, err := blob.ParseDigest(wrong); !errors.Is(err, blob.ErrDigest) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if got := piece.Path(); got != "blobs/"+text[:2]+"/"+text {
		t.Error(got)
	}
}

// answers is a store that gives one answer after another, the last for ever.
type answers struct {
	asked atomic.Int32
	gets  []func(ctx context.Context) (io.ReadCloser, error)
}

func (a *answers) Get(ctx context.Context, _ blob.Blob) (io.ReadCloser, error) {
	n := int(a.asked.Add(1)) - 1
	return a.gets[min(n, len(a.gets)-1)](ctx)
}

func (a *answers) Has(ctx context.Context, b blob.Blob) (bool, error) {
	_, err := a.Get(ctx, b)
	return err == nil, err
}

func (a *answers) Put(ctx context.Context, b blob.Blob, _ []byte) error {
	_, err := a.Get(ctx, b)
	return err
}

type answer = func(ctx context.Context) (io.ReadCloser, error)

func gives(b []byte) answer {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
}

func fails(err error) answer {
	return func(context.Context) (io.ReadCloser, error) { return nil, err }
}

// breaks gives some bytes and an error.
func breaks(b []byte, err error) answer {
	return func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(b), iotest.ErrReader(err))), nil
	}
}

// hangs says nothing at all, or nothing behind some bytes.
func hangs(ctx context.Context) (io.ReadCloser, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

type stuck struct{ ctx context.Context }

func (s stuck) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func sticks(ctx context.Context) (io.ReadCloser, error) {
	return io.NopCloser(io.MultiReader(bytes.NewReader(data[:5]), stuck{ctx})), nil
}

// dripping gives some bytes at a time, which take a while.
type dripping struct {
	left []byte
	each int
	take time.Duration
}

func (d *dripping) Read(p []byte) (int, error) {
	if len(d.left) == 0 {
		return 0, io.EOF
	}
	time.Sleep(d.take) // of a bubble
	n := copy(p, d.left[:min(d.each, len(d.left))])
	d.left = d.left[n:]
	return n, nil
}

func drips(b []byte, each int, take time.Duration) answer {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(&dripping{b, each, take}), nil }
}

// A store need not be fast, but fast enough for an end to come.
func TestSlowStores(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat(data, 1<<14) // 278 kB
	for _, test := range []struct {
		name string
		each int
		take time.Duration
		want string // of the error; empty for none
	}{
		{"in one second", len(large), time.Second, ""},
		{"each byte as late as may be", 1, 29 * time.Second, "the store is too slow: 2 bytes came in 58s"},
		{"2 kB a second, in lumps", 56 << 10, 28 * time.Second, ""},
		{"2 kB a second", 2 << 10, time.Second, ""},
		{"half a kB a second", 1 << 9, time.Second, "the store is too slow: 15360 bytes came in 30s"},
		{"silence", 1, 31 * time.Second, "the store is too slow: it said nothing for 30s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &blob.Careful{Attempts: 1, Store: &answers{gets: []answer{drips(large, test.each, test.take)}}}
				if test.name == "silence" {
					c.Store = &answers{gets: []answer{sticks}}
				}
				b := blob.Blob{Digest: blob.DigestOf(large), Size: int64(len(large))}
				_, err := c.Get(t.Context(), b)
				if (err == nil) != (test.want == "") || err != nil && !strings.HasSuffix(err.Error(), test.want) {
					t.Errorf("got %v, want %q", err, test.want)
				}
			})
		})
	}
}

// A store that names a time is asked again then, and given up if that is far.
func TestBusyStores(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		after time.Duration
		asked int
	}{{time.Second, 5}, {time.Minute, 5}, {time.Minute + 1, 1}} {
		synctest.Test(t, func(t *testing.T) {
			s := &answers{gets: []answer{fails(&blob.BusyError{Status: 429, After: test.after})}}
			began := time.Now()
			_, err := (&blob.Careful{Store: s}).Get(t.Context(), piece)
			if n := int(s.asked.Load()); n != test.asked || !blob.IsDown(err) {
				t.Errorf("%s: asked %d times, %v", test.after, n, err)
			}
			least := time.Duration(test.asked-1) * test.after
			if took := time.Since(began); took < least || took > least+30*blob.DefaultPause {
				t.Errorf("%s: given up after %s", test.after, took)
			}
		})
	}
}

// A store that fails is asked again, one that lies is found out, and neither for ever.
func TestCareful(t *testing.T) {
	t.Parallel()
	broken := errors.New("status 500")
	other := bytes.ToUpper(data)
	for _, test := range []struct {
		name  string
		gets  []answer
		want  error // nil: the bytes come
		asked int
	}{
		{"all is well", []answer{gives(data)}, nil, 1},
		{"fails twice", []answer{fails(broken), fails(broken), gives(data)}, nil, 3},
		{"fails for ever", []answer{fails(broken)}, broken, 5},
		{"breaks off once", []answer{breaks(data[:7], io.ErrUnexpectedEOF), gives(data)}, nil, 2},
		{"cuts bytes off", []answer{gives(data[:7])}, blob.ErrWrong, 5},
		{"adds bytes", []answer{gives(append(data[:len(data):len(data)], 'x'))}, blob.ErrWrong, 5},
		{"gives others once", []answer{gives(other), gives(data)}, nil, 2},
		{"gives others", []answer{gives(other)}, blob.ErrWrong, 5},
		{"gives nothing", []answer{gives(nil)}, blob.ErrWrong, 5},
		{"says nothing", []answer{hangs}, blob.ErrSlow, 5},
		{"says nothing once", []answer{hangs, gives(data)}, nil, 2},
		{"falls silent", []answer{sticks}, blob.ErrSlow, 5},
		{"drips", []answer{drips(data, 1, 29*time.Second)}, blob.ErrSlow, 5},
		{"drips once", []answer{drips(data, 1, 29*time.Second), gives(data)}, nil, 2},
		{"is busy once", []answer{fails(&blob.BusyError{Status: 503, After: time.Second}), gives(data)}, nil, 2},
		{"has it not", []answer{fails(blob.ErrNotFound)}, blob.ErrNotFound, 1},
		{"denies", []answer{fails(blob.ErrDenied)}, blob.ErrDenied, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				moved := 0
				s := &answers{gets: test.gets}
				c := &blob.Careful{Store: s, Moved: func(n int) { moved += n }}
				got, err := c.Get(t.Context(), piece)
				if !errors.Is(err, test.want) || err == nil != bytes.Equal(got, data) {
					t.Errorf("got %q, %v", got, err)
				}
				down := err != nil && !errors.Is(err, blob.ErrWrong) && !errors.Is(err, blob.ErrNotFound)
				if blob.IsDown(err) != down {
					t.Errorf("it is down: %v, for %v", !down, err)
				}
				if n := int(s.asked.Load()); n != test.asked {
					t.Errorf("asked %d times, want %d", n, test.asked)
				}
				if err == nil && moved < len(data) {
					t.Errorf("%d bytes moved", moved)
				}
			})
		})
	}
}

// What is not as large as a name tells is bounded by whoever asks.
func TestAnIndexIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		endless := func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(io.LimitReader(zeros{}, 1<<40)), nil
		}
		c := &blob.Careful{Store: &answers{gets: []answer{endless}}, Attempts: 1}
		got, err := c.GetIndex(t.Context(), blob.Blob{Kind: blob.Index}, 1<<20, nil)
		if !errors.Is(err, blob.ErrWrong) || got != nil {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Pauses grow, and whoever gives up waits no longer.
func TestPausesAndInterruption(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &answers{gets: []answer{fails(errors.New("status 503"))}}
		c := &blob.Careful{Store: s}
		began := time.Now()
		err := c.Put(t.Context(), piece, data)
		if took := time.Since(began); err == nil || took < 15*blob.DefaultPause || took > 30*blob.DefaultPause {
			t.Errorf("%v after %v", err, took)
		}
		if !strings.Contains(err.Error(), "tried 5 times: status 503") {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		s = &answers{gets: []answer{hangs}}
		c = &blob.Careful{Store: s}
		began = time.Now()
		if _, err := c.Has(ctx, piece); !errors.Is(err, context.Canceled) || time.Since(began) > time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
