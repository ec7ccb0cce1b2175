//go:build unix

package transport

import (
	"io"
	"net"
	"testing"
)

func TestEnded(t *testing.T) {
	tests := []struct {
		name string
		do   func(near, far net.Conn) error
		want bool
	}{
		{"open", func(net.Conn, net.Conn) error { return nil }, false},
		{"closed on this side", func(near, _ net.Conn) error { return near.Close() }, true},
		{"closed by the sandbox", func(near, far net.Conn) error {
			err := far.Close()
			_, _ = near.Read(make([]byte, 1)) // the end has come
			return err
		}, true},
		{"with something to read", func(near, far net.Conn) error {
			_, err := io.WriteString(far, "ab")
			_, _ = near.Read(make([]byte, 1)) // and so has the b
			return err
		}, true},
		{"with nothing left to read", func(near, far net.Conn) error {
			_, err := io.WriteString(far, "ab")
			_, _ = io.ReadFull(near, make([]byte, 2))
			return err
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			near, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer near.Close()
			far, err := ln.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer far.Close()
			if err := tt.do(near, far); err != nil {
				t.Fatal(err)
			}
			if got := ended(near); got != tt.want {
				t.Errorf("ended is %t", got)
			}
		})
	}
}
