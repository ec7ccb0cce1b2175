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

// drips gives a byte at a time, each of which takes a while.
type dripping struct{ left []byte }

func (d *dripping) Read(p []byte) (int, error) {
	if len(d.left) == 0 {
		return 0, io.EOF
	}
	time.Sleep(20 * time.Second)
	p[0], d.left = d.left[0], d.left[1:]
	return 1, nil
}

func drips(context.Context) (io.ReadCloser, error) { return io.NopCloser(&dripping{data}), nil }

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
		{"is slow and goes on", []answer{drips}, nil, 1},
		{"has it not", []answer{fails(blob.ErrNotFound)}, blob.ErrNotFound, 1},
		{"denies", []answer{fails(blob.ErrDenied)}, blob.ErrDenied, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				moved := 0
				s := &answers{gets: test.gets}
				c := &blob.Careful{Store: s, Moved: func(n int) { moved += n }}
				got, err := c.Get(t.Context(), piece, 0)
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
		got, err := c.Get(t.Context(), blob.Blob{Kind: blob.Index}, 1<<20)
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
